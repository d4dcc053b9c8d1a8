import { afterText, FIRST_TEXT, faulty, type Row, refusing, secondServes, streaming, whoeverReads } from './row.ts'

/** The rows of the fault table in which the first provider answers that it does not serve. */
const NO_STATUS = 'an error is a text, without a status or a code'

/** An error body under a status that says nothing. */
function told(kind: 'rate_limited' | 'overloaded'): Pick<Row, 'expected' | 'differs'> {
  return {
    expected: whoeverReads(secondServes(kind)),
    differs: {
      ollama: { why: NO_STATUS, ...whoeverReads(secondServes('unknown')) },
      'bedrock-converse': { why: 'the type of an error is a header of its status', ...whoeverReads(secondServes('protocol')) },
    },
  }
}

/** Statuses and what each is called, as docs/operating.md has them. */
export const REFUSALS: readonly Row[] = [
  { does: 'redirects (302)', ...refusing(302, { location: 'http://127.0.0.1:9/' }), expected: whoeverReads(secondServes('protocol')) },
  { does: 'answers 400', ...refusing(400), expected: whoeverReads(secondServes('invalid_request')) },
  { does: 'answers 401', ...refusing(401), expected: whoeverReads(secondServes('auth')) },
  { does: 'answers 402', ...refusing(402), expected: whoeverReads(secondServes('quota_exhausted')) },
  { does: 'answers 403', ...refusing(403), expected: whoeverReads(secondServes('forbidden')) },
  { does: 'answers 404', ...refusing(404), expected: whoeverReads(secondServes('model_not_found')) },
  { does: 'answers 408', ...refusing(408), expected: whoeverReads(secondServes('timeout')) },
  { does: 'answers 429', ...refusing(429), expected: whoeverReads(secondServes('rate_limited')) },
  { does: 'answers 429 with `retry-after: 2`', ...refusing(429, { 'retry-after': '2' }), expected: whoeverReads(secondServes('rate_limited')) },
  { does: 'answers 500', ...refusing(500), expected: whoeverReads(secondServes('server_error')) },
  { does: 'answers 503', ...refusing(503), expected: whoeverReads(secondServes('server_error')) },
  { does: 'answers 529', ...refusing(529), expected: whoeverReads(secondServes('overloaded')) },
  { does: 'answers 200 with the JSON error of a 429', ...faulty({ kind: 'error200', http: 429 }), ...told('rate_limited') },
  { does: 'answers 200 with the JSON error of a 529', ...faulty({ kind: 'error200', http: 529 }), ...told('overloaded') },
]

const OK = { ok: FIRST_TEXT.join('') }
const LIMITED = { http: 429, headers: { 'retry-after': '4' } }

export const SEQUENCES: readonly Row[] = [
  {
    does: 'answers 503 with `retry-after: 1`, then 529, then serves; two retries',
    stream: [{ http: 503, headers: { 'retry-after': '1' } }],
    call: [{ http: 503, headers: { 'retry-after': '1' } }, { http: 529 }, OK],
    retries: 2,
    expected: whoeverReads(secondServes('server_error'), {
      outcome: 'ok',
      attempts: ['first server_error', 'first overloaded', 'first ok'],
      seen: 'whole',
    }),
  },
  {
    does: 'answers 429 with `retry-after: 4`, then serves; it is alone, two retries',
    stream: [LIMITED],
    call: [LIMITED, OK],
    alone: true,
    retries: 2,
    expected: { event: null, draft: null, none: { outcome: 'ok', attempts: ['first rate_limited', 'first ok'], seen: 'whole' } },
  },
  {
    does: 'answers a stream with 429 and `retry-after: 4`, then serves a call; it is alone',
    stream: [LIMITED],
    call: [OK],
    alone: true,
    expected: whoeverReads({ outcome: 'ok', attempts: ['first rate_limited', 'first ok'], seen: 'whole' }, null),
  },
  {
    does: 'answers 429 with `retry-after: 4`; it is alone, no retries',
    stream: [LIMITED],
    call: [LIMITED],
    alone: true,
    expected: { event: null, draft: null, none: { outcome: 'all_held', attempts: ['first rate_limited'], seen: 'nothing' } },
  },
]

export const IN_STREAM: readonly Row[] = [
  {
    does: 'says it is overloaded (529) inside the stream, before text',
    ...streaming({ error: { http: 529, message: 'overloaded' } }),
    expected: whoeverReads(secondServes('overloaded'), null),
    differs: { ollama: { why: NO_STATUS, ...whoeverReads(secondServes('unknown'), null) } },
  },
  {
    does: 'says it is overloaded (529) inside the stream, after text',
    ...streaming({ text: FIRST_TEXT[0] }, { error: { http: 529, message: 'overloaded' } }),
    expected: afterText('overloaded', 'part', null),
    differs: { ollama: { why: NO_STATUS, ...afterText('unknown', 'part', null) } },
  },
  {
    does: 'says it is limited (429) inside the stream, after text',
    ...streaming({ text: FIRST_TEXT[0] }, { error: { http: 429, message: 'slow down' } }),
    expected: afterText('rate_limited', 'part', null),
    differs: { ollama: { why: NO_STATUS, ...afterText('unknown', 'part', null) } },
  },
  {
    does: 'says a failure (500) inside the stream, after text',
    ...streaming({ text: FIRST_TEXT[0] }, { error: { http: 500, message: 'failed' } }),
    expected: afterText('server_error', 'part', null),
    differs: { ollama: { why: NO_STATUS, ...afterText('unknown', 'part', null) } },
  },
]
