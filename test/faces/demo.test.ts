import { afterEach, describe, expect, it, vi } from 'vitest'
import type { playDemo } from '../../src/faces/demo/demo.ts'
import { fastClock } from '../../src/faces/demo/fast-clock.ts'
import { type RunEvent, renderEvent } from '../../src/faces/demo/timeline.ts'
import { virtualClock } from '../../src/testing.ts'
import { Console } from './console.ts'

/** Every event that the demo reported, taken on its way to the command line. */
const reported: RunEvent[] = []

vi.mock('../../src/faces/demo/demo.ts', async (original) => {
  const real = await original<{ playDemo: typeof playDemo }>()
  const teed: typeof playDemo = (report, options) =>
    real.playDemo((event) => {
      reported.push(event)
      report(event)
    }, options)
  return { playDemo: teed }
})

afterEach(() => void reported.splice(0))

const firstAt = (events: readonly RunEvent[]): number => events.flatMap((event) => ('at' in event ? [event.at] : []))[0] ?? 0

function timeline(events: readonly RunEvent[]): string {
  const lines = events.map((event) => renderEvent(event, firstAt(events)))
  return lines
    .filter((line) => line !== null)
    .map((line) => `${line}\n`)
    .join('')
}

/** The events of one act, in order. */
function act(events: readonly RunEvent[], turn: string): RunEvent[] {
  const from = events.findIndex((event) => event.type === 'turn.started' && event.turn === turn)
  const to = events.findIndex((event) => event.type === 'turn.ended' && event.turn === turn)
  return events.slice(from, to + 1)
}

const attempts = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'turn.ended' ? event.outcome.attempts.map(({ entry, mode, result }) => [entry.split('/')[0], mode, result]) : [],
  )
const outcome = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome] : []))[0]

/** Success, limit and failover, a stream cut before and after output, all held, and a cancel. */
function expectStory(events: readonly RunEvent[]): void {
  expect(attempts(act(events, 'a plain success'))).toEqual([['openai.demo', 'stream', 'ok']])

  const limited = act(events, '429: hold, then failover')
  expect(attempts(limited)).toEqual([
    ['openai.demo', 'stream', 'rate_limited'],
    ['anthropic.demo', 'call', 'ok'],
  ])
  expect(limited).toContainEqual(expect.objectContaining({ type: 'hold.set', hold: expect.objectContaining({ key: 'openai.demo' }) }))
  expect(attempts(act(events, 'around the hold'))).toEqual([['anthropic.demo', 'stream', 'ok']])

  const early = act(events, 'stream cut early: recovered')
  expect(attempts(early)).toEqual([
    ['openai.demo', 'stream', 'truncated'],
    ['anthropic.demo', 'call', 'ok'],
  ])
  expect(early.map(({ type }) => type)).toContain('recovery.started')
  expect(early.map(({ type }) => type)).not.toContain('output.committed')

  const late = act(events, 'stream cut after output: kept')
  expect(attempts(late)).toEqual([['openai.demo', 'stream', 'truncated']])
  expect(outcome(late)).toMatchObject({ kind: 'interrupted', partialText: 'Once upon a time there was a stream ' })

  const held = act(events, 'all held: wait, then return')
  expect(attempts(held)).toEqual([
    ['openai.demo', 'call', 'rate_limited'],
    ['anthropic.demo', 'call', 'rate_limited'],
    ['openai.demo', 'call', 'ok'],
  ])
  expect(held).toContainEqual(expect.objectContaining({ type: 'wait.started', why: 'hold', key: 'openai.demo' }))

  expect(outcome(act(events, 'cancelled by the host'))).toMatchObject({ kind: 'cancelled', partialText: 'One, two, ' })
  const told = events.at(-1)
  expect(told).toMatchObject({ type: 'kernel.ledger', holds: [{ key: 'anthropic.demo' }] })
  expect(told?.type === 'kernel.ledger' && told.rows.length).toBe(11)
}

describe('relevo demo', () => {
  it('prints nothing that is not rendered from the events of its turns and kernel, and tells the whole story', async () => {
    const shell = new Console()
    expect(await shell.run('demo', '--speed', '2')).toBe(0)
    expect(reported.length).toBeGreaterThan(50)
    expect(shell.out).toBe(timeline(reported))
    expect(shell.err).toBe('')
    // And again from what a recording keeps of them.
    expect(timeline(JSON.parse(JSON.stringify(reported)))).toBe(shell.out)
    expectStory([...reported])
  })

  it('--json prints the events themselves, enough to draw the timeline anew', async () => {
    const shell = new Console()
    expect(await shell.run('demo', '--json', '--speed', '10')).toBe(0)
    expect(timeline(shell.json as unknown as RunEvent[])).toBe(timeline(reported))
  })

  it('the interrupt ends it cleanly with 130', async () => {
    const shell = new Console()
    const code = shell.run('demo')
    await shell.shown('commit')
    shell.interrupt.abort()
    expect(await code).toBe(130)
    expect(shell.outLines.at(-1)).toContain('cancelled')
  })

  it('colours on a terminal only, and not with NO_COLOR', async () => {
    const colourful = new Console({ tty: true })
    await colourful.run('demo', '--speed', '20')
    expect(colourful.out).toContain('\u001b[')
    const plain = new Console({ tty: true, env: { NO_COLOR: '1' } })
    await plain.run('demo', '--speed', '20')
    expect(plain.out).not.toContain('\u001b[')
  })

  it.each([60, 80])('on a terminal of %i columns no line is wider than that', async (columns) => {
    const shell = new Console({ tty: true, columns, env: { NO_COLOR: '1' } })
    await shell.run('demo', '--speed', '20')
    expect(shell.outLines.filter((line) => line.length > columns)).toEqual([])
    expect(shell.out.replace(/\s+/g, ' ')).toContain('a reader has seen output: from here on nothing is asked again')
  })

  it('in a pipe its tables and headings fit 80 columns', async () => {
    const shell = new Console()
    await shell.run('demo', '--speed', '20')
    const tables = shell.outLines.slice(shell.outLines.findIndex((line) => line.includes('every call that went out')))
    expect(tables.length).toBeGreaterThan(12)
    expect([...tables, ...shell.outLines.filter((line) => line.startsWith('──'))].filter((line) => line.length > 80)).toEqual([])
  })

  it.each(['0', '-1', 'fast', '1000'])('--speed %s exits 2', async (speed) => {
    const shell = new Console()
    expect(await shell.run('demo', '--speed', speed)).toBe(2)
    expect(shell.errLines).toEqual([expect.stringContaining('--speed')])
  })
})

describe('the clock of a demo in a hurry', () => {
  it.each([1, 1.5, 3, 7, 0.25])('at speed %s no wake finds its instant ahead, and none is a beat late', (speed) => {
    const real = virtualClock(1_000_000)
    const clock = fastClock(speed, real)
    const late: number[] = []
    for (let ms = 0; ms <= 100; ms++) clock.wakeAt(1_000_000 + ms, () => late.push(clock.now() - 1_000_000 - ms))
    while (real.step());
    expect(late).toHaveLength(101)
    for (const ms of late) {
      expect(ms).toBeGreaterThanOrEqual(0)
      expect(ms).toBeLessThanOrEqual(speed)
    }
  })
})
