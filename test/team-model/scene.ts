import fc from 'fast-check'
import type { RunResult, TeamSettings } from '../../src/model/team.ts'

/** Who works, on a machine that has these programs, and by which settings. */
export interface Scene {
  readonly participants: readonly { readonly id: string; readonly provider: string; readonly failover: readonly string[] }[]
  readonly installed: readonly string[]
  /** Null: every participant in turn. */
  readonly picks: readonly string[] | null
  readonly settings: TeamSettings
}

/** What a host and its engines do to a team: the product and the model are both driven through it. */
export interface Side {
  start(): void
  pause(): void
  resume(): void
  stop(immediate: boolean): void
  /** The person has posted; `asked`: whom they mention. */
  message(asked: string | null): void
  openGate(id: string): void
  approve(id: string): void
  /** The call in flight comes to this. */
  endCall(result: RunResult): void
  advance(ms: number): void
  suspend(ms: number): void
  moveClock(ms: number): void
  /** The process is killed and another one is made: with a new thread, or where this one left off. */
  restart(goesOn: boolean): void
}

export const IDS = ['ana', 'bo', 'cy', 'di'] as const
const ENGINES = ['claude', 'claude:haiku', 'codex', 'agy', 'openai.work:gpt-5'] as const
const PROVIDERS = ['claude', 'codex', 'agy', 'openai.work'] as const

const settings: fc.Arbitrary<TeamSettings> = fc.record({
  maxIterations: fc.constantFrom(null, null, null, 4, 25),
  maxRuntimeMin: fc.constantFrom(null, null, null, 30, 400),
  maxWaitMin: fc.constantFrom(null, 15),
  sleepSliceMs: fc.constantFrom(60_000, 900_000),
  minHoldMs: fc.constantFrom(0, 0, 120_000),
})

/** At least one participant has a program: a team without any is refused before it runs. */
export const scene: fc.Arbitrary<Scene> = fc
  .integer({ min: 1, max: IDS.length })
  .chain((size) => {
    const ids = IDS.slice(0, size)
    const participant = (id: string) =>
      fc.record({
        id: fc.constant(id),
        provider: fc.constantFrom(...PROVIDERS),
        failover: fc.oneof(fc.constant([]), fc.uniqueArray(fc.constantFrom(...ENGINES), { minLength: 1, maxLength: 3 })),
      })
    return fc.record({
      participants: fc.tuple(...ids.map(participant)),
      installed: fc.oneof(
        { weight: 4, arbitrary: fc.constant<string[]>([...PROVIDERS]) },
        { weight: 1, arbitrary: fc.subarray<string>([...PROVIDERS], { minLength: 1 }) },
      ),
      picks: fc.oneof(
        { weight: 3, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.array(fc.constantFrom(...ids), { minLength: 1, maxLength: 5 }) },
      ),
      settings,
    })
  })
  .filter(({ participants, installed }) =>
    participants.some((each) => [each.provider, ...each.failover].some((engine) => installed.includes(providerOf(engine)))),
  )

function providerOf(engine: string): string {
  return engine.split(':')[0] ?? engine
}
