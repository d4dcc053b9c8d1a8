import type { TeamScenario } from '../../src/simulate/team-scenario.ts'
import type { TeamTrace, TeamTraceTurn } from '../../src/simulate/team-trace.ts'

/**
 * What holds of any run of a team, read from its trace by arithmetic of its own: nothing here calls a decision of the product. Of a
 * scenario with `suspend` or `clock` nothing is said, since its timers and deadlines part.
 */
export function brokenLaws(scenario: TeamScenario, trace: TeamTrace): string[] {
  if (scenario.steps.some((step) => step.do === 'suspend' || step.do === 'clock')) return []
  const rows = rowsOf(scenario, trace)
  return [
    ...callsOnHeldEngines(rows),
    ...turnsOutOfOrder(trace, rows),
    ...approvedElsewhere(scenario, rows),
    ...sleepsCutByOthers(trace),
    ...runsWhileStopped(trace),
    ...wrongBooks(trace, rows),
    ...sleepsBeyondTheEarliest(scenario, trace, rows),
  ]
}

interface Row extends TeamTraceTurn {
  readonly endMs: number
  /** Until when the engine is limited by this run; null: it is not. */
  readonly limitedUntilMs: number | null
  readonly isOver: boolean
}

const MINUTE = 60_000
const OUTAGES = [1, 2, 4, 8, 15]

function rowsOf({ engines, startAt }: TeamScenario, { turns, end }: TeamTrace): Row[] {
  const used = new Map<string, number>()
  return turns.map((turn) => {
    const script = engines[turn.engine] ?? []
    const at = used.get(turn.engine) ?? 0
    used.set(turn.engine, at + 1)
    const item = script[Math.min(at, script.length - 1)]
    const isOver = turn.result !== null
    const endMs = isOver ? turn.atMs + (item?.tookMs ?? 1_000) : end.atMs
    const limitedUntilMs = isOver && item !== undefined && 'limit' in item ? limitedUntil(turn.engine, item.limit, endMs, Date.parse(startAt)) : null
    return { ...turn, endMs, limitedUntilMs, isOver }
  })
}

type Limit = Extract<TeamScenario['engines'][string][number], { limit: unknown }>['limit']

function limitedUntil(engine: string, limit: Limit, endMs: number, startAt: number): number {
  if (!('resetInMs' in limit) && !('resetAt' in limit)) return endMs + (/^claude\b/.test(engine) ? 60 : 30) * MINUTE
  const resetMs = 'resetInMs' in limit ? endMs + limit.resetInMs : Date.parse(limit.resetAt) - startAt
  return resetMs <= endMs ? endMs + MINUTE : resetMs
}

const providerOf = (engine: string): string => engine.split(':')[0] ?? engine

/** Until when each engine is limited and each provider out, by what had been reported before row `index`. */
function heldBefore(rows: readonly Row[], index: number): { limited: Map<string, number>; out: Map<string, number> } {
  const limited = new Map<string, number>()
  const out = new Map<string, number>()
  const tries = new Map<string, number>()
  for (const row of rows.slice(0, index)) {
    if (!row.isOver) continue
    const provider = providerOf(row.engine)
    if (row.limitedUntilMs !== null) limited.set(row.engine, row.limitedUntilMs)
    if (row.result !== 'network') {
      out.delete(provider)
      tries.delete(provider)
      continue
    }
    const tried = (tries.get(provider) ?? 0) + 1
    tries.set(provider, tried)
    out.set(provider, row.endMs + (OUTAGES[Math.min(tried, 5) - 1] ?? 15) * MINUTE)
  }
  return { limited, out }
}

/** T2, T18: an engine that is known to be limited, or whose provider is out, is not called. */
function callsOnHeldEngines(rows: readonly Row[]): string[] {
  return rows.flatMap((row, index) => {
    const { limited, out } = heldBefore(rows, index)
    const until = Math.max(limited.get(row.engine) ?? 0, out.get(providerOf(row.engine)) ?? 0)
    return until > row.atMs ? [`row ${index}: ${row.engine} called at ${row.atMs}, held until ${until}`] : []
  })
}

/** One call at a time, none behind the end; turns are numbered through from 1. */
function turnsOutOfOrder({ end }: TeamTrace, rows: readonly Row[]): string[] {
  return rows.flatMap((row, index) => {
    const before = rows[index - 1]
    const isNext = row.n === (before?.n ?? 0) || row.n === (before?.n ?? 0) + 1
    return [
      ...(row.endMs > end.atMs ? [`row ${index} ends behind the end`] : []),
      ...(row.atMs < (before?.endMs ?? 0) ? [`row ${index} begins before the one before it ended`] : []),
      ...(isNext && row.n > 0 ? [] : [`row ${index}: turn ${row.n} behind ${before?.n}`]),
      ...(before === undefined ? [] : wrongNeighbours(before, row).map((what) => `row ${index}: ${what}`)),
      ...(handedToGiver(rows.slice(0, index), row) ? [`row ${index}: handed to the giver`] : []),
    ]
  })
}

/** T9: a handoff is to somebody else. The turn of an approved gate may come between the two; it hands off to nobody (T12). */
function handedToGiver(earlier: readonly Row[], row: Row): boolean {
  const giver = earlier.findLast(({ n, startedBy }) => n !== row.n && startedBy !== 'gate')
  return row.startedBy === 'handoff' && giver?.participant === row.participant
}

/** T9, T11, T12: the runs of one turn are one participant's, and all but the last were held. */
function wrongNeighbours(before: Row, row: Row): string[] {
  if (row.n !== before.n) return []
  const isSame = row.participant === before.participant && row.startedBy === before.startedBy
  return [
    ...(isSame ? [] : ['a hop to somebody else']),
    ...(before.result === 'limited' || before.result === 'network' ? [] : [`a hop after ${before.result}`]),
    ...(row.startedBy === 'gate' ? ['an approved turn hopped'] : []),
  ]
}

/** T12: an approved turn runs on its participant's own provider, and there is at most one for each gate. */
function approvedElsewhere({ participants }: TeamScenario, rows: readonly Row[]): string[] {
  return rows.flatMap((row, index) => {
    const own = participants.find(({ id }) => id === row.participant)?.provider
    return row.startedBy === 'gate' && row.engine !== own ? [`row ${index}: an approved turn on ${row.engine}`] : []
  })
}

/** T17, G11: no message ends a sleep. */
function sleepsCutByOthers({ sleeps, states }: TeamTrace): string[] {
  return sleeps.flatMap(({ fromMs, wokenBy }, index) => {
    const state = states.findLast(({ atMs, state: each }) => atMs <= fromMs && each !== 'running' && each !== 'paused')?.state
    const isSleep = state === 'rate_limited' || state === 'unreachable'
    return isSleep && wokenBy === 'message' ? [`sleep ${index}: ${state} ended by a message`] : []
  })
}

function runsWhileStopped({ states, turns }: TeamTrace): string[] {
  return turns.flatMap(({ atMs }, index) => {
    const state = states.findLast((each) => each.atMs <= atMs)?.state
    return state === 'paused' && !states.some((each) => each.atMs === atMs && each.state === 'running') ? [`row ${index}: a call in a pause`] : []
  })
}

/** G01, G12: iterations and charged time, counted again. */
function wrongBooks({ iterations, chargedRuntimeMs, sleeps, states, end }: TeamTrace, rows: readonly Row[]): string[] {
  const last = new Map(rows.map((row) => [row.n, row.result]))
  const counted = [...last.values()].filter((result) => result !== null && result !== 'limited' && result !== 'network').length
  const calls = rows.reduce((sum, row) => sum + row.endMs - row.atMs, 0)
  const waits = sleeps.reduce((sum, { fromMs, toMs }) => {
    const state = states.findLast(({ atMs, state: each }) => atMs === fromMs && each !== 'running' && each !== 'paused' && each !== 'stopped')?.state
    return state === 'backing_off' || state === 'waiting' ? sum + (toMs ?? end.atMs) - fromMs : sum
  }, 0)
  return [
    ...(counted === iterations ? [] : [`${iterations} iterations told, ${counted} counted`]),
    ...(calls + waits === chargedRuntimeMs ? [] : [`${chargedRuntimeMs} ms charged, ${calls} + ${waits} counted`]),
  ]
}

/** T16: while everybody waits nobody's engine is free; a kept turn may wait for its own (T12), so those scenarios have no gate. */
function sleepsBeyondTheEarliest(scenario: TeamScenario, { sleeps, states, end }: TeamTrace, rows: readonly Row[]): string[] {
  // What a program printed says when its limit ends; to read that is not the business of a law.
  const hasRaw = Object.values(scenario.engines).some((runs) => runs.some((run) => 'raw' in run))
  if (hasRaw || scenario.steps.some((step) => step.do === 'gate')) return []
  const named = scenario.participants.flatMap(({ provider, failover }) => [provider, ...failover])
  const engines = [...new Set(named)].filter((engine) => isThere(scenario, providerOf(engine)))
  return sleeps.flatMap(({ fromMs, toMs }, index) => {
    const state = states.find(({ atMs, state: each }) => atMs === fromMs && (each === 'rate_limited' || each === 'unreachable'))
    if (state === undefined) return []
    const { limited, out } = heldBefore(rows, rows.filter((row) => row.endMs <= fromMs).length)
    const earliest = Math.min(...engines.map((engine) => Math.max(limited.get(engine) ?? 0, out.get(providerOf(engine)) ?? 0)))
    return (toMs ?? end.atMs) > earliest ? [`sleep ${index} to ${toMs}, an engine was free at ${earliest}`] : []
  })
}

/** A bare name is that of a program, which the machine may lack (T10). */
function isThere({ installed }: TeamScenario, provider: string): boolean {
  return installed === undefined || installed.includes(provider) || installed.includes(provider.split('.')[0] ?? '') || isOverHttp(provider)
}

function isOverHttp(provider: string): boolean {
  return provider.includes('.') && !/^(?:claude|codex|agy|gemini-cli)\./.test(provider)
}
