import { Observable } from 'rxjs'
import type { ReportedLimit, RunResult, TeamRun } from '../model/team.ts'
import { readerOf, readRaw } from './raw-run.ts'
import type { VirtualTeamClock } from './team-clock.ts'
import { type ScriptedRun, scriptOf, type TeamScenario } from './team-scenario.ts'

/** A run takes so long unless its script says otherwise. */
const TOOK_MS = 1_000

/**
 * Runs that do what a scenario says, in order of use, per engine; the last item repeats. Of an engine without a script `onUnscripted` is
 * told, and its run never ends.
 */
export function scriptedRuns(scenario: TeamScenario, clock: VirtualTeamClock, onUnscripted: () => void): (run: TeamRun) => Observable<RunResult> {
  const used = new Map<string, number>()
  return ({ entry }) =>
    new Observable((subscriber) => {
      const script = scriptOf(scenario, entry)
      const at = used.get(entry.engine) ?? 0
      used.set(entry.engine, at + 1)
      const item = script[Math.min(at, script.length - 1)]
      if (item === undefined) return onUnscripted()
      return clock.after(item.tookMs ?? TOOK_MS, () => {
        subscriber.next(resultOf(item, entry.provider, clock.now(), scenario.zone))
        subscriber.complete()
      })
    })
}

function resultOf(item: ScriptedRun, provider: string, now: number, zone: string): RunResult {
  if ('limit' in item) {
    const limit = limitOf(item.limit, now)
    return item.posted === true ? { kind: 'posted', limit } : { kind: 'limited', limit }
  }
  if ('post' in item || ('posted' in item && item.posted === true)) return { kind: 'posted', limit: null }
  if ('network' in item) return { kind: 'network' }
  if ('crash' in item) return { kind: 'failed', fault: { kind: 'exited', code: item.crash.exit } }
  if ('timeout' in item) return { kind: 'failed', fault: { kind: 'timed_out' } }
  if ('wait' in item) return { kind: 'waiting', minutes: item.wait.minutes }
  if ('raw' in item) {
    const program = readerOf(provider)
    return program === null ? { kind: 'silent' } : readRaw(program, item.raw, now, zone)
  }
  return { kind: 'silent' }
}

function limitOf(limit: Extract<ScriptedRun, { limit: unknown }>['limit'], now: number): ReportedLimit {
  if ('resetInMs' in limit) return { resetAt: now + limit.resetInMs }
  return { resetAt: 'resetAt' in limit ? Date.parse(limit.resetAt) : null }
}
