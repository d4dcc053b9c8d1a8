import type { ToldFact } from '../../../host.ts'
import type { CostBasis, Hold, LedgerRow, PlanDescription, TeamStatus } from '../../../index.ts'
import type { ActorEvent, PageEvent, PageParticipant } from '../page-event.ts'

/**
 * Everything that the page shows, made of events alone: a recording and a live stream that told the same look the same.
 *
 * 1. It is a value. Nobody writes into one that was handed out.
 * 2. Each list in it is bounded, however long the page stays open; what went is counted where a person would miss it.
 * 3. Names from outside are keys of maps and never of objects.
 */
export interface PageState {
  /** Null before the first event. */
  readonly opened: Opened | null
  /** Why nothing more comes of it; null while it goes on. */
  readonly closed: 'slow' | 'over' | null
  /** The latest instant that was told. */
  readonly at: number
  /** How late it was when `page.time` said so. */
  readonly clock: { readonly at: number; readonly rate: number }
  /** By kernel and name, in the order in which they were first told of. */
  readonly turns: ReadonlyMap<string, Turn>
  /** Attempts that `turns` hold, and those that were let go. */
  readonly attempts: { readonly held: number; readonly gone: number }
  /** The latest, in the order in which they closed. */
  readonly rows: readonly LedgerRow[]
  /** Over all rows that were told, by profile and model. */
  readonly sums: ReadonlyMap<string, LedgerSum>
  /** By kernel and what is asked. */
  readonly chains: ReadonlyMap<string, Chain>
  /** By kernel. */
  readonly holds: ReadonlyMap<string, readonly Hold[]>
  /** By kernel and session. */
  readonly actors: ReadonlyMap<string, Actor>
  /** Keys of those that are over, in the order in which they ended. */
  readonly endedActors: readonly string[]
  readonly team: TeamStatus | null
  readonly posts: readonly TeamPost[]
  readonly log: readonly LogLine[]
  /** What a screen reader is told; `n` counts, so that the same words can be said twice. */
  readonly said: { readonly n: number; readonly text: string }
}

export interface Opened {
  readonly title: string
  readonly showsText: boolean
  readonly takesOrders: boolean
  readonly team: { readonly name: string; readonly participants: readonly PageParticipant[] } | null
}

export interface Turn {
  readonly key: string
  readonly kernel: string
  readonly turn: string
  readonly participant: string | null
  /** Of its first fact. */
  readonly startedAt: number
  readonly endedAt: number | null
  /** How it ended; null while it goes on. */
  readonly kind: Extract<ToldFact, { readonly type: 'turn.ended' }>['kind'] | null
  readonly requested: { readonly profile: string; readonly model: string } | null
  readonly served: { readonly profile: string; readonly model: string } | null
  readonly attempts: readonly Attempt[]
  readonly waits: readonly Wait[]
  /** Entries that were passed over, warnings and recoveries, in words and in order. */
  readonly remarks: readonly { readonly at: number; readonly text: string }[]
  /** USD; null while unknown. */
  readonly cost: number | null
}

export interface Attempt {
  readonly n: number
  readonly entry: string
  readonly mode: 'stream' | 'call'
  readonly startedAt: number
  readonly endedAt: number | null
  /** When the first content went to the reader: from there on nothing is taken back. */
  readonly committedAt: number | null
  readonly result: string | null
  readonly accepted: boolean
  /** USD; null while unknown. */
  readonly cost: number | null
}

export interface Wait {
  readonly startedAt: number
  readonly endedAt: number | null
  readonly ms: number
  readonly why: string
  readonly key: string
  readonly cut: boolean
}

export interface Chain {
  readonly kernel: string
  readonly model: string | null
  readonly at: number
  readonly plan: PlanDescription
}

export interface LedgerSum {
  readonly profile: string
  readonly model: string
  readonly attempts: number
  readonly input: Known
  readonly output: Known
  readonly cached: Known
  /** Of the rows that are billed by the call. */
  readonly costPicoUsd: Known
  readonly bases: Readonly<Record<CostBasis, number>>
}

/** A sum of what was told, and of how many rows it was not: those are not zero. */
export interface Known {
  readonly sum: number
  readonly told: number
  readonly unknown: number
}

export interface Actor extends Omit<ActorEvent, 'type' | 'at'> {
  readonly key: string
  /** When it came to the present state. */
  readonly since: number
  /** The state before; null at the start. */
  readonly before: string | null
  readonly steps: number
}

export type TeamPost = Extract<PageEvent, { readonly type: 'team.posted' }>['post']

export interface LogLine {
  readonly at: number
  readonly line: string
}

/** How much is kept of what never ends. */
export const BOUNDS = {
  attempts: 10_000,
  turns: 10_000,
  attemptsOfATurn: 1_000,
  remarksOfATurn: 100,
  rows: 10_000,
  sums: 1_000,
  actors: 5_000,
  endedActors: 200,
  chains: 200,
  posts: 1_000,
  log: 1_000,
} as const

export const EMPTY: PageState = {
  opened: null,
  closed: null,
  at: 0,
  clock: { at: 0, rate: 0 },
  turns: new Map(),
  attempts: { held: 0, gone: 0 },
  rows: [],
  sums: new Map(),
  chains: new Map(),
  holds: new Map(),
  actors: new Map(),
  endedActors: [],
  team: null,
  posts: [],
  log: [],
  said: { n: 0, text: '' },
}

/** Two names as one key; neither can be taken for the other. */
export function keyOf(first: string, second: string): string {
  return JSON.stringify([first, second])
}
