import { afterAll, expect, it } from 'vitest'
import type { Outcome } from '../../src/index.ts'
import type { FakeRun } from '../../src/testing.ts'
import { PROGRAMS, type Program, Stage } from './stage.ts'

/** What each program does, as a real process, comes to: outcome, attempts, holds, and nobody left behind (issue 4, Show). */

const HOUR_MS = 3_600_000
/** A whole minute, since codex prints no seconds; told as a clock, as a length and as an instant. */
const RESET_AT = Math.floor((Date.now() + 2 * HOUR_MS) / 60_000) * 60_000

/** How a turn ended, without what depends on the speed of the machine. */
interface Seen {
  readonly kind: Outcome['kind']
  /** `mode:result` of each attempt. */
  readonly attempts: readonly string[]
  readonly text: string
  readonly partialText: string | null
  /** `key reason`, and how it compares with `holds` of the situation. */
  readonly holds: readonly string[]
  readonly survivors: readonly number[]
}

type Expected = Pick<Seen, 'kind' | 'attempts'> & Partial<Seen>

interface Situation {
  readonly run: FakeRun
  /** The end of a hold, as an interval; null when none is set. */
  readonly until?: (program: Program, ended: Outcome) => readonly [earliest: number, latest: number]
  /** Only where silence is what ends the run; on a slow machine the others may be silent for long. */
  readonly limits?: { readonly stallMs: number; readonly firstByteMs: number | null }
  readonly stream: (program: Program) => Expected
  /** Where a call differs in more than that: without it, only the stream is played, whose recovery is a call. */
  readonly call?: (program: Program) => Expected
}

const TEXT = 'one two three four five'
const USAGE = { input: 20, output: 5, cachedInput: 8 }
const TOOL = { name: 'shell', arguments: { command: 'ls' }, output: 'a.txt' }

/** These tell an answer while it is made; the others when it is whole, so that a reader has seen nothing of one that broke off. */
const tellsEarly = ({ family }: Program): boolean => family === 'claude' || family === 'agy'

const lasting =
  (ms: number) =>
  (_program: Program, { startedAt, endedAt }: Outcome) =>
    [startedAt + ms, endedAt + ms] as const

/** Fails at every attempt: a stream that showed nothing gets its one call (R29). */
function failing(result: string): Pick<Situation, 'stream'> {
  return { stream: () => ({ kind: 'exhausted', attempts: [`stream:${result}`, `call:${result}`] }) }
}

/** Is held at once, so that it is not asked again. */
function held(result: string, hold: (program: Program) => string, mode: 'stream' | 'call' = 'stream'): Situation['stream'] {
  return (program) => ({ kind: 'all_held', attempts: [`${mode}:${result}`], holds: [hold(program)] })
}

/** Gemini CLI names the model: "on this model" (T6). */
const limitKey = ({ family }: Program): string => `${family}.x${family === 'gemini-cli' ? '/default' : ''} limit`

/** Breaks off: what a reader has seen is kept and nothing is asked again (R28). */
function brokenOff(result: string): Required<Pick<Situation, 'stream' | 'call'>> {
  return {
    call: () => ({ kind: 'exhausted', attempts: [`call:${result}`] }),
    stream: (program) => {
      if (!tellsEarly(program)) return failing(result).stream(program)
      // How far it had come is the program's own affair.
      return { kind: 'interrupted', attempts: [`stream:${result}`], partialText: expect.stringMatching(/^one two three /) }
    },
  }
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'T3 success is its text and its tokens': {
    run: { text: TEXT, tools: [TOOL], usage: USAGE },
    stream: () => ({ kind: 'ok', attempts: ['stream:ok'], text: TEXT }),
    call: () => ({ kind: 'ok', attempts: ['call:ok'], text: TEXT }),
  },
  'T5 a limit with its reset holds until then': {
    run: { limit: { resetAt: RESET_AT } },
    // A length is told in whole seconds and counts from when it is read.
    until: ({ family }, { startedAt, endedAt }) =>
      family === 'claude' || family === 'codex' ? [RESET_AT, RESET_AT] : [RESET_AT - 1_000, RESET_AT + endedAt - startedAt + 1_000],
    stream: held('rate_limited', limitKey),
    call: held('rate_limited', limitKey, 'call'),
  },
  'T5 a limit without a reset holds claude for an hour and the others for half of one': {
    run: { limit: {} },
    until: (program, outcome) => lasting(program.family === 'claude' ? HOUR_MS : HOUR_MS / 2)(program, outcome),
    stream: held('rate_limited', limitKey),
  },
  '§1.1 a throttle is no limit: it cools down for as long as it says': {
    run: { throttle: true },
    until: (program, outcome) => lasting({ agy: 20_000, 'gemini-cli': 20_500, claude: 10_000, codex: 10_000 }[program.family])(program, outcome),
    stream: held('rate_limited', ({ family }) => `${family}.x cooldown`),
  },
  '§6.3 a stop of money is held long, without a timer of its own': {
    run: { spend: true },
    until: lasting(6 * HOUR_MS),
    stream: held('quota_exhausted', ({ family }) => `${family}.x limit`),
  },
  'T22 a program without a login says so itself': { run: { auth: true }, ...failing('auth') },
  'an overloaded server holds nobody': { run: { overloaded: true }, ...failing('overloaded') },
  'a model that is not there': { run: { model: true }, ...failing('model_not_found') },
  'R20 a prompt that is too long for the model': {
    run: { context: true },
    stream: () => ({ kind: 'context_window', attempts: ['stream:context_window'] }),
    call: () => ({ kind: 'context_window', attempts: ['call:context_window'] }),
  },
  '§1.5 a network that is down, also for codex, which would wait for ever': { run: { network: 'down', afterMs: 5 }, ...failing('network') },
  'T21 a crash is a failed call': { run: { crash: { exit: 7, stderr: 'thread panicked at src/main.rs' } }, ...failing('unknown') },
  'R31 silence from the start': { run: { silence: true }, limits: { stallMs: 800, firstByteMs: null }, ...failing('timeout') },
  'R31 a stall in the middle': { run: { text: TEXT, stall: true }, limits: { stallMs: 800, firstByteMs: 60_000 }, ...brokenOff('timeout') },
  'R25 an answer that is cut is none, whatever the exit says': { run: { text: TEXT, cut: true }, ...brokenOff('truncated') },
}

const NOTHING = { text: '', partialText: null, holds: [], survivors: [] }
const WITHIN = 'in time'
/** How long it took from the end of each turn until its processes were gone. */
const gone = new Map<string, number[]>(PROGRAMS.map(({ name }) => [name, []]))

/** One turn on one program that does this, from its start until its processes are gone. */
async function played(
  program: Program,
  { run, until, limits = { stallMs: 60_000, firstByteMs: null } }: Situation,
  mode: 'stream' | 'call',
): Promise<Seen> {
  const stage = await Stage.of({ [program.name]: [run] }, [program.name])
  const id = `${program.family}.x`
  const kernel = stage.kernel({
    primary: id,
    reliability: { providerRetries: 0, providerBackoffMs: 50, jitter: 0, maxInTurnWaitMs: 1_000 },
    profiles: { [id]: { cli: { stallMs: limits.stallMs }, timeouts: { firstByteMs: limits.firstByteMs } } },
  })
  const outcome = await kernel.turn({ prompt: 'say hello', sinks: ['event'], stream: mode === 'stream' }).outcome
  await stage.gone()
  gone.get(program.name)?.push(Date.now() - outcome.endedAt)
  if ('usage' in run) expect(outcome.usage).toEqual(USAGE)
  const [earliest = 0, latest = 0] = until?.(program, outcome) ?? []
  const isInTime = (at: number): boolean => at >= earliest && at <= latest
  const told = kernel.holds().map(({ key, reason, untilAt }) => `${key} ${reason} ${isInTime(untilAt) ? WITHIN : `${untilAt - outcome.endedAt} ms`}`)
  return {
    kind: outcome.kind,
    attempts: outcome.attempts.map((attempt) => `${attempt.mode}:${attempt.result}`),
    text: outcome.text,
    partialText: outcome.partialText,
    holds: told,
    survivors: await stage.survivors(),
  }
}

/** All programs at once, in each mode that has something to show. */
it.each(Object.entries(SITUATIONS))('%s', async (_, situation) => {
  const all = PROGRAMS.flatMap((program) =>
    (['stream', 'call'] as const).flatMap((mode) => {
      const expected = situation[mode]?.(program)
      return expected === undefined ? [] : [{ program, mode, expected, name: `${program.name} ${mode}` }]
    }),
  )
  const seen = await Promise.all(all.map(async ({ program, mode, name }) => [name, await played(program, situation, mode)] as const))
  const wanted = all.map(({ name, expected: { holds = [], ...rest } }) => {
    return [name, { ...NOTHING, ...rest, holds: holds.map((hold) => `${hold} ${WITHIN}`) }] as const
  })
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted))
})

afterAll(() => {
  const lines = [...gone].map(([name, ms]) => `${name}: ${ms.length} turns, at the longest ${Math.max(...ms)} ms`)
  console.info(`until the processes were gone: ${lines.join(' · ')}`)
})
