import { at, lines, NOW, notice, type OwnNotice, only } from './own-notice.ts'

const codex = (message: string) => lines({ type: 'turn.started' }, { type: 'error', message }, { type: 'turn.failed', error: { message } })

export const OWN_CODEX: readonly OwnNotice[] = [
  notice('codex', 'stdout-ndjson', 1, codex('Policy-restricted capacity is unavailable. Please try again later.'), only('overloaded')),
  notice('codex', 'stdout-ndjson', 1, codex("You've hit your usage limit. Visit the settings page to buy more or try again at 4:07 PM."), {
    kind: 'limit_reset',
    resetAt: at('2027-02-10T16:07:00Z'),
    resetSource: 'clock',
    scope: null,
    model: null,
  }),
  notice(
    'codex',
    'stderr',
    1,
    "ERROR: You've hit your usage limit. To get more access now, send a request to your admin or try again at Feb 12th, 2027 7:15 AM.",
    {
      kind: 'limit_reset',
      resetAt: at('2027-02-12T07:15:00Z'),
      resetSource: 'date',
    },
  ),
  notice('codex', 'stdout-ndjson', 1, codex("You've hit your usage limit for gpt-9.1-codex. Switch to another model now, or try again at 4:07 PM."), {
    kind: 'limit_reset',
    scope: 'gpt-9.1-codex',
    model: 'gpt-9.1-codex',
  }),
  notice(
    'codex',
    'api-json',
    null,
    JSON.stringify({ error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_in_seconds: 7200 } }),
    {
      kind: 'limit_reset',
      resetAt: NOW + 7_200_000,
      resetSource: 'duration',
    },
  ),
  notice(
    'codex',
    'stderr',
    1,
    "■ You've hit your usage limit. Upgrade, or wait for limits to reset (every 5h and every week.).",
    only('limit_no_reset'),
  ),
  notice('codex', 'stdout-ndjson', 1, codex('Your workspace is out of credits. Add credits to continue.'), only('spend')),
  notice(
    'codex',
    'stderr',
    1,
    'rate limit exceeded: Rate limit reached for gpt-9 on tokens per min (TPM): Limit 42900, Used 42800. Please try again in 2.5s.',
    {
      kind: 'throttle',
      resetAt: NOW + 2500,
      resetSource: 'duration',
      model: null,
    },
  ),
  notice('codex', 'stdout-ndjson', 1, codex('exceeded retry limit, last status: 429 Too Many Requests, request id: req_9'), only('throttle')),
  notice('codex', 'stdout-ndjson', 1, codex('Selected model is at capacity. Please try a different model.'), only('overloaded')),
  notice(
    'codex',
    'stdout-ndjson',
    1,
    codex('unexpected status 502 Bad Gateway: upstream connection refused, url: http://127.0.0.1:4290/responses'),
    only('server'),
  ),
  notice(
    'codex',
    'stdout-ndjson',
    1,
    codex('stream disconnected before completion: error sending request for url (http://127.0.0.1:4290/responses)'),
    only('network'),
  ),
  notice(
    'codex',
    'stdout-ndjson',
    null,
    lines({ type: 'error', message: 'Reconnecting... waiting for network (Connection failed: error sending request)' }),
    only('network'),
  ),
  notice('codex', 'stderr', 1, 'failed to connect to websocket: HTTP error: 401 Unauthorized, url: wss://127.0.0.1:4290/', only('auth')),
  notice(
    'codex',
    'stdout-ndjson',
    1,
    codex("unexpected status 404 Not Found: The model 'gpt-nine' does not exist or you do not have access to it., url: http://127.0.0.1:1"),
    only('model'),
  ),
  notice('codex', 'stdout-ndjson', 1, codex("Codex ran out of room in the model's context window. Start a new thread."), only('context')),
  notice('codex', 'stderr', 1, 'Not inside a trusted directory and --skip-git-repo-check was not specified.', only('config')),
  notice('codex', 'stdout-json-message', null, 'Reconnecting... 2/5 (unexpected status 401 Unauthorized: no)', only('retry_notice')),
  notice('codex', 'stderr', 1, '2027-02-10T09:29:57Z ERROR codex_core::tools: command failed: You have hit your usage limit', only('none')),
]
