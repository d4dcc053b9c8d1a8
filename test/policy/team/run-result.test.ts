import { describe, expect, test } from 'vitest'
import { FAILURE_KINDS, type Failure, type FailureKind, failure } from '../../../src/model/failure.ts'
import type { OutcomeKind } from '../../../src/model/outcome.ts'
import { fruitless } from '../../../src/policy/team/run-result.ts'

const USAGE = { limit: { kind: 'usage', scope: null, binds: 'account' } } as const
const SPEND = { limit: { kind: 'spend', scope: null, binds: 'account' } } as const
const HELD = { kind: 'all_held', retryAt: 9_000, endedAt: 1_000 } as const

/** A call that ended at 1000 with this failure. */
function cameTo(kind: FailureKind, more: Partial<Failure> = {}, isProgram = true) {
  return fruitless({ kind: 'exhausted', retryAt: null, endedAt: 1_000 }, { isProgram, isPool: false, last: failure(kind, 'call', 'CANARY', more) })
}

const failed = (kind: string) => ({ kind: 'failed', fault: { kind: 'failed', failure: kind } })
const TIMED_OUT = { kind: 'failed', fault: { kind: 'timed_out' } }
const limited = (resetAt: number | null) => ({ kind: 'limited', limit: { resetAt } })

/** Of each kind: a program, then an HTTP service. */
const PLAIN: Record<FailureKind, readonly [unknown, unknown]> = {
  rate_limited: [failed('rate_limited'), limited(null)],
  quota_exhausted: [failed('quota_exhausted'), failed('quota_exhausted')],
  overloaded: [failed('overloaded'), failed('overloaded')],
  server_error: [failed('server_error'), failed('server_error')],
  timeout: [TIMED_OUT, TIMED_OUT],
  network: [{ kind: 'network' }, { kind: 'network' }],
  auth: [failed('auth'), failed('auth')],
  forbidden: [failed('forbidden'), failed('forbidden')],
  model_not_found: [failed('model_not_found'), failed('model_not_found')],
  invalid_request: [failed('invalid_request'), failed('invalid_request')],
  context_window: [failed('context_window'), failed('context_window')],
  refusal: [failed('refusal'), failed('refusal')],
  empty: [{ kind: 'silent' }, { kind: 'silent' }],
  truncated: [failed('truncated'), failed('truncated')],
  tool_schema: [failed('tool_schema'), failed('tool_schema')],
  protocol: [failed('protocol'), failed('protocol')],
  unknown: [failed('unknown'), failed('unknown')],
}

describe('a call that brought no answer', () => {
  test.each(FAILURE_KINDS)('T18 T19 T21 %s', (kind) => {
    expect([cameTo(kind), cameTo(kind, {}, false)]).toEqual(PLAIN[kind])
  })

  test.each<[string, FailureKind, Partial<Failure>, boolean, unknown]>([
    ['T3 a used-up quota of a program, with its reset', 'quota_exhausted', { ...USAGE, resetAt: 5_000 }, true, limited(5_000)],
    ['T3 one that is called a rate', 'rate_limited', USAGE, true, limited(null)],
    ['T3 a throttle of a program, whatever it says of when', 'rate_limited', { retryAfterMs: 500, resetAt: 5_000 }, true, failed('rate_limited')],
    ['T21 a stop of money', 'quota_exhausted', { ...SPEND, resetAt: 5_000 }, true, failed('quota_exhausted')],
    ['T3 HTTP 429 with a hint', 'rate_limited', { retryAfterMs: 500 }, false, limited(1_500)],
    ['T3 HTTP 429 with an instant, which comes first', 'rate_limited', { retryAfterMs: 500, resetAt: 5_000 }, false, limited(5_000)],
    ['T18 no connection in time', 'timeout', { code: 'connect' }, false, { kind: 'network' }],
    ['T18 nor in the time of the HTTP client', 'timeout', { code: 'UND_ERR_CONNECT_TIMEOUT' }, false, { kind: 'network' }],
    ['T18 a code like that of another kind is none', 'unknown', { code: 'connect' }, false, failed('unknown')],
    ['T19 the deadline of the run', 'timeout', { code: 'total' }, true, TIMED_OUT],
    ['T19 silence', 'timeout', { code: 'idle' }, true, TIMED_OUT],
    ['G29 an exit code', 'unknown', { code: 'exit_137' }, true, { kind: 'failed', fault: { kind: 'exited', code: 137 } }],
    ['G29 an exit code is named before the kind', 'server_error', { code: 'exit_1' }, true, { kind: 'failed', fault: { kind: 'exited', code: 1 } }],
    ['a signal is no exit code', 'unknown', { code: 'SIGKILL' }, true, failed('unknown')],
    ['a network failure is one, whatever the program exited with', 'network', { code: 'exit_1' }, true, { kind: 'network' }],
  ])('%s', (_, kind, more, isProgram, result) => {
    expect(cameTo(kind, more, isProgram)).toEqual(result)
  })

  test.each<[OutcomeKind, unknown]>([
    ['ok', { kind: 'silent' }],
    ['incomplete', { kind: 'silent' }],
    ['config_error', failed('config_error')],
    ['defect', failed('defect')],
    ['cancelled', failed('cancelled')],
  ])('T20 an outcome %s without a failure', (kind, result) => {
    expect(fruitless({ kind, retryAt: null, endedAt: 0 }, { isProgram: true, isPool: false, last: null })).toEqual(result)
  })

  test('R11 of a pool that is held whole, the first key to come back says until when, if any said so', () => {
    const pool = (last: Failure | null) => fruitless(HELD, { isProgram: false, isPool: true, last })
    expect(pool(null)).toEqual(limited(9_000))
    expect(pool(failure('rate_limited', 'call', '', { retryAfterMs: 60_000 }))).toEqual(limited(9_000))
    expect(pool(failure('rate_limited', 'call', ''))).toEqual(limited(null))
    expect(pool(failure('auth', 'call', ''))).toEqual(failed('auth'))
    const cancelled = { kind: 'cancelled', retryAt: null, endedAt: 1_000 } as const
    expect(fruitless(cancelled, { isProgram: false, isPool: true, last: null })).toEqual(failed('cancelled'))
  })

  test('T5 G15 of a single engine the provider says until when, and never a hold of the kernel', () => {
    const alone = (more: Partial<Failure>) => fruitless(HELD, { isProgram: false, isPool: false, last: failure('rate_limited', 'call', '', more) })
    expect(alone({ retryAfterMs: 60_000 })).toEqual(limited(61_000))
    expect(alone({})).toEqual(limited(null))
  })

  test('R36 no word of the provider is in it', () => {
    for (const kind of FAILURE_KINDS) expect(JSON.stringify(cameTo(kind))).not.toContain('CANARY')
  })
})
