import type { Trace, TurnTrace } from '../../src/simulate/trace.ts'

/**
 * What of a trace does not depend on how long an answer took: who was asked, how it ended, what was waited for and why, what is held,
 * what the ledger says, what a reader saw. Instants are left out; the lengths that the kernel itself plans are kept.
 */
export function essence(trace: Trace): Readonly<Record<string, unknown>> {
  const holds = Object.fromEntries(Object.entries(trace.holds).map(([key, hold]) => [key, hold.reason]))
  const ledger = trace.ledger.map((row) => (row.mode === 'stream' ? { ...row, outcome: oneWord(row.outcome) } : row))
  return { turns: trace.turns.map(turnEssence), holds, ledger }
}

/**
 * A connection that breaks inside a stream is `network` in a scenario and `truncated` on the wire (wire.md §0). Both mean the same for the
 * walk, so they are compared as one word.
 */
function oneWord(kind: string | null): string | null {
  return kind === 'network' ? 'truncated' : kind
}

function turnEssence(turn: TurnTrace): Readonly<Record<string, unknown>> {
  const { atMs: _, retryAtMs, ...outcome } = turn.outcome ?? {}
  return {
    ...turn,
    attempts: turn.attempts.map(({ atMs: _, ...attempt }) => (attempt.mode === 'stream' ? { ...attempt, result: oneWord(attempt.result) } : attempt)),
    // A stream is always 1 of 1 (C28); of calls the attempts above keep the exact word.
    failures: turn.failures.map((failure) => (failure.of === 1 ? { ...failure, kind: oneWord(failure.kind) } : failure)),
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
