import { epochAt, rfc3339At } from './duration.ts'
import { googleDetails, NO_DETAILS } from './google-details.ts'
import { isObject, type JsonObject } from './json-object.ts'
import { QUOTA_NUMBERS, STATUS_SENTENCES } from './kind-words.ts'

/**
 * What an error body says, in the shapes of wire.md §11: `{error: {…}}`, `{error: "text"}`, `{type: "error", error: {…}}`, flat
 * `{object: "error", message, …}`, `{response: {error: {…}}}`, `{__type, message}`, each also in an array, in a line of an event stream,
 * or quoted by a router in `metadata.raw`; or bare text.
 *
 * 1. Nothing here throws, whatever the bytes.
 * 2. What stands further in is heard first; what a router quotes is heard last.
 */
export interface ErrorFacts {
  /** The body has the shape of an error, not merely text. */
  readonly isError: boolean
  /** The body is no object with fields, but bare text, which is the whole of it. */
  readonly isBare: boolean
  /** Typed words, lower case, innermost first: `code`, `type`, `status`, `__type`. */
  readonly words: readonly string[]
  /** A status as a typed field gives it (`code: 502`, `status_code: 400`); never read out of text. */
  readonly status: number | null
  /** Whole numbers given as code, such as 1113. */
  readonly numbers: readonly number[]
  /** What a person would read, innermost first. */
  readonly texts: readonly string[]
  /** A moderation listed why it threw the prompt out. */
  readonly flagged: boolean
  /** Epoch ms of a typed reset. */
  readonly resetsAt: number | null
  /** A typed wait, in ms. */
  readonly waitMs: number | null
  /** A quota of a day is among those that were passed. */
  readonly dailyQuota: boolean
  /** A reset header that a router quotes in its body. */
  readonly resetHeader: string | null
}

/** Bodies are looked at up to here: an error says what it is at its beginning. */
export const BODY_LIMIT = 65_536
/** Lines of a stream among which an error is looked for. */
const LINES = 50

export function readErrorBody(body: unknown): ErrorFacts {
  const value = typeof body === 'string' ? parsed(body.slice(0, BODY_LIMIT)) : body
  const outer: unknown = Array.isArray(value) ? value[0] : value
  if (isObject(outer)) return factsOf(outer)
  return { ...NO_FACTS, texts: typeof outer === 'string' ? [outer.slice(0, BODY_LIMIT)] : [] }
}

/** The facts, with the name that AWS puts into a header: `ThrottlingException`, or the same with a namespace before or a link behind. */
export function withErrorType(facts: ErrorFacts, header: string | undefined): ErrorFacts {
  const word = header === undefined ? undefined : wordOf(amazonName(header))
  return word === undefined ? facts : { ...facts, isError: true, words: [word, ...facts.words] }
}

/** Whether a frame or body is an error: an `error` that is not null, or an object that calls itself one. */
export function isErrorObject(value: JsonObject): boolean {
  return (value.error !== undefined && value.error !== null) || value.object === 'error' || value.type === 'error'
}

const NO_FACTS: ErrorFacts = {
  isError: false,
  isBare: true,
  words: [],
  status: null,
  numbers: [],
  texts: [],
  flagged: false,
  resetsAt: null,
  waitMs: null,
  dailyQuota: false,
  resetHeader: null,
}

/** The JSON of the text, else the first line of it that is an error, else the text itself. */
function parsed(text: string): unknown {
  if (!/^\s*(?:[[{":]|data|event|id|retry)/.test(text)) return text
  const whole = json(text)
  if (whole !== undefined) return whole
  for (const line of text.split('\n', LINES)) {
    const value = json(line.startsWith('data:') ? line.slice(5) : line)
    if (isObject(value) && (isErrorObject(value) || innerErrors(value).length > 0)) return value
  }
  return text
}

/** The value of a JSON text; undefined when it is none. */
function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function factsOf(outer: JsonObject): ErrorFacts {
  const inner = innerErrors(outer)
  const metadata = [...inner, outer].map((layer) => layer.metadata).find(isObject) ?? {}
  const quoted = quotedError(metadata.raw ?? outer.error)
  const layers = [...inner, outer, ...filterLayers(inner), ...quoted]
  const codes = layers.flatMap((layer) => [layer.code, layer.status_code, layer.type, layer.status, amazonName(layer.__type)])
  const google = layers.map((layer) => googleDetails(layer.details)).find((details) => details !== NO_DETAILS)
  return {
    isError: isErrorObject(outer) || inner.length > 0 || isFlatError(outer),
    isBare: false,
    words: codes.map(wordOf).filter((word) => word !== undefined),
    status: codes.map(statusOf).find((status) => status !== null) ?? null,
    numbers: codes.map(numberOf).filter((number) => number !== null),
    texts: textsOf(outer, layers, quoted.length > 0 ? undefined : metadata.raw),
    flagged: Array.isArray(metadata.reasons) || typeof metadata.flagged_input === 'string',
    resetsAt: firstOf(layers, (layer) => instantOf(layer.resets_at)) ?? google?.resetsAt ?? null,
    waitMs: google?.retryDelayMs ?? firstOf(layers, (layer) => secondsOf(layer.resets_in_seconds)),
    dailyQuota: google?.daily ?? false,
    resetHeader: quotedHeader(metadata.headers, 'x-ratelimit-reset'),
  }
}

/** The objects in which the error itself stands. Gateways of Cloudflare list several; the first one counts. */
function innerErrors(outer: JsonObject): JsonObject[] {
  const response = isObject(outer.response) ? outer.response.error : undefined
  return [outer.error, outer.errors, response].map((value) => (Array.isArray(value) ? value[0] : value)).filter(isObject)
}

/** Azure puts the name of its filter one level further in. */
function filterLayers(inner: readonly JsonObject[]): JsonObject[] {
  return inner.map((layer) => layer.innererror).filter(isObject)
}

/** The error of another provider inside a text of this one: its layers, or none when the text is only text. */
function quotedError(raw: unknown): JsonObject[] {
  const value = typeof raw === 'string' ? parsed(raw.slice(0, BODY_LIMIT)) : raw
  const outer: unknown = Array.isArray(value) ? value[0] : value
  return typeof raw === 'string' && isObject(outer) ? [...innerErrors(outer), outer] : []
}

/** An error without the word: a message beside a status, a refusal to succeed, or the name of an exception. */
function isFlatError(outer: JsonObject): boolean {
  const numbers = [outer.code, outer.status, outer.status_code].map(numberOf)
  const isNumbered = numbers.some((number) => number !== null && (statusOf(number) !== null || QUOTA_NUMBERS.has(number)))
  const says = ['message', 'msg', 'detail'].some((key) => typeof outer[key] === 'string')
  return says && (isNumbered || outer.success === false || typeof outer.__type === 'string')
}

function textsOf(outer: JsonObject, layers: readonly JsonObject[], raw: unknown): string[] {
  const texts: string[] = []
  addText(texts, typeof outer.error === 'string' ? outer.error : undefined)
  for (const layer of layers) for (const key of ['message', 'detail', 'msg']) addText(texts, layer[key])
  addText(texts, raw)
  return texts
}

/** A message is text; servers that check a request by a schema send a list of findings, or an object around one. */
function addText(texts: string[], value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (value !== '') texts.push(value.slice(0, BODY_LIMIT))
  } else if (depth < 2 && Array.isArray(value)) {
    addText(texts, value[0], depth + 1)
  } else if (depth < 3 && isObject(value)) {
    addText(texts, value.message ?? value.msg ?? value.detail, depth + 1)
  }
}

/** A typed word is short and has no spaces; only xAI writes sentences into `code`, and those are known. */
function wordOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 100) return undefined
  const lower = value.toLowerCase()
  if (lower === 'error' || lower === 'response.failed') return undefined
  return /^[a-z][\w.-]{0,63}$/.test(lower) ? lower : STATUS_SENTENCES.get(lower.replace(/\.$/, ''))
}

/** `ThrottlingException` of `com.amazon.coral#ThrottlingException:http://…`. */
function amazonName(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const [name = ''] = value.slice(0, 200).split(':')
  return name.slice(name.lastIndexOf('#') + 1).trim()
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : null
}

function statusOf(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && number >= 400 && number <= 599 ? number : null
}

function firstOf(layers: readonly JsonObject[], read: (layer: JsonObject) => number | null): number | null {
  return layers.map(read).find((value) => value !== null) ?? null
}

/** Epoch seconds or ms (Codex), or an RFC 3339 instant. */
function instantOf(value: unknown): number | null {
  if (typeof value === 'number') return epochAt(value)
  return typeof value === 'string' ? rfc3339At(value) : null
}

function secondsOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value < 1e12 ? Math.ceil(value * 1000) : null
}

function quotedHeader(headers: unknown, wanted: string): string | null {
  if (!isObject(headers)) return null
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
