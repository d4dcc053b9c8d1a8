import type { Failure } from '../../model/failure.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { RunFault, RunResult } from '../../model/team.ts'
import { LIMIT_WAITS } from '../limit.ts'

/**
 * What a call came to that brought no answer, as the run of a team goes by it (T3, T18–T21).
 *
 * 1. A limit is a used-up quota of a program, or a rate limit of an HTTP service once its retries are spent (T3, G15). A throttle of a program
 *    and a stop of money are no limit: they are failed calls (T21).
 *    When each credential of a pool is limited, the first of them to come back says until when (R11).
 *    A budget of money is a limit of the operator's own: its engine is gone around, and looked at again like any limit whose end nobody told,
 *    and with the next day at the latest: it may be raised at any time, and to look costs no call.
 * 2. An outage is a failure to reach the provider, not one of the provider (T18).
 * 3. A call that ended well and said nothing is silent (T20).
 * 4. Text of a call that broke off is no post: what is not whole is not posted, and who runs next begins afresh (R28 speaks of a reader who
 *    saw it; nobody did).
 */
export function fruitless({ kind, retryAt, endedAt }: Pick<Outcome, 'kind' | 'retryAt' | 'endedAt'>, { isProgram, isPool, last }: Called): RunResult {
  if (kind === 'ok' || kind === 'incomplete') return { kind: 'silent' }
  if (kind === 'budget') return { kind: 'limited', limit: { resetAt: lookAgainAt(retryAt, endedAt) } }
  const isHeld = isPool && kind === 'all_held'
  if (last === null) return isHeld ? { kind: 'limited', limit: { resetAt: retryAt } } : { kind: 'failed', fault: { kind: 'failed', failure: kind } }
  if (isLimit(last, isProgram)) {
    const resetAt = resetOf(last, endedAt)
    return { kind: 'limited', limit: { resetAt: isHeld && resetAt !== null ? retryAt : resetAt } }
  }
  if (isOutage(last)) return { kind: 'network' }
  if (last.kind === 'empty') return { kind: 'silent' }
  return { kind: 'failed', fault: faultOf(last) }
}

/** Null: as a limit without a reset. */
function lookAgainAt(retryAt: number | null, endedAt: number): number | null {
  return retryAt !== null && retryAt - endedAt <= LIMIT_WAITS.otherMs ? retryAt : null
}

/** What was called, and the last failure it met; null when it met none. */
export interface Called {
  readonly isProgram: boolean
  /** Several credentials stand behind the one entry. */
  readonly isPool: boolean
  readonly last: Failure | null
}

/** What a program calls a rate, and does not tell as its limit, is one of seconds. */
function isLimit({ kind, limit }: Failure, isProgram: boolean): boolean {
  return limit === undefined ? kind === 'rate_limited' && !isProgram : limit.kind === 'usage'
}

/** An address that does not answer is as far away as one that refuses; a provider that is slow was reached. */
function isOutage({ kind, code }: Failure): boolean {
  return kind === 'network' || (kind === 'timeout' && (code === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT'))
}

function resetOf({ resetAt, retryAfterMs }: Failure, endedAt: number): number | null {
  return resetAt ?? (retryAfterMs === null ? null : endedAt + retryAfterMs)
}

function faultOf({ kind, code }: Failure): RunFault {
  const exit = /^exit_(\d{1,3})$/.exec(code ?? '')?.[1]
  if (exit !== undefined) return { kind: 'exited', code: Number(exit) }
  return kind === 'timeout' ? { kind: 'timed_out' } : { kind: 'failed', failure: kind }
}
