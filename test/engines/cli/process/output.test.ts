import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LINE_BOUNDS } from '../../../../src/engines/cli/process/line-splitter.ts'
import type { Clock } from '../../../../src/model/clock.ts'
import { rig } from './rig.ts'
import type { Witness } from './witness.ts'

const MIB = 1024 * 1024

/** How far the memory of this process grows meanwhile, seen at every step of the event loop. */
async function growthDuring(work: Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  let done = false
  void work.finally(() => {
    done = true
  })
  while (!done) {
    most = Math.max(most, process.memoryUsage.rss())
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  return most - before
}

/** Writes as long as it is read: a full pipe makes it wait. */
const WRITER = (times: number, piece: string) => `
import { once } from 'node:events'
const piece = ${piece}
for (let n = 0; n < ${times}; n++) if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
`

describe('platform.md §5: output is bounded', () => {
  test('LIMIT-01 100 MiB without a line end: stopped at 16 MiB, and memory grows by less than 64 MiB', async () => {
    const { run } = await rig({ graceMs: 1_000 })
    const told = run(WRITER(100, `Buffer.alloc(${MIB}, 'x')`))
    const grown = await growthDuring(told.running.gone)
    const end = await told.end
    expect(end).toMatchObject({ kind: 'failed', reason: 'endless_line' })
    expect(end.kind === 'failed' ? end.message : '').toMatch(
      new RegExp(`^${process.execPath} was stopped: it wrote a line of more than ${LINE_BOUNDS.maxLineBytes} bytes to stdout;`),
    )
    expect(told.order).toEqual(['end'])
    expect(grown).toBeLessThan(64 * MIB)
  })

  test('a line of exactly 16 MiB is one: claude prints an image that it has looked at in more than 1 MiB', async () => {
    const { run } = await rig()
    const told = run(`process.stdout.write('x'.repeat(${LINE_BOUNDS.maxLineBytes}) + '\\nafter\\n')`)
    expect(await told.end).toMatchObject({ code: 0 })
    expect(told.text('stdout').map((text) => text.length)).toEqual([LINE_BOUNDS.maxLineBytes, 5])
  })

  test('LIMIT-02 more in lines than is read (here 64 MiB): stopped, the lines before it told, and none of them kept', async () => {
    const { table, request } = await rig({ graceMs: 1_000, bounds: { ...LINE_BOUNDS, maxBytes: 64 * MIB } })
    let bytes = 0
    let ended = (_: unknown): void => {}
    const end = new Promise<unknown>((resolve) => {
      ended = resolve
    })
    const running = table.start(request(WRITER(100, `(('x'.repeat(1023)) + '\\n').repeat(1024)`)), {
      onLine: (_, text) => {
        bytes += text.length + 1
      },
      onEnd: ended,
    })
    const grown = await growthDuring(running.gone)
    expect(await end).toMatchObject({ kind: 'failed', reason: 'too_much' })
    expect(bytes).toBe(64 * MIB)
    expect(grown).toBeLessThan(64 * MIB)
  })

  test('each pipe has bounds of its own', async () => {
    const { run } = await rig({ bounds: { ...LINE_BOUNDS, maxLineBytes: MIB } })
    const told = run("process.stdout.write('out\\n'); process.stderr.write('x'.repeat(1100000)); setInterval(() => {}, 1000)", {}, () => {})
    expect(await told.end).toMatchObject({ kind: 'failed', reason: 'endless_line', message: expect.stringContaining('to stderr') })
    await told.running.gone
  })
})

describe('a slow reader', () => {
  /** Writes lines from a thread of its own, which a full pipe blocks, and answers how many it has written. */
  const COUNTING = (times: number) => `
import { write } from 'node:fs'
import { comeAs } from './witness.mjs'
const self = await comeAs('writer')
const line = Buffer.from('x'.repeat(1023) + '\\n')
let written = 0
function more() {
  self.answer = String(written)
  if (written === ${times}) process.exit(0)
  write(1, line, () => {
    written += 1
    more()
  })
}
more()
`

  /** How many lines the program has written when it writes no more: a hundred answers alike, each a journey there and back. */
  async function atRest(witness: Witness): Promise<number> {
    let last = ''
    for (let same = 0; same < 100; same++) {
      const answer = await witness.answers('writer')
      if (answer !== last) same = 0
      last = answer
    }
    return Number(last)
  }

  test('makes the program wait once the pipe is full, and then gets everything', async () => {
    const { run, witness } = await rig()
    const times = 8_000
    const told = run(COUNTING(times))
    told.running.pause()
    expect(await atRest(witness)).toBeLessThan(times / 2)
    expect(told.lines).toEqual([])
    told.running.resume()
    await told.line(100)
    told.running.pause()
    expect(await atRest(witness)).toBeLessThan(times)
    const seen = told.lines.length
    await witness.answers('writer')
    expect(told.lines.length).toBe(seen)
    told.running.resume()
    expect(await told.end).toMatchObject({ code: 0 })
    expect(told.lines).toHaveLength(times)
  })

  test("loses nothing of a program that has exited meanwhile: the drain time stands still, and Node reads on behind nobody's back", async () => {
    const { run, witness } = await rig({ drainMs: 1 })
    const told = run(
      "import { comeAs } from './witness.mjs'; await comeAs('quick'); process.stdout.write('line\\n'.repeat(20000), () => process.exit(5))",
      {},
      ({ lines, running }) => {
        if (lines.length === 1) running.pause()
      },
    )
    await witness.left('quick')
    // Its exit has been told by now to this process: others that were started and have ended later have been.
    for (let n = 0; n < 3; n++) await run('').end
    const seen = told.lines.length
    expect(seen).toBeGreaterThan(0)
    expect(seen).toBeLessThan(20_000)
    expect(told.order.includes('end')).toBe(false)
    told.running.resume()
    expect(await told.end).toEqual({ kind: 'exited', code: 5, signal: null })
    expect(told.text('stdout')).toHaveLength(20_000)
  })

  test('stopped while it is paused: nothing more is told', async () => {
    const { run, witness } = await rig()
    const told = run("import { comeAs } from './witness.mjs'; await comeAs('one'); setInterval(() => console.log('line'), 1)")
    await witness.arrived('one')
    told.running.pause()
    const seen = told.lines.length
    told.running.stop()
    told.running.resume()
    await told.running.gone
    expect(told.order.filter((one) => one === 'end')).toEqual([])
    expect(told.lines.length).toBe(seen)
  })
})

test('what came in while this process was kept from reading is read before the drain time ends the run', async () => {
  const drainMs = 77
  let holder = ''
  const clock: Clock = {
    now: () => 0,
    wakeAt(at, fire) {
      const timer = setTimeout(fire, at === drainMs ? 1 : at)
      // The exit has been told. Nothing is read until the line is in the pipe and the timer is due.
      if (at === drainMs) {
        const dueAt = performance.now() + 5
        writeFileSync(join(holder, 'go'), '')
        while (!existsSync(join(holder, 'written')) || performance.now() < dueAt);
      }
      return () => clearTimeout(timer)
    },
  }
  const { run, witness, directory } = await rig({ drainMs, clock })
  holder = directory
  const HOLDER = `import { existsSync, writeFileSync } from 'node:fs'; import { comeAs } from './witness.mjs'; await comeAs('holder')
    while (!existsSync('go'));
    console.log('late'); writeFileSync('written', '')`
  const told = run(
    `import { spawn } from 'node:child_process'; import { comeAs } from './witness.mjs'; import { writeFileSync } from 'node:fs'
    writeFileSync('holder.mjs', ${JSON.stringify(HOLDER)})
    spawn(process.execPath, ['holder.mjs'], { stdio: 'inherit' })
    const { go } = await comeAs('leader'); await go; process.exit(0)`,
    { directory },
  )
  await Promise.all([witness.arrived('leader'), witness.arrived('holder')])
  await witness.tell('leader')
  expect(await told.end).toMatchObject({ kind: 'exited' })
  expect(told.text('stdout')).toEqual(['late'])
})
