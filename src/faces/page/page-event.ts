import type { ToldFact } from '../../host.ts'
import type { Hold, LedgerRow, PlanDescription, Post, TeamEvent, TeamStatus } from '../../index.ts'

/**
 * What the page is told, live over server-sent events and from a recording alike: one JSON object each, a line each in a file.
 *
 * 1. A page that comes late, or opens a recording, sees the same as one that was there: everything it shows is made of these, in order.
 * 2. No text of a prompt, an answer or a post is in any, unless the host asked for it by name (R36); `page.opened` says whether.
 * 3. All instants are epoch ms on the clock of the kernel that is looked at; `page.opened` and `page.time` say how late it is there.
 * 4. `page.opened` begins anew: whatever was shown before is forgotten. A stream that was cut is asked for again and begins with it.
 *
 * Live they come from GET /api/events, each as a message of server-sent events without a name: `id: <number>`, `data: <the event on one line>`.
 * A line that begins with `:` is a sign of life, every 15 s. Where the page was opened with `#token=…`, every request to /api/ has the header
 * `x-relevo-token`; beyond this machine nothing is told without it (403), so that the stream is read with `fetch`, which can send a header.
 * An order is answered with 200 and `PageAnswer`, or with 400, 403, 404, 409 and one.
 */
export type PageEvent =
  /** The first of every stream and recording. */
  | {
      readonly type: 'page.opened'
      readonly at: number
      /** Of the format; 1. */
      readonly version: 1
      /** What is looked at, for the title. */
      readonly title: string
      readonly showsText: boolean
      /** A team is at work, and what its page may order; null without one. */
      readonly team: { readonly name: string; readonly participants: readonly PageParticipant[] } | null
      /** Whether orders are taken here; never from a recording. */
      readonly takesOrders: boolean
    }
  /** How late it is, so that countdowns run on the clock that is looked at. `rate`: times as fast as the wall; 0 where it stands. */
  | { readonly type: 'page.time'; readonly at: number; readonly rate: number }
  /**
   * The last of a live stream. `slow`: this page did not keep up, and is to ask again; `over`: what was looked at has ended, and nothing listens
   * any more.
   */
  | { readonly type: 'page.closed'; readonly at: number; readonly why: 'slow' | 'over' }
  /** A team that began after the page was opened, in the place of `page.opened.team`. */
  | { readonly type: 'team.opened'; readonly at: number; readonly name: string; readonly participants: readonly PageParticipant[] }
  /** What a turn told, of the kernel of this name. */
  | { readonly type: 'turn.told'; readonly at: number; readonly kernel: string; readonly participant: string | null; readonly fact: ToldFact }
  /** A closed attempt as the ledger has it. */
  | { readonly type: 'row.closed'; readonly at: number; readonly row: LedgerRow }
  /** What a turn would try now, by what is asked: null for the settings' own choice, else `hint:<name>`. Told anew when holds change. */
  | { readonly type: 'chain.planned'; readonly at: number; readonly kernel: string; readonly model: string | null; readonly plan: PlanDescription }
  | { readonly type: 'holds.changed'; readonly at: number; readonly kernel: string; readonly holds: readonly Hold[] }
  /** An actor began, stepped or ended: what the charts are lit by. */
  | ActorEvent
  | { readonly type: 'team.told'; readonly at: number; readonly event: TeamEvent; readonly status: TeamStatus }
  /** A line of the team's log, as the console prints it. */
  | { readonly type: 'team.logged'; readonly at: number; readonly line: string }
  /** A post of the thread; its text only where the host shows text. */
  | { readonly type: 'team.posted'; readonly at: number; readonly post: Omit<Post, 'text'> & { readonly text: string | null } }

export interface ActorEvent {
  readonly type: 'actor.stepped'
  readonly at: number
  readonly kernel: string
  /** Of the kernel's system, unique in it. */
  readonly session: string
  readonly parent: string | null
  /** Id of the chart: `supervisor`, `turn`, `stream`, `engine`, `team`. */
  readonly machine: string
  /** What it is about: a turn's name, an engine's key. */
  readonly name: string
  readonly state: string
  readonly status: 'active' | 'done' | 'error' | 'stopped'
  /** Type of the event that brought it there; null at the start. */
  readonly event: string | null
}

export interface PageParticipant {
  readonly id: string
  /** Where the file of it is; null where it has none. */
  readonly path: string | null
}

/** What a person orders on the page; POST /api/orders with the header `x-relevo-token`. */
export type PageOrder =
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  | { readonly do: 'stop'; readonly immediate: boolean }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'approve'; readonly participant: string }
  /** Lifts a hold before its time. */
  | { readonly do: 'clearHold'; readonly kernel: string; readonly key: string }

/** `message`: what went wrong, in one line. `value`: what the order came to; `{ post }` after `say`, `{ approved }`, `{ cleared }`. */
export type PageAnswer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }
