import { at, lines, notice, type OwnNotice, only } from './own-notice.ts'

const failed = (result: string, more: object = {}) => ({ type: 'result', subtype: 'success', is_error: true, result, ...more })
const synthetic = (text: string, error: string) => ({
  type: 'assistant',
  message: { model: '<synthetic>', content: [{ type: 'text', text }] },
  error,
})
const claude = (text: string, error: string, status: number | null, ...before: readonly object[]) =>
  lines(...before, synthetic(text, error), failed(text, { api_error_status: status }))
const standing = (info: object) => ({ type: 'rate_limit_event', rate_limit_info: info })

export const OWN_CLAUDE: readonly OwnNotice[] = [
  notice('claude', 'stdout-text', 1, "You've hit your session limit · resets 4:40pm (Europe/Lisbon)", {
    kind: 'limit_reset',
    resetAt: at('2027-02-10T16:40:00Z'),
    resetSource: 'clock_tz',
    scope: null,
    model: null,
  }),
  notice('claude', 'stdout-text', 0, "You've hit your weekly limit · resets Feb 13, 6am (UTC)", {
    kind: 'limit_reset',
    resetAt: at('2027-02-13T06:00:00Z'),
    resetSource: 'date_tz',
    model: null,
  }),
  notice(
    'claude',
    'stdout-ndjson',
    1,
    claude(
      "You've hit your Opus limit · resets 11am (UTC)",
      'rate_limit',
      429,
      standing({ status: 'rejected', resetsAt: 1802257200, rateLimitType: 'seven_day_opus', isUsingOverage: false }),
    ),
    {
      kind: 'limit_reset',
      resetAt: 1802257200000,
      resetSource: 'unix',
      scope: 'seven_day_opus',
      model: 'opus',
    },
  ),
  notice('claude', 'stdout-ndjson', 1, claude('', 'rate_limit', 429, standing({ status: 'blocked', rateLimitType: 'five_hour' })), {
    kind: 'limit_no_reset',
    resetAt: null,
    scope: 'five_hour',
    model: null,
  }),
  notice('claude', 'stdout-json', 0, JSON.stringify({ type: 'result', is_error: false, result: 'Claude AI usage limit reached|1802300000' }), {
    kind: 'limit_reset',
    resetAt: 1802300000000,
    resetSource: 'unix',
  }),
  notice('claude', 'stdout-text', 1, "You've reached your Sonnet limit.", { kind: 'limit_no_reset', scope: 'Sonnet', model: 'sonnet' }),
  notice(
    'claude',
    'stdout-ndjson',
    1,
    claude(
      "You've hit your monthly spend limit · raise it in your settings",
      'rate_limit',
      429,
      standing({ status: 'rejected', resetsAt: 1802257200, rateLimitType: 'five_hour' }),
    ),
    only('spend'),
  ),
  notice('claude', 'stdout-ndjson', 1, claude('Fable 5 requires usage credits · turn them on to go on', 'rate_limit', 429), {
    kind: 'spend',
    resetAt: null,
    model: 'fable',
  }),
  notice(
    'claude',
    'stdout-ndjson',
    1,
    claude(
      'API Error: Server is temporarily limiting requests (not your usage limit) · slow',
      'rate_limit',
      429,
      standing({ status: 'rejected', isUsingOverage: false }),
    ),
    only('throttle'),
  ),
  notice('claude', 'stdout-ndjson', 1, claude('API Error: 529 Overloaded. Try again in a moment.', 'server_error', 529), only('overloaded')),
  notice(
    'claude',
    'stdout-ndjson',
    1,
    claude('API Error: 502 Bad Gateway. connection refused by 10.0.0.1:5001', 'server_error', 502),
    only('server'),
  ),
  notice('claude', 'stdout-ndjson', 1, claude('API Error: Unable to connect to API (FailedToOpenSocket)', 'server_error', null), only('network')),
  // As text there is nothing around the sentence that says whose it is, so that it counts where it begins.
  notice('claude', 'stdout-text', 1, 'API Error: The socket connection was closed unexpectedly. For more information, see the log', only('network')),
  notice('claude', 'stdout-text', 1, 'API Error: Your machine went to sleep mid-response. The answer may be cut.', only('network')),
  notice('claude', 'stdout-text', 1, 'API Error: getaddrinfo EAI_AGAIN api.example', only('network')),
  notice('claude', 'stdout-ndjson', 1, claude('API Error: certificate has expired', 'unknown', null), only('network')),
  notice('claude', 'stdout-ndjson', 1, claude('API Error: UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unknown', null), only('network')),
  notice('claude', 'stdout-text', 1, 'Your organization has disabled API key authentication · Unset the key to go on', only('auth')),
  notice('claude', 'stdout-text', 1, 'Your organization does not have access to Claude. Ask its administrator.', only('auth')),
  notice('claude', 'stdout-text', 1, 'Authentication error · This may be a temporary network issue, try again', only('auth')),
  // The bound that the owner of a key has set to what it may spend; the day it names is no reset of a window.
  notice(
    'claude',
    'stdout-text',
    1,
    'API Error: 400 You have reached your specified API usage limits. Access is regained on 2027-03-01.',
    only('spend'),
  ),
  notice('claude', 'stdout-ndjson', 1, claude('Not logged in · Please run /login', 'authentication_failed', null), only('auth')),
  notice(
    'claude',
    'stdout-ndjson',
    1,
    claude("There's an issue with the selected model (claude-nine). It may not exist.", 'model_not_found', 404),
    only('model'),
  ),
  notice('claude', 'stdout-ndjson', 1, claude('Prompt is too long · 201000 tokens', 'invalid_request', 400), only('context')),
  notice('claude', 'stderr', 1, 'Error: When using --print, --output-format=stream-json requires --verbose', only('config')),
  notice(
    'claude',
    'stdout-ndjson',
    1,
    claude("API Error: Claude's response exceeded the 32000 output token maximum.", 'max_output_tokens', null),
    only('incomplete'),
  ),
  notice(
    'claude',
    'stdout-ndjson',
    null,
    lines({ type: 'system', subtype: 'api_retry', attempt: 1, error_status: 429, error: 'rate_limit' }),
    only('retry_notice'),
  ),
  notice('claude', 'stdout-ndjson', 1, claude('API Error: something of a new kind', 'unknown', null), only('none')),
]
