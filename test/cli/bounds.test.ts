import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../src/index.ts'
import type { FakeRun } from '../../src/testing.ts'
import { held } from '../tools/memory.ts'
import { PROGRAMS, Stage } from './stage.ts'

/** Output has bounds, and a slow reader blocks the program instead of filling the memory (platform.md §5, contract 5). */

const MIB = 1024 * 1024

/** Numbered results of a tool, each 16 KiB: they are shown and not kept, so that what memory holds of them waits for its reader. */
const RESULTS = 4_000
const RESULT_BYTES = 16_384
/** Events that wait for their reader before nothing more is read, but for what was read already. */
const HIGH_WATER = 250

/** A codex of this test: as many results, then the answer. It writes as fast as it is read. */
const TALKER = `#!${process.execPath}
import('node:events').then(async ({ once }) => {
  process.stdin.resume()
  const print = async (event) => { if (!process.stdout.write(JSON.stringify(event) + '\\n')) await once(process.stdout, 'drain') }
  await print({ type: 'thread.started', thread_id: 't' })
  for (let n = 0; n < ${RESULTS}; n++) {
    const item = { id: 'item_' + n, type: 'command_execution', command: 'cat', status: 'completed', exit_code: 0 }
    await print({ type: 'item.completed', item: { ...item, aggregated_output: String(n).padEnd(${RESULT_BYTES}, 'x') } })
  }
  await print({ type: 'item.completed', item: { id: 'last', type: 'agent_message', text: 'done' } })
  await print({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } })
})
`

describe('a slow reader', () => {
  it('reads 64 MiB of lines, every one in order, while a few hundred wait at the most', async () => {
    const stage = await Stage.of({}, [])
    writeFileSync(join(stage.clis.path, 'codex'), TALKER)
    chmodSync(join(stage.clis.path, 'codex'), 0o755)
    const kernel = stage.kernel({ primary: 'codex.x', profiles: { 'codex.x': {} } })
    const before = held()
    const turn = kernel.turn({ prompt: 'go on', sinks: ['event'] })
    let told = 0
    let over = false
    let wake = (): void => {}
    turn.events$.subscribe((event) => {
      told += 1
      over = event.type === 'turn.ended'
      wake()
    })
    let read = 0
    let results = 0
    let lead = 0
    let most = 0
    for await (const event of turn) {
      read += 1
      if (event.type === 'providerToolResult') {
        expect(Number(event.output.slice(0, 4).replaceAll('x', ''))).toBe(results)
        results += 1
      }
      if (told > read) continue
      // Nothing waits: now it reads no more until everything that the kernel is willing to hold does.
      while (told - read < HIGH_WATER && !over) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      // Whatever the program could say beyond that would come now.
      for (let round = 0; round < 50; round += 1) await new Promise<void>((resolve) => void setImmediate(resolve))
      lead = Math.max(lead, told - read)
      most = Math.max(most, held() - before)
    }
    expect(await turn.outcome).toMatchObject({ kind: 'ok', text: 'done' })
    expect(results).toBe(RESULTS)
    console.info(`a slow reader of ${RESULTS} lines of 16 KiB: ${lead} events waited at the most, ${Math.round(most / MIB)} MiB were held`)
    expect(lead).toBeGreaterThanOrEqual(HIGH_WATER)
    expect(lead).toBeLessThan(HIGH_WATER + 64)
    // 4 MiB of them wait, beside what is on the way; all together they are 64.
    expect(most).toBeLessThan(24 * MIB)
    await stage.gone()
  }, 60_000)
})

describe('output beyond its bounds', () => {
  it.each(['stream', 'call'] as const)('100 MiB without a line end: every program is stopped, as a failed %s', async (mode) => {
    const run: FakeRun = { flood: 100 * MIB }
    const before = held()
    const all = PROGRAMS.map(async ({ family, name }) => {
      const stage = await Stage.of({ [name]: [run] }, [name])
      const kernel = stage.kernel({ primary: `${family}.x`, profiles: { [`${family}.x`]: {} } })
      const turn = kernel.turn({ prompt: 'hi', sinks: ['event'], stream: mode === 'stream' })
      const events: TurnEvent['type'][] = []
      turn.events$.subscribe(({ type }) => events.push(type))
      const outcome = await turn.outcome
      const why: unknown = await turn.text.catch((error: Error) => error.cause)
      await stage.gone()
      expect(outcome.kind).toBe('exhausted')
      expect(outcome.attempts.map(({ result }) => result)).toEqual(mode === 'stream' ? ['protocol', 'protocol'] : ['protocol'])
      expect(why).toMatchObject({ kind: 'protocol', code: 'endless_line' })
      expect(events).not.toContain('text')
      expect(await stage.survivors()).toEqual([])
    })
    await Promise.all(all)
    // Buffers are given back a turn of the loop behind the collection that finds them.
    held()
    await new Promise<void>((resolve) => void setImmediate(resolve))
    // Kept, they would be 400 MiB and more.
    expect(held() - before).toBeLessThan(64 * MIB)
  })

  it('a text that a program prints beside its events neither counts as an answer nor grows', async () => {
    const stage = await Stage.of({ agy: [{ raw: { stdout: Array.from({ length: 2_000 }, (_, n) => `${n} `.padEnd(1_000, '.')), exit: 0 } }] }, [
      'agy',
    ])
    const kernel = stage.kernel({ primary: 'agy.x', profiles: { 'agy.x': {} } })
    expect(await kernel.turn({ prompt: 'hi', sinks: ['event'] }).outcome).toMatchObject({ kind: 'exhausted', text: '', partialText: null })
  })
})
