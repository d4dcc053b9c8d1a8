import type { ActorEvent, PageEvent } from '../../../src/faces/page/page-event.ts'
import type { ToldFact } from '../../../src/host.ts'
import type { EntryDescription, LedgerRow, ParticipantStatus, TeamStatus } from '../../../src/index.ts'

/** An instant that the clocks of these events begin at: 2026-03-01T12:00:00Z. */
export const BEGIN = Date.UTC(2026, 2, 1, 12)
export const KERNEL = 'demo'

/** One of each event that a person would see in a small run: a failover, a hold, a team that waits for an approval. */
export function sampleEvents(text = 'Shall I go on?'): PageEvent[] {
  const requested = { profile: 'anthropic.main', model: 'claude-sonnet' }
  const served = { profile: 'openai.spare', model: 'gpt-5' }
  const facts: ToldFact[] = [
    { type: 'turn.started', turn: 'turn-1', at: BEGIN, requested, entries: ['anthropic.main/claude-sonnet', 'openai.spare/gpt-5'] },
    attemptStarted('turn-1', BEGIN + 10, 1, 'anthropic.main/claude-sonnet'),
    attemptEnded('turn-1', BEGIN + 900, 1, 'limit'),
    { type: 'hold.set', turn: 'turn-1', at: BEGIN + 900, hold: { key: 'anthropic.main', untilAt: BEGIN + 7_200_000, reason: 'limit' } },
    { type: 'wait.started', turn: 'turn-1', at: BEGIN + 900, ms: 800, why: 'backoff', key: 'openai.spare' },
    { type: 'wait.ended', turn: 'turn-1', at: BEGIN + 1_700, cut: false },
    attemptStarted('turn-1', BEGIN + 1_700, 2, 'openai.spare/gpt-5'),
    { type: 'output.committed', turn: 'turn-1', at: BEGIN + 2_300, n: 2 },
    attemptEnded('turn-1', BEGIN + 4_000, 2, 'ok'),
    turnEnded('turn-1', BEGIN + 4_000, BEGIN, requested, served),
    { type: 'turn.started', turn: 'turn-2', at: BEGIN + 5_000, requested, entries: [] },
    attemptStarted('turn-2', BEGIN + 5_010, 1, 'openai.spare/gpt-5'),
  ]
  return [
    ...facts.map(told),
    row('turn-1', 1, requested.profile, requested.model, null, null),
    row('turn-1', 2, served.profile, served.model, { input: 1_200, output: 340 }, 0.0123),
    { type: 'holds.changed', at: BEGIN + 900, kernel: KERNEL, holds: [{ key: 'anthropic.main', untilAt: BEGIN + 7_200_000, reason: 'limit' }] },
    planned(null, [entry('anthropic.main', 'claude-sonnet', BEGIN + 7_200_000), entry('openai.spare', 'gpt-5'), entry('ollama.local', null)]),
    planned('hint:fast', [entry('openai.spare', 'gpt-5-mini'), { ...entry('ollama.local', 'qwen3'), skip: 'no_tool_events' }]),
    actor('s:1', 'supervisor', 'supervisor', 'running', 'turn.started'),
    actor('t:1', 'turn', 'turn-1', 'served', 'attempt.ended', 'done'),
    actor('t:2', 'turn', 'turn-2', 'selecting', null),
    actor('t:2', 'turn', 'turn-2', 'streaming', 'xstate.init'),
    actor('e:1', 'engine', 'anthropic.main', 'available', null),
    actor('e:1', 'engine', 'anthropic.main', 'limited', 'hold.reported'),
    actor('e:2', 'engine', 'openai.spare', 'available', null),
    actor('m:1', 'team', 'team', 'paused', 'gate.opened'),
    { type: 'team.logged', at: BEGIN + 4_100, line: 'planner: limited until 14:00 — handing off to codex' },
    { type: 'team.posted', at: BEGIN + 4_200, post: { id: 1, at: BEGIN + 4_200, participant: 'planner', engine: 'codex', text } },
    { type: 'team.told', at: BEGIN + 4_300, event: { type: 'gate.opened', at: BEGIN + 4_300, participant: 'planner', post: 1 }, status: status() },
  ]
}

export function told(fact: ToldFact): PageEvent {
  return { type: 'turn.told', at: fact.at, kernel: KERNEL, participant: null, fact }
}

export function attemptStarted(turn: string, at: number, n: number, name: string): ToldFact {
  const [profile = '', model = ''] = name.split('/')
  return { type: 'attempt.started', turn, at, n, entry: name, profile, model, mode: 'stream' }
}

export function attemptEnded(turn: string, at: number, n: number, result: 'ok' | 'limit' | 'server' | 'cancelled'): ToldFact {
  const kind = result === 'limit' ? 'rate_limited' : result === 'server' ? 'server_error' : result
  return { type: 'attempt.ended', turn, at, n, entry: 'a/m', result: kind as 'ok', accepted: result === 'ok', usage: null, cost: null }
}

type Identity = { readonly profile: string; readonly model: string }

type Ended = Extract<ToldFact, { readonly type: 'turn.ended' }>

export function turnEnded(
  turn: string,
  at: number,
  startedAt: number,
  requested: Identity,
  served: Identity | null,
  kind: Ended['kind'] = served === null ? 'exhausted' : 'ok',
): ToldFact {
  const rest = {
    usage: null,
    cost: 0.0123,
    retryAt: null,
    attribution: null,
    recoveredFrom: null,
    historyShortened: false,
    unterminated: false,
    error: null,
  }
  return { type: 'turn.ended', turn, at, kind, requested, served, attempts: 2, startedAt, ...rest }
}

export function row(turn: string, n: number, profile: string, model: string, usage: LedgerRow['usage'], cost: number | null): PageEvent {
  const money = { cost, costPicoUsd: cost === null ? null : Math.round(cost * 1e12), reportedPicoUsd: null, price: null }
  const at = BEGIN + n * 1_000
  return {
    type: 'row.closed',
    at,
    row: {
      turn,
      n,
      iteration: null,
      requested: { profile, model },
      profile,
      model,
      mode: 'stream',
      startedAt: at - 900,
      endedAt: at,
      outcome: usage === null ? 'rate_limited' : 'ok',
      accepted: usage !== null,
      usage,
      costBasis: cost === null ? 'unknown' : 'metered',
      ...money,
    } as LedgerRow,
  }
}

export function entry(profile: string, model: string | null, untilAt: number | null = null): EntryDescription {
  const heldUntil = untilAt === null ? null : new Date(untilAt).toISOString()
  return { profile, model, pinned: model !== null, hold: profile, heldUntil, skip: untilAt === null ? null : 'held' }
}

export function planned(model: string | null, entries: readonly EntryDescription[]): PageEvent {
  const [first] = entries
  const requested = { profile: first?.profile ?? '', model: first?.model ?? '*' }
  return {
    type: 'chain.planned',
    at: BEGIN,
    kernel: KERNEL,
    model,
    plan: { target: requested.profile, requested, entries, allow: null, warnings: [] },
  }
}

export function actor(
  session: string,
  machine: string,
  name: string,
  state: string,
  event: string | null,
  status: ActorEvent['status'] = 'active',
): ActorEvent {
  return { type: 'actor.stepped', at: BEGIN + 4_000, kernel: KERNEL, session, parent: null, machine, name, state, status, event }
}

export function participant(id: string): ParticipantStatus {
  const free = { model: null, limitedUntil: null, stated: false, outUntil: null }
  const chain = [
    { ...free, engine: 'claude', limitedUntil: BEGIN + 7_200_000, stated: true },
    { ...free, engine: 'codex' },
  ]
  return { id, engine: 'codex', chain, gate: null, approved: false, done: false, silentRow: 0 }
}

export function status(change: Partial<TeamStatus> = {}): TeamStatus {
  return {
    state: 'running',
    since: BEGIN + 4_300,
    paused: null,
    end: null,
    ending: null,
    turns: 3,
    iterations: 4,
    chargedMs: 61_000,
    running: { n: 3, participant: 'reviewer', engine: 'codex', startedBy: 'pick', since: BEGIN + 4_300 },
    wake: null,
    participants: [{ ...participant('planner'), gate: 1 }, participant('reviewer')],
    lastPost: 1,
    ...change,
  }
}

export const TEAM = {
  name: 'night watch',
  participants: [
    { id: 'planner', path: '/srv/team/planner.md' },
    { id: 'reviewer', path: '/srv/team/reviewer.md' },
  ],
} as const

/** As the lines of a recorded file. */
export function recordedLines(events: readonly PageEvent[]): string[] {
  const opened: PageEvent = { type: 'page.opened', at: BEGIN, version: 1, title: 'a recorded run', showsText: false, team: TEAM, takesOrders: false }
  return [opened, ...events].map((event) => JSON.stringify(event))
}
