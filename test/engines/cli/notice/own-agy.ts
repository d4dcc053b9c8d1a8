import { at, lines, NOW, notice, type OwnNotice, only } from './own-notice.ts'

const agy = (error: string) => lines({ event: 'result', result: { status: 'ERROR', response: '', error } })

export const OWN_AGY: readonly OwnNotice[] = [
  // The provider itself calls it a rate: with a wait of seconds, and without any.
  notice(
    'agy',
    'api-json',
    null,
    JSON.stringify({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You have exhausted your capacity on this model. Your quota will reset after 9s.',
        details: [{ reason: 'RATE_LIMIT_EXCEEDED' }],
      },
    }),
    { kind: 'throttle', resetAt: NOW + 9000 },
  ),
  notice(
    'agy',
    'api-json',
    null,
    JSON.stringify({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Resource has been exhausted.', details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] },
    }),
    only('throttle'),
  ),
  notice('agy', 'stderr', 1, 'You are not logged into Antigravity.', only('auth')),
  notice('agy', 'stderr', 3, 'error: You have reached the quota limit for this model. You can resume using this model at 2/12/2027, 1:23:45 PM.', {
    kind: 'limit_reset',
    resetAt: at('2027-02-12T13:23:45Z'),
    resetSource: 'date',
  }),
  notice('agy', 'stderr', 3, 'error: No capacity available for model gemini-nine on the server', only('overloaded')),
  notice('agy', 'stderr', 3, 'error: tls: failed to verify certificate: x509: certificate signed by unknown authority', only('network')),
  notice(
    'agy',
    'stderr',
    3,
    'error: Post "https://x.example": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    only('network'),
  ),
  notice('agy', 'stderr', 3, '⚠ Individual quota reached. Please upgrade your subscription to increase your limits. Resets in 26h5m9s.', {
    kind: 'limit_reset',
    resetAt: NOW + ((26 * 60 + 5) * 60 + 9) * 1000,
    resetSource: 'duration',
    scope: null,
    model: null,
  }),
  notice(
    'agy',
    'stderr',
    3,
    `error: weekly quota reached\nAGY_ERROR: ${JSON.stringify({ short_error: 'RESOURCE_EXHAUSTED (code 429): Individual quota reached. Resets in 2h.', status: 'RESOURCE_EXHAUSTED', error_code: 429, retryable: true })}`,
    {
      kind: 'limit_reset',
      resetAt: NOW + 7_200_000,
    },
  ),
  notice(
    'agy',
    'api-json',
    null,
    JSON.stringify({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Individual quota reached.',
        details: [{ metadata: { quotaResetTimeStamp: '2027-02-11T00:00:00Z', quotaResetDelay: '9h' } }],
      },
    }),
    {
      kind: 'limit_reset',
      resetAt: at('2027-02-11T00:00:00Z'),
      resetSource: 'iso',
    },
  ),
  notice(
    'agy',
    'stdout-ndjson',
    3,
    lines({ event: 'init', init: { model: 'gemini-9-flash' } }) +
      agy('You have exhausted your capacity on this model. Your quota will reset after 3h4m5s.'),
    {
      kind: 'limit_reset',
      resetAt: NOW + ((3 * 60 + 4) * 60 + 5) * 1000,
      model: 'gemini-9-flash',
    },
  ),
  notice('agy', 'stderr', 3, 'Error: HTTP 429 Too Many Requests\nStatus: RESOURCE_EXHAUSTED', only('limit_no_reset')),
  notice('agy', 'stderr', 3, `AGY_ERROR: ${JSON.stringify({ status: 'FAILED_PRECONDITION', message: 'monthly spend cap reached' })}`, only('spend')),
  notice(
    'agy',
    'api-json',
    null,
    JSON.stringify({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Resource has been exhausted.', details: [{ retryDelay: '12.5s' }] },
    }),
    {
      kind: 'throttle',
      resetAt: NOW + 12_500,
      resetSource: 'duration',
    },
  ),
  notice('agy', 'stderr', 3, 'error: API error (attempt 3): UNAVAILABLE (code 503): try later', only('overloaded')),
  notice('agy', 'stderr', 3, 'Error: Eligibility check failed: failed to fetch user info: 500 Internal Server Error', only('server')),
  notice('agy', 'stderr', 1, 'error: Post "https://agy.invalid/v1": dial tcp: lookup agy.invalid: no such host', only('network')),
  notice('agy', 'stdout-ndjson', 1, agy('authentication failed or timed out'), only('auth')),
  notice('agy', 'stdout-ndjson', 1, agy('invalid model selection: model nine is not recognized'), only('model')),
  notice('agy', 'stderr', 3, 'error: The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).', only('context')),
  notice('agy', 'stdout-text', 0, 'CLI error: bubbletea: error opening TTY: open /dev/tty: no such device', only('config')),
  notice('agy', 'stderr', 0, '[agy] print timeout after 8m0s with turn in progress; returning partial output', only('incomplete')),
  notice('agy', 'stdout-ndjson', 0, lines({ event: 'result', result: { status: 'SUCCESS', response: ' ' } }), only('incomplete')),
  notice('agy', 'log-file', null, 'E0210 09:29:58.000001 77 client.go:41] API error (attempt 2): RESOURCE_EXHAUSTED, retrying', only('retry_notice')),
  notice('agy', 'stdout-ndjson', 3, agy('Agent execution terminated due to error.'), only('none')),
]
