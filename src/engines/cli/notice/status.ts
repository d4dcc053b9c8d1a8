import type { WordingKind } from './wording.ts'

/**
 * HTTP statuses in what a CLI says.
 *
 * 1. A number is a status only in one of these surroundings; a port, a count of tokens, an id or a line number never is.
 * 2. Text that may be a model's has a status only where it begins.
 */
const REASON =
  'Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Request Timeout|Payload Too Large|Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out|Overloaded'

const BEGINNINGS: readonly RegExp[] = [
  // `API Error: 529 Overloaded. …`, `Failed to authenticate. API Error: 403 …`.
  /^(?:Failed to authenticate\. )?API Error:? \(?([45]\d\d)\b/i,
  // A body behind its status: `429 {"type":"error",…}`.
  /^([45]\d\d) (?=\{)/,
  new RegExp(`^(?:HTTP )?([45]\\d\\d) (?:${REASON})\\b`, 'i'),
  // `Error code: 400 - {…}` of the Python clients, `Error 400, Message: …` of Google's Go client.
  /^Error(?: code:)? ([45]\d\d)(?: -|, Message)/i,
  /^[a-z]{3,20}_error \(([45]\d\d)\):/,
  /^Request rejected \(([45]\d\d)\)/i,
]

const ANYWHERE: readonly RegExp[] = [
  /\bstatus(?: code)?:? ([45]\d\d)\b/i,
  /\bHTTP (?:error: |status (?:client|server) error \()?([45]\d\d)\b/i,
  /\((?:code|HTTP|status) ([45]\d\d)\b/i,
  new RegExp(`\\b([45]\\d\\d) (?:${REASON})\\b`, 'i'),
  /\berror_code"?: ?([45]\d\d)\b/,
]

export function statusesIn(text: string, own: boolean): number[] {
  const patterns = own ? [...BEGINNINGS, ...ANYWHERE] : BEGINNINGS
  return patterns.flatMap((pattern) => pattern.exec(text)?.[1] ?? []).map(Number)
}

/** What a status means where no words say more. 402 comes last of all: some send it with a limit that has a reset. */
const KINDS: Readonly<Record<number, WordingKind>> = {
  401: 'auth',
  402: 'spend',
  403: 'auth',
  404: 'model',
  408: 'network',
  413: 'context',
  429: 'throttle',
  529: 'overloaded',
}

export function kindOfStatus(status: number): WordingKind | null {
  return KINDS[status] ?? (status >= 500 && status <= 599 ? 'server' : null)
}
