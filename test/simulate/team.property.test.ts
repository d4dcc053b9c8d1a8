import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { simulateTeam } from '../../src/simulate/simulate-team.ts'
import { readTeamScenario, type TeamScenario } from '../../src/simulate/team-scenario.ts'
import type { TeamTrace } from '../../src/simulate/team-trace.ts'
import { brokenLaws } from './team-laws.ts'

const ENGINES = ['claude', 'claude:haiku', 'codex', 'agy', 'openai.work:gpt-5'] as const
const IDS = ['ana', 'bo', 'cy', 'di'] as const

const tookMs = fc.constantFrom(700, 1_000, 1_000, 40_000, 600_000)
const posted = fc.constantFrom(false, false, true)
const run = fc.oneof(
  { weight: 5, arbitrary: fc.record({ post: fc.constant('ok'), tookMs }) },
  {
    weight: 4,
    arbitrary: fc.record({
      limit: fc.oneof(fc.record({ resetInMs: fc.constantFrom(-5, 0, 1, 3_000, 90_000, 3_600_000, 86_400_000) }), fc.constant({})),
      posted,
      tookMs,
    }),
  },
  { weight: 2, arbitrary: fc.record({ network: fc.constant('ENOTFOUND'), posted, tookMs }) },
  { weight: 2, arbitrary: fc.record({ crash: fc.constant({ exit: 1 }), posted, tookMs }) },
  { weight: 1, arbitrary: fc.record({ silent: fc.constant(true), tookMs }) },
  { weight: 1, arbitrary: fc.record({ wait: fc.record({ minutes: fc.constantFrom(0, 1, 10) }), tookMs }) },
)

const atMs = fc.oneof(fc.constantFrom(0, 1_000, 2_000, 61_000), fc.nat(500_000))
const step = (ids: readonly string[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ atMs, do: fc.constantFrom('pause', 'resume') }) },
    { weight: 2, arbitrary: fc.record({ atMs, do: fc.constant('say') }) },
    { weight: 2, arbitrary: fc.record({ atMs, do: fc.constantFrom('gate', 'approve'), participant: fc.constantFrom(...ids) }) },
    { weight: 1, arbitrary: fc.record({ atMs, do: fc.constant('resume') }) },
  )
const moves = fc.oneof(
  fc.record({ atMs, do: fc.constant('suspend'), forMs: fc.nat(10_000_000) }),
  fc.record({ atMs, do: fc.constant('clock'), byMs: fc.integer({ min: -10_000_000, max: 10_000_000 }) }),
  fc.record({ atMs, do: fc.constant('stop') }),
)

const scenario = (withMoves: boolean) =>
  fc.integer({ min: 1, max: IDS.length }).chain((size) => {
    const ids = IDS.slice(0, size)
    const participant = (id: string) =>
      fc.record({
        id: fc.constant(id),
        provider: fc.constantFrom('claude', 'codex', 'agy'),
        failover: fc.array(fc.constantFrom(...ENGINES), { maxLength: 3 }),
      })
    return fc.record({
      format: fc.constant(1),
      kind: fc.constant('team'),
      id: fc.constant('generated'),
      participants: fc.tuple(...ids.map(participant)),
      picks: fc.oneof(fc.constant('rotation'), fc.array(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 })),
      engines: fc
        .tuple(...ENGINES.map(() => fc.array(run, { minLength: 1, maxLength: 5 })))
        .map((runs) => Object.fromEntries(ENGINES.map((engine, at) => [engine, runs[at]]))),
      settings: fc.record({
        maxIterations: fc.constantFrom(null, 20),
        maxRuntimeMin: fc.constantFrom(null, 100),
        maxWaitMin: fc.constantFrom(null, 15),
        sleepSliceMs: fc.constant(600_000),
      }),
      steps: fc.array(withMoves ? fc.oneof(step(ids), moves) : step(ids), { maxLength: 8 }),
      until: fc.oneof(fc.record({ turns: fc.integer({ min: 1, max: 40 }) }), fc.record({ ms: fc.nat(500_000) })),
    })
  })

function read(document: unknown): TeamScenario {
  const made = readTeamScenario(document)
  if ('problems' in made) throw new Error(JSON.stringify(made.problems))
  return made.scenario
}

const RUNS = 400

describe('any run of a team', () => {
  test(`T2 T12 T16 T17 T18 G01 G12 keeps the laws that a trace can be held to, ${RUNS} scenarios`, async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(scenario(false), async (document) => {
        const made = read(document)
        const { trace, unscripted } = await simulateTeam(made)
        count(seen, trace)
        expect(unscripted).toBe(false)
        expect(brokenLaws(made, trace)).toEqual([])
      }),
      { numRuns: RUNS, seed: 20_260_301 },
    )
    console.info(`seen: ${[...seen].map(([what, times]) => `${what} ${times}`).join(', ')}`)
    const states = ['rate_limited', 'unreachable', 'backing_off', 'waiting', 'paused', 'stopped'].map((state) => `state ${state}`)
    const starts = ['pick', 'handoff', 'gate', 'retry'].map((by) => `started by ${by}`)
    expect([...states, ...starts].filter((what) => !seen.has(what))).toEqual([])
  }, 120_000)

  test('T17 G10 ends, with a suspend and a clock that is moved too, and is the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(scenario(true), async (document) => {
        const made = read(document)
        const { trace } = await simulateTeam(made)
        expect(await simulateTeam(made)).toEqual({ trace, unscripted: false })
        expect(trace.end.reason).not.toBe('cap')
      }),
      { numRuns: 150, seed: 7 },
    )
  }, 120_000)

  test('the laws would notice', async () => {
    const made = read({
      format: 1,
      kind: 'team',
      id: 'planted',
      participants: [{ id: 'ana', provider: 'claude', failover: ['codex'] }],
      engines: { claude: [{ limit: { resetInMs: 9_000 } }], codex: [{ post: 'ok' }] },
      until: { turns: 1 },
    })
    const { trace } = await simulateTeam(made)
    expect(brokenLaws(made, trace)).toEqual([])
    const [first, second] = trace.turns
    if (first === undefined || second === undefined) throw new Error('two runs were expected')
    const planted: TeamTrace[] = [
      { ...trace, turns: [first, { ...second, engine: 'claude' }] },
      { ...trace, turns: [first, { ...second, participant: 'bo' }] },
      { ...trace, turns: [first, { ...second, atMs: 500 }] },
      {
        ...trace,
        turns: [
          { ...first, startedBy: 'gate' },
          { ...second, startedBy: 'gate' },
        ],
      },
      { ...trace, iterations: 2 },
      { ...trace, chargedRuntimeMs: 1_999 },
      { ...trace, states: [{ atMs: 0, state: 'rate_limited' }], sleeps: [{ fromMs: 0, toMs: 1, wokenBy: 'message' }] },
    ]
    expect(planted.filter((each) => brokenLaws(made, each).length === 0)).toEqual([])
  })
})

function count(seen: Map<string, number>, { states, turns }: TeamTrace): void {
  const whats = new Set([...states.map(({ state }) => `state ${state}`), ...turns.map(({ startedBy }) => `started by ${startedBy}`)])
  for (const what of whats) seen.set(what, (seen.get(what) ?? 0) + 1)
}
