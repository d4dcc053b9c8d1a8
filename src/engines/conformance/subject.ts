import type { Clock } from '../../model/clock.ts'
import type { FailureKind } from '../../model/failure.ts'
import type { Timeouts } from '../../model/settings.ts'
import type { AttemptRequest, Engine, Flow } from '../contract.ts'
import type { ScriptedOutcome, ScriptedStream } from '../loopback/script.ts'

/**
 * What the conformance kit needs to know about an engine under test. A subject puts its engine into a situation and says how time
 * passes there. The kit itself has no clock, and deadlines are tried on a clock that is moved, so that a slow machine fails no engine.
 */
export interface ConformanceSubject {
  readonly name: string
  /** What this engine cannot be put into, each with the reason; those cases are reported as not applicable and not as passed. */
  readonly lacks?: Readonly<Partial<Record<Need, string>>>
  prepare(situation: Situation): Promise<Prepared>
}

/**
 * Abilities that not every engine or protocol has. `errorKinds`: an error inside a stream says of what kind it is. `earlyUsage`: counts may
 * come before the end. `cachedUsage`: input that was read from a cache is counted apart. `streaming`: text is told while it is made.
 * `toolCalls`: the model may call the tools of a caller. `finishReasons`: it is said why an answer ended where it did. `wire`: a failure has
 * what HTTP and the socket know of it, which are its status, the phase of the opening, the retry hint and the code of a broken connection.
 * `kind …`: a failure of this kind is told apart from those of other kinds.
 */
export type Need =
  | 'providerTools'
  | 'credentials'
  | 'reasoning'
  | 'keepAlive'
  | 'errorKinds'
  | 'earlyUsage'
  | 'cachedUsage'
  | 'streaming'
  | 'toolCalls'
  | 'finishReasons'
  | 'wire'
  | `kind ${FailureKind}`

export interface Situation {
  readonly mode: 'call' | 'stream'
  /** What the provider does, one item an attempt. */
  readonly items: readonly (ScriptedOutcome | ScriptedStream)[]
  /** Limits under test; every other one is off. */
  readonly timeouts?: Partial<Timeouts> | undefined
  /** The reader; one that is never slow by default. */
  readonly flow?: Flow | undefined
}

export interface Prepared {
  readonly engine: Engine
  readonly request: AttemptRequest
  readonly observe: Observation
  /** Lets time pass until `done` settles: true; false when nothing more can happen, or not soon enough. */
  until(done: Promise<unknown>): Promise<boolean>
  /** Lets everything happen that is ready to happen. */
  settle(): Promise<void>
  /** Moves the engine's clock by `ms` at once. */
  pass(ms: number): void
  dispose(): Promise<void>
}

/** What can be seen from the provider's side. */
export interface Observation {
  /** Attempts that reached the provider so far. */
  requests(): number
  /** Resolves once an attempt has reached the provider. */
  arrived(): Promise<unknown>
  /** Bytes that the provider has given the last attempt so far. */
  bytes(): number
  /** Whether the last attempt was broken off by the engine; waits until that can be told. */
  aborted(): Promise<boolean>
}

/** A clock whose time passes only when it is told. */
export interface SteppedClock extends Clock {
  /** Moves to the next wake and fires it; false when there is none. */
  step(): boolean
  /** Moves to the instant `at` (epoch ms), firing every wake that is due on the way. */
  moveTo(at: number): void
  readonly pending: number
}
