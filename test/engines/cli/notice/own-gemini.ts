import { at, lines, NOW, notice, type OwnNotice, only } from './own-notice.ts'

const gemini = (message: string) =>
  lines({ type: 'init', model: 'gemini-9-pro' }, { type: 'result', status: 'error', error: { type: 'unknown', message } })

const body = (code: number, status: string, message: string) => JSON.stringify({ error: { code, message, status } })

export const OWN_GEMINI: readonly OwnNotice[] = [
  notice('gemini', 'stderr', 1, '[API Error: The caller does not have permission]', only('auth')),
  notice('gemini', 'stderr', 1, '[API Error: Request had insufficient authentication scopes.]', only('auth')),
  notice('gemini', 'stderr', 1, '[API Error: Premature close]', only('network')),
  notice('gemini', 'stderr', 1, 'Usage limit reached for gemini-9-pro. Access resets at 7:20 PM GMT+2.', {
    kind: 'limit_reset',
    resetAt: at('2027-02-10T17:20:00Z'),
    resetSource: 'clock_tz',
    scope: 'gemini-9-pro',
    model: 'gemini-9-pro',
  }),
  notice(
    'gemini',
    'stderr',
    null,
    'Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 2h.. Retrying after 7201000ms...',
    {
      kind: 'limit_reset',
      resetAt: NOW + 7_200_000,
      resetSource: 'duration',
    },
  ),
  notice(
    'gemini',
    'stdout-ndjson',
    173,
    gemini('[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later.'),
    {
      kind: 'limit_no_reset',
      resetAt: null,
      model: 'gemini-9-pro',
    },
  ),
  notice('gemini', 'stdout-ndjson', 1, gemini('[API Error: Your credit balance is too low.]'), only('spend')),
  notice('gemini', 'stdout-ndjson', 1, gemini('[API Error: Your project has exceeded its monthly spending cap.]'), only('spend')),
  notice(
    'gemini',
    'stdout-ndjson',
    173,
    gemini(`[API Error: ${body(429, 'RESOURCE_EXHAUSTED', 'Your billing account has exceeded its monthly spending cap.')}]`),
    only('spend'),
  ),
  notice(
    'gemini',
    'stdout-ndjson',
    147,
    gemini(`[API Error: ${body(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled on your project.')}]`),
    only('spend'),
  ),
  notice('gemini', 'stderr', 1, `Error: ${body(403, 'PERMISSION_DENIED', 'Access was denied: BILLING_DISABLED.')}`, only('spend')),
  notice('gemini', 'stderr', 1, 'Attempt 1 failed: The model is overloaded. Please try again later.. Max attempts reached', only('overloaded')),
  notice(
    'gemini',
    'stdout-ndjson',
    173,
    gemini(
      '[API Error: You exceeded your current quota, please check your plan.\n* Quota exceeded for metric: requests, limit: 5\nPlease retry in 21.5s.]',
    ),
    {
      kind: 'throttle',
      resetAt: NOW + 21_500,
      resetSource: 'duration',
    },
  ),
  notice('gemini', 'stdout-ndjson', 247, gemini('[API Error: The model is overloaded. Please try again later.]'), only('overloaded')),
  notice(
    'gemini',
    'stdout-ndjson',
    244,
    gemini(`[API Error: ${JSON.stringify({ error: { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' } })}]`),
    only('server'),
  ),
  notice('gemini', 'stdout-ndjson', 1, gemini('[API Error: exception TypeError: fetch failed sending request]'), only('network')),
  notice('gemini', 'stderr', 41, 'When using Gemini API, you must specify the GEMINI_API_KEY environment variable.', only('auth')),
  notice('gemini', 'stdout-ndjson', 1, gemini('[API Error: models/gemini-nine is not found for API version v1beta.]'), only('model')),
  notice(
    'gemini',
    'stdout-ndjson',
    144,
    gemini(
      `[API Error: ${JSON.stringify({ error: { code: 400, message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' } })}]`,
    ),
    only('context'),
  ),
  notice('gemini', 'stderr', 41, 'Invalid auth method selected.', only('config')),
  notice('gemini', 'stdout-ndjson', 0, gemini('Invalid stream: The model returned an empty response.'), only('incomplete')),
  notice('gemini', 'stderr', null, 'Attempt 1 failed with status 429. Retrying with backoff...\n{\n  status: 429,\n}', only('retry_notice')),
  notice('gemini', 'stderr', 1, "Security Warning: Skipping system defaults file '/a': not owned by root. Current uid: 429.", {
    ...only('none'),
    words: '',
  }),
  notice('gemini', 'stdout-ndjson', 1, lines({ type: 'init', model: 'gemini-9-pro' }), only('none')),
]
