import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { playDemo } from '../../src/faces/demo/demo.ts'
import { fastClock } from '../../src/faces/demo/fast-clock.ts'
import { type RunEvent, renderEvent } from '../../src/faces/demo/timeline.ts'
import type { FailureEvent, Hold } from '../../src/index.ts'
import { FAILURE_KINDS } from '../../src/model/failure.ts'
import { virtualClock } from '../../src/testing.ts'
import { Console } from './console.ts'
import { expectStory, expectStoryOfPrograms, expectStoryOfTeam } from './demo-story.ts'

/** Every event that the demo reported, taken on its way to the command line. */
const reported: RunEvent[] = []
/** Whether the demo is played, or what it has reported is reported again: how that is printed needs no second performance. */
let played = true

vi.mock('../../src/faces/demo/demo.ts', async (original) => {
  const real = await original<{ playDemo: typeof playDemo }>()
  const teed: typeof playDemo = async (report, options) => {
    if (!played) return reported.forEach(report)
    await real.playDemo((event) => {
      reported.push(event)
      report(event)
    }, options)
  }
  return { playDemo: teed }
})

const once = new Console()
let code: number

beforeAll(async () => {
  code = await once.run('demo', '--speed', '2')
  played = false
}, 60_000)

const firstAt = (events: readonly RunEvent[]): number => events.flatMap((event) => ('at' in event ? [event.at] : []))[0] ?? 0

function timeline(events: readonly RunEvent[]): string {
  const lines = events.map((event) => renderEvent(event, firstAt(events)))
  return lines
    .filter((line) => line !== null)
    .map((line) => `${line}\n`)
    .join('')
}

describe('relevo demo', () => {
  it('prints nothing that is not rendered from the events of its turns and kernels, and tells the whole story', () => {
    expect(code).toBe(0)
    expect(reported.length).toBeGreaterThan(100)
    expect(once.out).toBe(timeline(reported))
    expect(once.err).toBe('')
    // And again from what a recording keeps of them.
    expect(timeline(JSON.parse(JSON.stringify(reported)))).toBe(once.out)
    expectStory(reported)
    expectStoryOfPrograms(reported)
    expectStoryOfTeam(reported)
  })

  it('--json prints the events themselves, enough to draw the timeline anew', async () => {
    const shell = new Console()
    expect(await shell.run('demo', '--json')).toBe(0)
    expect(timeline(shell.json as unknown as RunEvent[])).toBe(once.out)
  })

  it('the interrupt ends it cleanly with 130', async () => {
    played = true
    onTestFinished(() => {
      played = false
    })
    const events = reported.splice(0)
    const shell = new Console()
    const running = shell.run('demo')
    await shell.shown('commit')
    shell.interrupt.abort()
    expect(await running).toBe(130)
    expect(shell.outLines.at(-1)).toContain('cancelled')
    reported.splice(0, reported.length, ...events)
  })

  it('colours on a terminal only, and not with NO_COLOR', async () => {
    const colourful = new Console({ tty: true })
    await colourful.run('demo')
    expect(colourful.out).toContain('\u001b[')
    const plain = new Console({ tty: true, env: { NO_COLOR: '1' } })
    await plain.run('demo')
    expect(plain.out).not.toContain('\u001b[')
  })

  it.each([60, 80])('on a terminal of %i columns no line is wider than that', async (columns) => {
    const shell = new Console({ tty: true, columns, env: { NO_COLOR: '1' } })
    await shell.run('demo')
    expect(shell.outLines.filter((line) => line.length > columns)).toEqual([])
    expect(shell.out.replace(/\s+/g, ' ')).toContain('a reader has seen output: from here on nothing is asked again')
  })

  it('in a pipe its tables and headings fit 80 columns', () => {
    const tables = once.outLines.slice(once.outLines.findIndex((line) => line.includes('every call that went out')))
    expect(tables.length).toBeGreaterThan(30)
    expect([...tables, ...once.outLines.filter((line) => line.startsWith('──'))].filter((line) => line.length > 80)).toEqual([])
  })

  it('R34 calls of a program on its plan have no price in its ledger, and what the program reports in a line of its own', () => {
    const at = once.outLines.findIndex((line) => /claude\.max .* 840 .* subscription$/.test(line))
    expect(once.outLines[at + 1]).toBe('     reported: 0.014925 USD by the token')
    expect(once.out).not.toContain('warning')
  })

  it.each(['0', '-1', 'fast', '1000'])('--speed %s exits 2', async (speed) => {
    const shell = new Console()
    expect(await shell.run('demo', '--speed', speed)).toBe(2)
    expect(shell.errLines).toEqual([expect.stringContaining('--speed')])
  })
})

describe('a hold in the timeline', () => {
  const START = Date.UTC(2026, 0, 31, 12)
  const line = (hold: Hold): string | null => renderEvent({ type: 'hold.set', turn: 't', at: START + 1_000, hold }, START)

  it.each([
    ['seconds, on its own clock', 4_000, '3.0 s, until 4.000 s'],
    ['minutes', 599_000, '10.0 min, until 599.000 s'],
    ['hours, as a date', 7_201_000, '2.0 h, until 2026-01-31T14:00Z'],
    ['days', 259_201_000, '3.0 days, until 2026-02-03T12:00Z'],
    ['past', -5_000, '0 ms, until -5.000 s'],
  ])('T5 of a limit says until when it stands: %s', (_, ms, told) => {
    expect(line({ key: 'claude.max', untilAt: START + ms, reason: 'limit' })).toBe(
      `  1.000 s  hold      claude.max is at its limit: not to be asked for ${told}`,
    )
  })

  it('is told at any instant, however far', () => {
    expect(line({ key: 'a.x', untilAt: Number.MAX_SAFE_INTEGER, reason: 'limit' })).toContain('until +275760-09-13T')
  })
})

describe('a failure in the timeline', () => {
  it.each(FAILURE_KINDS)('is told in words, not by the name of its kind: %s', (kind) => {
    const event: FailureEvent = { event: 1, attempt: 1, of: 1, reason: 'retryable', kind, phase: 'call', hintMs: null }
    const line = renderEvent({ type: 'attempt.failed', turn: 't', at: 0, n: 1, kind, event }, 0)
    expect(line).toMatch(/^ {2}0\.000 s {2}failed {4}1: (a|an|it|its|the|what) [a-z ,]+$/)
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
