import type { Member, PauseCause, RunState, StartedBy, TeamEnd } from '../../model/team.ts'
import { chargedBy, placeOf, type TeamMemory } from './team-memory.ts'

/** How a run of a team stands, for people and programs that look at it. Instants are epoch ms. No text of a post is in it (R36). */
export interface TeamStatus {
  readonly state: RunState
  /** When it was entered. */
  readonly since: number
  /** Why it is paused; null unless it is. */
  readonly paused: PauseCause | null
  /** Why it is over; null while it is not. */
  readonly end: TeamEnd | null
  /** Stop or pause was asked for while a call runs, which is let end (G22). */
  readonly ending: 'stop' | 'pause' | null
  readonly turns: number
  readonly iterations: number
  readonly chargedMs: number
  readonly running: RunningCall | null
  /** When it looks again, and what for; null when it does not wait. */
  readonly wake: { readonly at: number; readonly by: 'reset' | 'probe' } | null
  readonly participants: readonly ParticipantStatus[]
  /** Newest post; 0 before the first. */
  readonly lastPost: number
}

export interface RunningCall {
  readonly n: number
  readonly participant: string
  readonly engine: string
  readonly startedBy: StartedBy
  readonly since: number
}

export interface ParticipantStatus {
  readonly id: string
  /** The engine at which it stands in its chain; null when this machine has none of them. */
  readonly engine: string | null
  readonly chain: readonly EngineStatus[]
  /** Its question to the person waits for an answer: the post that asks; null when it has none. */
  readonly gate: number | null
  readonly approved: boolean
  readonly done: boolean
  readonly silentRow: number
}

export interface EngineStatus {
  readonly engine: string
  readonly model: string | null
  /** Limited until then; null when it is not. `stated`: a reset that the provider stated, else a time to look again. */
  readonly limitedUntil: number | null
  readonly stated: boolean
  /** Its provider is out of reach until then; null when it is not. */
  readonly outUntil: number | null
}

export interface StatusView {
  readonly members: readonly Member[]
  readonly memory: TeamMemory
  readonly state: RunState
  readonly since: number
  readonly running: RunningCall | null
  readonly gatePosts: ReadonlyMap<string, number>
  readonly lastPost: number
  readonly end: TeamEnd | null
  readonly now: number
  readonly elapsedMs: number
}

export function teamStatus({ members, memory, state, since, running, gatePosts, lastPost, end, now, elapsedMs }: StatusView): TeamStatus {
  const { wait, stopping, pausing, begun, iterations } = memory
  const isOver = state === 'stopped'
  return {
    state,
    since,
    paused: state === 'paused' ? (pausing ?? memory.paused ?? 'pause') : null,
    end,
    ending: isOver ? null : stopping ? 'stop' : pausing === null || state === 'paused' ? null : 'pause',
    turns: begun,
    iterations,
    chargedMs: chargedBy(memory, elapsedMs),
    running,
    wake: WAITING.has(state) && wait !== null ? { at: wait.untilAt, by: wait.by } : null,
    participants: members.map((member) => participantStatus(member, memory, gatePosts, now)),
    lastPost,
  }
}

const WAITING: ReadonlySet<RunState> = new Set(['rate_limited', 'unreachable', 'backing_off', 'waiting'])

function participantStatus({ id, entries }: Member, memory: TeamMemory, gatePosts: ReadonlyMap<string, number>, now: number): ParticipantStatus {
  const { limits, outages } = memory.register
  return {
    id,
    engine: entries[placeOf(memory, id).at]?.engine ?? entries[0]?.engine ?? null,
    chain: entries.map(({ engine, provider, model }) => {
      const limit = limits.get(engine)
      const outage = outages.get(provider)
      const isLimited = limit !== undefined && limit.untilAt > now
      return {
        engine,
        model,
        limitedUntil: isLimited ? limit.untilAt : null,
        stated: isLimited && limit.stated,
        outUntil: outage !== undefined && outage.untilAt > now ? outage.untilAt : null,
      }
    }),
    gate: memory.gates.has(id) ? (gatePosts.get(id) ?? 0) : null,
    approved: memory.approved.includes(id),
    done: memory.done.has(id),
    silentRow: memory.silentRows.get(id) ?? 0,
  }
}
