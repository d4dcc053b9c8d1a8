import { afterAll, describe, expect, it } from 'vitest'
import type { Kernel, Outcome, TurnEvent } from '../../src/index.ts'
import type { FakeRun } from '../../src/testing.ts'
import { isAlive, PROGRAMS, type Program, Stage } from './stage.ts'

/** R30 at real processes: a cancel is an outcome, its exit is never classified, and nobody is left of the whole group. */

const TEXT = 'one two three four five'
const TOOL = { name: 'shell', arguments: { command: 'ls' }, output: 'a.txt' }
const took: string[] = []

interface Turn {
  readonly stage: Stage
  readonly kernel: Kernel
  readonly events: TurnEvent[]
  /** Resolves with the first event of this type. */
  seen(type: TurnEvent['type']): Promise<void>
  readonly outcome: Promise<Outcome>
  cancel(): void
}

async function begun({ family, name }: Program, run: FakeRun, onEvent: (event: TurnEvent, cancel: () => void) => void = () => {}): Promise<Turn> {
  const stage = await Stage.of({ [name]: [run] }, [name])
  const kernel = stage.kernel({ primary: `${family}.x`, profiles: { [`${family}.x`]: {} } })
  const events: TurnEvent[] = []
  const waiting: { readonly type: string; readonly resolve: () => void }[] = []
  const turn = kernel.turn({
    prompt: 'say hello',
    sinks: {
      event: (event) => {
        events.push(event)
        for (const { type, resolve } of waiting) if (type === event.type) resolve()
        onEvent(event, turn.cancel)
      },
    },
  })
  const seen = (type: TurnEvent['type']): Promise<void> =>
    events.some((event) => event.type === type) ? Promise.resolve() : new Promise((resolve) => void waiting.push({ type, resolve }))
  return { stage, kernel, events, seen, outcome: turn.outcome, cancel: turn.cancel }
}

/** Cancels and follows it to its end: the outcome comes at once, the processes go afterwards, and nothing is told in between. */
async function cancelled(what: string, { stage, kernel, events, outcome, cancel }: Turn): Promise<{ ended: Outcome; aliveAtOutcome: boolean }> {
  const [call] = (await Promise.all(PROGRAMS.map(({ name }) => stage.calls(name)))).flat()
  const before = events.length
  const at = Date.now()
  cancel()
  const ended = await outcome
  const aliveAtOutcome = call !== undefined && isAlive(call.pid)
  await stage.gone()
  took.push(`${what} ${Date.now() - at} ms`)
  expect(ended).toMatchObject({ kind: 'cancelled', text: '', failures: [], recoveredFrom: null })
  expect(ended.attempts.map((attempt) => attempt.result)).toEqual(['cancelled'])
  expect(events.slice(before).map((event) => event.type)).toEqual(['attempt.ended', 'turn.ended'])
  expect(kernel.holds()).toEqual([])
  expect(await stage.survivors()).toEqual([])
  return { ended, aliveAtOutcome }
}

/** On all programs at once. */
const each = (work: (program: Program) => Promise<void>) => async (): Promise<void> => void (await Promise.all(PROGRAMS.map(work)))

describe('R30 every program', () => {
  it(
    'cancelled as it starts',
    each(async (program) => {
      const turn = await begun(program, { text: TEXT }, (event, cancel) => {
        if (event.type === 'attempt.started') cancel()
      })
      expect(await turn.outcome).toMatchObject({ kind: 'cancelled', partialText: null })
      await turn.stage.gone()
      expect(await turn.stage.survivors()).toEqual([])
    }),
  )

  it(
    'cancelled before it has said anything',
    each(async (program) => {
      const turn = await begun(program, { silence: true })
      await turn.stage.took(program.name)
      const { ended } = await cancelled(`${program.name}, silent`, turn)
      expect(ended.partialText).toBeNull()
    }),
  )

  it(
    'cancelled in the middle: what was shown is kept',
    each(async (program) => {
      const turn = await begun(program, { text: TEXT, tools: [TOOL], stall: true })
      const early = program.name === 'claude' || program.name === 'agy'
      await turn.seen(early ? 'text' : 'providerToolResult')
      const { ended } = await cancelled(`${program.name}, in the middle`, turn)
      if (early) expect(ended.partialText).toMatch(/^one two three /)
      else expect(ended.partialText).toBeNull()
    }),
  )

  it(
    'cancelled with a grandchild of its group, which ends with it',
    each(async (program) => {
      const turn = await begun(program, { text: TEXT, tools: [TOOL], stall: true, grandchild: true })
      await turn.seen('providerToolResult')
      const { grandchild } = await turn.stage.took(program.name)
      expect(isAlive(grandchild ?? 0)).toBe(true)
      await cancelled(`${program.name}, with a grandchild`, turn)
    }),
  )

  it(
    'an answer whose grandchild keeps the output open is whole, and the grandchild ends with it',
    each(async (program) => {
      const turn = await begun(program, { text: TEXT, grandchild: true })
      expect(await turn.outcome).toMatchObject({ kind: 'ok', text: TEXT })
      await turn.stage.gone()
      expect((await turn.stage.took(program.name)).grandchild).toBeTypeOf('number')
      expect(await turn.stage.survivors()).toEqual([])
    }),
  )
})

describe('§5b a program that takes no notice of SIGTERM', () => {
  it('is cancelled at once for whoever asked, and is killed after the grace', async () => {
    const all = PROGRAMS.map(async (program) => {
      const turn = await begun(program, { text: TEXT, tools: [TOOL], stall: true, ignoreTerm: true, grandchild: true })
      await turn.seen('providerToolResult')
      const { aliveAtOutcome } = await cancelled(`${program.name}, deaf`, turn)
      expect(aliveAtOutcome).toBe(true)
    })
    await Promise.all(all)
  })
})

describe('kernel.stop()', () => {
  it('ends every process, whatever it is doing', async () => {
    const runs: readonly FakeRun[] = [
      { silence: true },
      { network: 'down', afterMs: 60_000 },
      { text: TEXT, stall: true, grandchild: true },
      { limit: {}, afterMs: 60_000 },
    ]
    const stage = await Stage.of(Object.fromEntries(PROGRAMS.map(({ name }, index) => [name, [runs[index] as FakeRun]])))
    const kernel = stage.kernel({
      primary: 'claude.x',
      profiles: Object.fromEntries(PROGRAMS.map(({ family }) => [`${family}.x`, {}])),
      modelRoutes: PROGRAMS.map(({ family }) => ({ hint: family, modelProvider: `${family}.x`, model: 'm' })),
    })
    const turns = PROGRAMS.map(({ family }) => kernel.turn({ prompt: 'say hello', model: `hint:${family}`, sinks: ['event'] }))
    await Promise.all(PROGRAMS.map(({ name }) => stage.took(name)))
    const at = Date.now()
    await kernel.stop()
    took.push(`kernel.stop() ${Date.now() - at} ms`)
    // Nobody is left when it resolves, and every turn has ended by then.
    expect(await stage.survivors()).toEqual([])
    const outcomes = await Promise.all(turns.map((turn) => turn.outcome))
    expect(outcomes.map(({ kind }) => kind)).toEqual(PROGRAMS.map(() => 'cancelled'))
    expect(() => kernel.turn({ prompt: 'again' })).toThrow('stopped')
  })
})

afterAll(() => console.info(`from the cancel until nobody was left: ${took.join(' · ')}`))
