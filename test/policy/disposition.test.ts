import { describe, expect, test } from 'vitest'
import { FAILURE_KINDS, type FailureKind, failure } from '../../src/model/failure.ts'
import type { FailureReason } from '../../src/model/outcome.ts'
import { type Disposition, disposition, reasonOf } from '../../src/policy/disposition.ts'
import { failureEvent, skipEvent } from '../../src/policy/failure-event.ts'

/** The one list of R17, written out a second time: a kind that is added has to be added here as well. */
const LIST: Record<FailureKind, readonly [Disposition, FailureReason]> = {
  rate_limited: ['hold', 'rate_limited'],
  quota_exhausted: ['advance', 'rate_limited_non_retryable'],
  overloaded: ['retry', 'retryable'],
  server_error: ['retry', 'retryable'],
  timeout: ['retry', 'retryable'],
  network: ['retry', 'retryable'],
  auth: ['advance', 'non_retryable'],
  forbidden: ['advance', 'non_retryable'],
  model_not_found: ['advance', 'non_retryable'],
  invalid_request: ['advance', 'non_retryable'],
  context_window: ['shorten', 'context_window'],
  refusal: ['stop', 'refused'],
  empty: ['retry', 'empty_response'],
  truncated: ['retry', 'retryable'],
  tool_schema: ['advance', 'non_retryable'],
  protocol: ['retry', 'retryable'],
  unknown: ['retry', 'retryable'],
}

describe('R17 R19 R20 R22 what a kind of failure means', () => {
  test.each(FAILURE_KINDS)('%s', (kind) => {
    expect([disposition(kind), reasonOf(kind)]).toEqual(LIST[kind])
  })

  test.each([300, 301, 302, 303, 307, 308, 399])('SSRF-04 a redirect (%i) is not asked for again', (status) => {
    expect([disposition('protocol', status), reasonOf('protocol', status)]).toEqual(['advance', 'non_retryable'])
  })

  test.each([null, 200, 299, 400])('any other answer that is none of the protocol is (%j)', (status) => {
    expect([disposition('protocol', status), reasonOf('protocol', status)]).toEqual(['retry', 'retryable'])
  })

  test('the list names every kind', () => {
    expect(Object.keys(LIST).sort()).toEqual([...FAILURE_KINDS].sort())
  })
})

describe('R21 C28 failure events', () => {
  test('carry number, retry k of N, reason, kind, phase and hint, and nothing of the provider', () => {
    const failed = failure('rate_limited', 'opening', 'words of acme', { status: 429, code: 'acme_limit', retryAfterMs: 1_500 })
    expect(failureEvent(3, failed, 2, 4)).toEqual({
      event: 3,
      attempt: 2,
      of: 4,
      reason: 'rate_limited',
      kind: 'rate_limited',
      phase: 'opening',
      hintMs: 1_500,
    })
  })

  test('R18 a skip is attempt 0', () => {
    expect(skipEvent(1, 3, 'held')).toEqual({ event: 1, attempt: 0, of: 3, reason: 'held', kind: 'rate_limited', phase: 'selection', hintMs: null })
  })

  test('of an entry over a budget it says so', () => {
    expect(skipEvent(2, 1, 'over_budget')).toMatchObject({ attempt: 0, reason: 'over_budget', kind: 'quota_exhausted' })
  })
})
