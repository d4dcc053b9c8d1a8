import type { Trace, TurnTrace } from '../../src/simulate/trace.ts'

/**
 * What of a trace does not depend on how long an answer took: who was asked, how it ended, what was waited for and why, what is held,
 * what the ledger says, what a reader saw. Instants are left out; the lengths that the kernel itself plans are kept.
 */
export function essence(trace: Trace): Readonly<Record<string, unknown>> {
  const holds = Object.fromEntries(Object.entries(trace.holds).map(([key, hold]) => [key, hold.reason]))
  return { turns: trace.turns.map(turnEssence), holds, ledger: trace.ledger }
}

function turnEssence(turn: TurnTrace): Readonly<Record<string, unknown>> {
  const { atMs: _, retryAtMs, ...outcome } = turn.outcome ?? {}
  return {
    ...turn,
    attempts: turn.attempts.map(({ atMs: _, ...attempt }) => attempt),
    waits: turn.waits.map(({ why, ms }) => (why === 'hold' ? { why } : { why, ms })),
    outcome: turn.outcome === null ? null : { ...outcome, hasRetryAt: typeof retryAtMs === 'number' },
    sinkEvents: joined(turn.sinkEvents),
  }
}

/** What a sink was handed, without regard to how it was cut into pieces: texts joined, and of drafts the last. */
function joined(events: TurnTrace['sinkEvents']): Readonly<Record<string, unknown>>[] {
  const result: Record<string, unknown>[] = []
  for (const event of events) {
    const last = result.at(-1)
    const key = Object.keys(event)[0] ?? ''
    if (last === undefined || !(key in last) || !(key === 'text' || key === 'reasoning' || key === 'draft')) result.push({ ...event })
    else last[key] = key === 'draft' ? event[key] : `${last[key]}${event[key]}`
  }
  return result
}
