import type { StateValue } from 'xstate'

/**
 * What an inspector is told on the wire: the messages of `@statelyai/inspect`, with listed fields and no others.
 *
 * Nothing of an actor goes out that is not named here: no input, no output, no error, no event beyond its type, of a context only the figures of
 * `InspectedFigures` (R36).
 */
export type InspectionMessage = ActorMessage | EventMessage | SnapshotMessage

/** The version of `@statelyai/inspect` whose messages these are. */
export const INSPECTION_VERSION = '0.7.2'

/** Charts whose actors are told of; those of an actor that is none of ours stay unknown. */
export type InspectedChart = 'supervisor' | 'engine' | 'turn' | 'stream' | 'team'

interface MessageOf<Type extends string> {
  readonly type: Type
  /** The actor that it is about, as XState numbers it: unique within a process. */
  readonly sessionId: string
  /** The actor at the top of its tree. */
  readonly rootId: string
  /** Unique within a relay. */
  readonly id: string
  /** Wall clock, epoch ms, as text. */
  readonly createdAt: string
  readonly _version: string
}

/** An actor is there. */
export interface ActorMessage extends MessageOf<'@xstate.actor'> {
  /** `supervisor`, `engine-<hold key>`, `turn <turn id>`, `stream`, `team`. */
  readonly name: string
  /** Absent at the top of a tree. */
  readonly parentId: string | undefined
  /** The chart as JSON, as it was given to XState, without functions; absent where the viewer asked for none. */
  readonly definition: string | undefined
  /** Beyond the wire of `@statelyai/inspect`: whose chart to light; null for an actor that is none of ours. */
  readonly chart: InspectedChart | null
  readonly snapshot: InspectedState
}

/** An event was sent to an actor. */
export interface EventMessage extends MessageOf<'@xstate.event'> {
  readonly sourceId: string | undefined
  readonly event: { readonly type: string }
}

/** An actor has taken an event; where it stands now. */
export interface SnapshotMessage extends MessageOf<'@xstate.snapshot'> {
  readonly event: { readonly type: string }
  readonly snapshot: InspectedState
}

export interface InspectedState {
  readonly status: 'active' | 'done' | 'error' | 'stopped'
  /** The state of the chart; null for an actor that is none of ours. */
  readonly value: StateValue | null
  readonly context: InspectedFigures
  /** Never told. */
  readonly output: undefined
  readonly error: undefined
}

/**
 * supervisor: `inFlight`, `waiting` (turns) · engine: `heldUntil` (epoch ms) · turn: `attempt` (its number) · stream: `committed` ·
 * team: `runs`, `iterations`
 */
export type InspectedFigures = Readonly<Record<string, number | boolean | null>>

/** Who looks on. */
export interface InspectionViewer {
  /** Takes one message, at once. False: it has no room for another; it is given no more until it resumes. */
  take(message: InspectionMessage): boolean
  /** Called at a resume after messages were left out, before every actor is told afresh: how many. */
  missed?(count: number): void
}

export interface InspectionView {
  /** There is room again. What was left out is made up for by every actor with its last state. */
  resume(): void
  detach(): void
}

export interface InspectionViewOptions {
  /** False leaves the charts out of the actors, for a viewer that has them. True by default. */
  readonly definitions?: boolean | undefined
}
