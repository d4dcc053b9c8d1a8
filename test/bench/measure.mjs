// Interleaved rounds, the CPU time of this process, medians, and ratios taken round by round: noise and the machine cancel.
// Everything is measured warm, after laps that nobody times. Nothing is collected by hand before a sample: a collection while nothing is
// in flight takes the hidden classes of all that a turn is made of, V8 throws away the code that rests on them ("weak objects" in
// --trace-deopt), and a sample then times its making anew. At work that did not happen once in 8,000 requests of 500 events, 32 at a time.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Starts the provider of provider.mjs; resolves to its base address and an end. */
export async function startProvider() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('provider.mjs', import.meta.url))], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`the provider ended with ${code}`)))
  })
  return { address: `http://127.0.0.1:${port}`, end: () => child.kill() }
}

/** Runs `count` calls of `once`, `width` at a time. */
export async function inParallel(once, count, width) {
  let started = 0
  const lane = async () => {
    while (started < count) {
      started += 1
      await once()
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}

async function cpuUs(run) {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * Measures each contender `rounds` times in turn, after `warm` laps of each; the first one is the baseline. `run` does the work of one
 * round and says how many units it did. Each round begins with another contender, so that none always collects what the same one left.
 * Returns the median µs CPU a unit, and the median and range of the per-round ratio to the baseline.
 */
export async function compare(contenders, rounds = 9, warm = 5) {
  const used = contenders.map(() => [])
  for (let lap = 0; lap < warm; lap += 1) for (const { run } of contenders) await run()
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < contenders.length; place += 1) {
      const index = (round + place) % contenders.length
      let units = 0
      const us = await cpuUs(async () => {
        units = await contenders[index].run()
      })
      used[index].push(us / units)
    }
  }
  return contenders.map(({ name }, index) => {
    const ratios = used[index].map((us, round) => us / used[0][round])
    return { name, us: median(used[index]), ratio: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) }
  })
}

export function median(values) {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[sorted.length >> 1]
}

export function print(title, rows, goals = {}) {
  console.log(`  ${title}`)
  for (const { name, us, ratio, low, high } of rows) {
    const goal = goals[name] === undefined ? '' : `   goal ≤ ${goals[name]}`
    console.log(`    ${name.padEnd(34)} ${us.toFixed(1).padStart(9)} µs   ratio ${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})${goal}`)
  }
}
