/**
 * The words for faults of the wire, as a script says them: `{ fault: { kind: 'cut', at: 40, by: 'fin' } }`.
 *
 * 1. A fault is done to an answer of the protocol that was asked, so one script holds for every protocol.
 * 2. Several faults, as a list, are done one after the other: `[{ kind: 'gzip' }, { kind: 'cut', at: -8, by: 'end' }]` is a compressed
 *    answer whose end is missing.
 * 3. Refusals such as 429, 503 or a redirect are no faults but items of the script (`{ http: 503, headers: { 'retry-after': '1' } }`); a
 *    sequence of them before an answer is a queue. So is an error frame inside a stream: `{ error: { http: 529, message } }` among its
 *    events, in the words of the protocol.
 */
export type Fault =
  | CutFault
  | StallFault
  | { readonly kind: 'silence' }
  | { readonly kind: 'stallBeforeHeaders' }
  | { readonly kind: 'closeAtOnce' }
  | { readonly kind: 'notHttp'; readonly bytes: number; readonly seed?: number | undefined }
  | { readonly kind: 'headerBomb'; readonly bytes: number }
  | { readonly kind: 'brokenFraming'; readonly at: Place }
  | { readonly kind: 'garbage'; readonly bytes: number; readonly seed?: number | undefined; readonly at?: Place | undefined }
  | { readonly kind: 'html200' }
  | { readonly kind: 'error200'; readonly http: number; readonly message?: string | undefined }
  | { readonly kind: 'wrongContentType'; readonly contentType?: string | undefined }
  | { readonly kind: 'gzip'; readonly when?: 'always' | 'asked' | undefined }
  | { readonly kind: 'oversizeLine'; readonly capBytes?: number | undefined }
  | { readonly kind: 'oversizeEvent'; readonly capBytes?: number | undefined }
  | { readonly kind: 'hugeBody'; readonly megabytes: number }
  | { readonly kind: 'dribble'; readonly bytes: number; readonly everyMs?: number | undefined }
  | { readonly kind: 'slow'; readonly everyMs: number }
  | { readonly kind: 'endTwice' }
  | { readonly kind: 'contentAfter'; readonly text: string }
  | { readonly kind: 'holdOpen' }

export type FaultKind = Fault['kind']

/** The body breaks off at a place: by a clean end of the message, by a FIN in mid-message, or by a reset. */
export interface CutFault {
  readonly kind: 'cut'
  readonly at: Place
  readonly by: 'end' | 'fin' | 'rst'
}

/** Silence from a place on, on an open connection. At 0: after the headers. */
export interface StallFault {
  readonly kind: 'stall'
  readonly at: Place
}

/**
 * A place in a body. A number counts its bytes as they are before chunked framing, from 0, and below 0 from the end; one that lies outside
 * is the nearer end. The others speak of a stream: before anything that an event of the script says (from 0), in the middle of the last
 * frame that says it, or before a frame of the wire, which may be counted from the end (-1: before the last one). A whole answer has neither
 * events nor frames; its middle is meant then.
 */
export type Place = number | 'end' | { readonly beforeEvent: number } | { readonly insideEvent: number } | { readonly frame: number }

/** What the provider does, in a line each, for people. */
export const FAULTS: Readonly<Record<FaultKind, string>> = {
  cut: 'breaks off at `at`: `end` a clean end of the message, `fin` the connection closed in mid-message, `rst` reset',
  stall: 'says nothing more from `at` on and keeps the connection open',
  silence: 'takes the request and never writes a byte',
  stallBeforeHeaders: 'writes a status line and one header, then nothing more',
  closeAtOnce: 'closes the connection without a byte',
  notHttp: 'writes `bytes` pseudo-random bytes where a status line is due, and closes',
  headerBomb: 'answers with `bytes` of further headers',
  brokenFraming: 'breaks the chunked framing at `at`, and closes',
  garbage: 'writes `bytes` pseudo-random bytes inside the answer at `at`, or instead of it when that is left out',
  html200: 'answers with an HTML page and status 200',
  error200: 'answers with the error body that belongs to status `http`, as JSON and with status 200',
  wrongContentType: 'answers rightly under another content type, `application/octet-stream` unless given',
  gzip: 'compresses the answer: `always`, though nobody asked (the default), or when `asked`',
  oversizeLine: 'writes one line without an end, until the client leaves or `capBytes` (64 MiB) were sent',
  oversizeEvent: 'writes lines of one event without an end, until the client leaves or `capBytes` (64 MiB) were sent',
  hugeBody: 'gives a well-formed answer of `megabytes` MiB',
  dribble: 'writes `bytes` at a time, one step every `everyMs` (1; 0: every turn of the event loop)',
  slow: 'writes one frame every `everyMs`',
  endTwice: 'says the last frame of the stream twice',
  contentAfter: 'goes on after the end of the stream, with an answer of `text`',
  holdOpen: 'gives the whole answer and keeps the connection open, without ending the message',
}
