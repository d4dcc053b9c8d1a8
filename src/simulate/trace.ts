import type { Hold } from '../model/hold.ts'
import type { FailureEvent, Outcome } from '../model/outcome.ts'
import type { Diagnostic, Identity } from '../model/plan.ts'
import type { TurnEvent } from '../model/turn-event.ts'
import type { LedgerRow, Usage } from '../model/usage.ts'

/** What a simulated scenario printed (docs/scenarios.md). All times are ms from the scenario's start. */
export interface Trace {
  readonly format: 1
  readonly id: string
  readonly turns: readonly TurnTrace[]
  readonly holds: Readonly<Record<string, { readonly untilMs: number; readonly reason: string }>>
  readonly ledger: readonly TraceRow[]
  readonly warnings: readonly { readonly code: string; readonly path: string }[]
}

export interface TurnTrace {
  readonly id: string
  readonly requested: Identity | null
  readonly served: Identity | null
  readonly attempts: readonly TraceAttempt[]
  readonly waits: readonly { readonly atMs: number; readonly ms: number; readonly why: string }[]
  readonly failures: readonly Pick<FailureEvent, 'event' | 'attempt' | 'of' | 'reason' | 'kind'>[]
  readonly outcome: Readonly<Record<string, unknown>> | null
  readonly attribution: { readonly requested: Identity; readonly served: Identity } | null
  readonly notice: string | null
  readonly sinkEvents: readonly Readonly<Record<string, unknown>>[]
}

interface TraceAttempt {
  readonly n: number
  readonly entry: string
  readonly mode: string
  readonly atMs: number
  readonly result: string | null
  readonly accepted: boolean
  readonly unscripted?: true
}

interface TraceRow {
  readonly turn: string
  readonly n: number
  readonly profile: string
  readonly model: string
  readonly mode: string
  readonly outcome: string | null
  readonly accepted: boolean
  readonly usage: Usage | null
  readonly cost: number | null
}

/** What was seen of one turn while it ran. */
export interface Watched {
  readonly id: string
  readonly events: readonly TurnEvent[]
  readonly outcome: Outcome | null
  /** Numbers of the attempts that were asked for beyond the script. */
  readonly unscripted: ReadonlySet<number>
}

export function turnTrace(turn: Watched, startAt: number): TurnTrace {
  const { outcome, events } = turn
  return {
    id: turn.id,
    requested: outcome?.requested ?? startedAs(events),
    served: outcome?.served ?? null,
    attempts: attemptsOf(turn, startAt),
    waits: events.flatMap((event) => (event.type === 'wait.started' ? [{ atMs: event.at - startAt, ms: event.ms, why: event.why }] : [])),
    failures: (outcome?.failures ?? []).map(({ event, attempt, of, reason, kind }) => ({ event, attempt, of, reason, kind })),
    outcome: outcome === null ? null : outcomeTrace(outcome, startAt),
    attribution: outcome?.attribution ?? null,
    notice: outcome?.notice ?? null,
    sinkEvents: events.flatMap(sinkEvent),
  }
}

function startedAs(events: readonly TurnEvent[]): Identity | null {
  const started = events.find((event) => event.type === 'turn.started')
  return started?.requested ?? null
}

function attemptsOf(turn: Watched, startAt: number): TraceAttempt[] {
  const ended = new Map<number, Extract<TurnEvent, { type: 'attempt.ended' }>>()
  for (const event of turn.events) if (event.type === 'attempt.ended') ended.set(event.n, event)
  return turn.events.flatMap((event) => {
    if (event.type !== 'attempt.started') return []
    const { n, entry, mode, at } = event
    const end = ended.get(n)
    const attempt = { n, entry, mode, atMs: at - startAt, result: end?.result ?? null, accepted: end?.accepted ?? false }
    return [turn.unscripted.has(n) ? { ...attempt, unscripted: true as const } : attempt]
  })
}

function outcomeTrace(outcome: Outcome, startAt: number): Readonly<Record<string, unknown>> {
  const { kind, text, toolCalls, partialText, retryAt, recoveredFrom, historyShortened, error } = outcome
  const trace = {
    kind,
    text,
    toolCalls,
    partialText,
    retryAtMs: retryAt === null ? null : retryAt - startAt,
    recoveredFrom,
    atMs: outcome.endedAt - startAt,
    historyShortened,
  }
  return error === null ? trace : { ...trace, error: { code: error.code, path: error.path } }
}

/** What the sinks were handed while the answer streamed; a recovered answer is not part of it (C31). */
function sinkEvent(event: TurnEvent): Readonly<Record<string, unknown>>[] {
  switch (event.type) {
    case 'text':
      return [{ text: event.text }]
    case 'reasoning':
      return [{ reasoning: event.text }]
    case 'draft':
      return [{ draft: event.text }]
    case 'providerToolCall':
      return [{ providerToolCall: { name: event.name, arguments: event.arguments } }]
    case 'providerToolResult':
      return [{ providerToolResult: { ...(event.name === null ? {} : { name: event.name }), output: event.output } }]
    default:
      return []
  }
}

export function holdTraces(holds: readonly Hold[], startAt: number): Trace['holds'] {
  return Object.fromEntries(holds.map((hold) => [hold.key, { untilMs: hold.untilAt - startAt, reason: hold.reason }]))
}

export function rowTrace(row: LedgerRow): TraceRow {
  const { turn, n, profile, model, mode, outcome, accepted, usage, cost } = row
  return { turn, n, profile, model, mode, outcome, accepted, usage, cost }
}

export function warningTraces(warnings: readonly Diagnostic[]): Trace['warnings'] {
  return warnings.map(({ code, path }) => ({ code, path }))
}

/** The trace of a turn that no kernel could be made for (C23). */
export function unstartedTrace(id: string, problem: Diagnostic, atMs: number): TurnTrace {
  const error = { code: problem.code, path: problem.path }
  return {
    id,
    requested: null,
    served: null,
    attempts: [],
    waits: [],
    failures: [],
    outcome: {
      kind: 'config_error',
      text: '',
      toolCalls: [],
      partialText: null,
      retryAtMs: null,
      recoveredFrom: null,
      atMs,
      historyShortened: false,
      error,
    },
    attribution: null,
    notice: null,
    sinkEvents: [],
  }
}
