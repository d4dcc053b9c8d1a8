// Interleaved rounds, the CPU time of this process, medians, and ratios taken round by round: noise and the machine cancel.
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
  globalThis.gc?.()
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * Measures each contender `rounds` times in turn; the first one is the baseline. `run` does the work of one round and says how many units
 * it did. Returns the median µs CPU a unit, and the median and range of the per-round ratio to the baseline.
 */
export async function compare(contenders, rounds = 9) {
  const used = contenders.map(() => [])
  for (const { run } of contenders) await run()
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { run }] of contenders.entries()) {
      let units = 0
      const us = await cpuUs(async () => {
        units = await run()
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
