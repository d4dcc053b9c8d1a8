import { epochAt } from './duration.ts'

/**
 * What an error body says, in the shapes of wire.md §11: `{error: {…}}`, `{error: "text"}`, `{type: "error", error: {…}}`, flat
 * `{object: "error", message, …}`, the same in an array, or bare text. Nothing here throws, whatever the bytes.
 */
export interface ErrorFacts {
  /** The body has the shape of an error, not merely text. */
  readonly isError: boolean
  /** Typed words, lower case, innermost first: `code`, `type`, `status`. */
  readonly words: readonly string[]
  /** A status as a typed field gives it (`code: 502`, `status_code: 400`); never read out of text. */
  readonly status: number | null
  /** Whole numbers given as code, such as 1113. */
  readonly numbers: readonly number[]
  /** What a person would read, innermost first. */
  readonly texts: readonly string[]
  /** Epoch ms of a typed reset (`resets_at`). */
  readonly resetsAt: number | null
  /** A reset header that a router quotes in its body. */
  readonly resetHeader: string | null
}

/** Bodies are looked at up to here: an error says what it is at its beginning. */
export const BODY_LIMIT = 65_536

type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readErrorBody(body: unknown): ErrorFacts {
  const value = typeof body === 'string' ? parsed(body.slice(0, BODY_LIMIT)) : body
  const outer: unknown = Array.isArray(value) ? value[0] : value
  if (isObject(outer)) return factsOf(outer)
  return { ...NO_FACTS, texts: typeof outer === 'string' ? [outer.slice(0, BODY_LIMIT)] : [] }
}

const NO_FACTS: ErrorFacts = { isError: false, words: [], status: null, numbers: [], texts: [], resetsAt: null, resetHeader: null }

/** The JSON of the text, or the text itself. */
function parsed(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Whether a frame or body is an error: an `error` that is not null, or an object that calls itself one. */
export function isErrorObject(value: JsonObject): boolean {
  return (value.error !== undefined && value.error !== null) || value.object === 'error' || value.type === 'error'
}

function factsOf(outer: JsonObject): ErrorFacts {
  const { error } = outer
  const sources = isObject(error) ? [error, outer] : [outer]
  const metadata = isObject(error) && isObject(error.metadata) ? error.metadata : {}
  const texts = typeof error === 'string' ? [error] : []
  for (const source of sources) for (const key of ['message', 'detail', 'msg']) addText(texts, source[key])
  addText(texts, metadata.raw)
  const codes = sources.flatMap((source) => [source.code, source.status_code, source.type, source.status])
  const resetsAt = sources.map((source) => source.resets_at).find((value) => typeof value === 'number')
  const quoted = isObject(metadata.headers) ? (metadata.headers['X-RateLimit-Reset'] ?? metadata.headers['x-ratelimit-reset']) : null
  return {
    isError: isErrorObject(outer),
    words: codes.filter((code): code is string => isWord(code)).map((code) => code.toLowerCase()),
    status: codes.map(statusOf).find((status) => status !== null) ?? null,
    numbers: codes.map(numberOf).filter((number): number is number => number !== null),
    texts,
    resetsAt: resetsAt === undefined ? null : epochAt(resetsAt),
    resetHeader: typeof quoted === 'string' || typeof quoted === 'number' ? String(quoted) : null,
  }
}

function addText(texts: string[], value: unknown): void {
  if (typeof value === 'string' && value !== '') texts.push(value.slice(0, BODY_LIMIT))
}

/** A typed word is short and has no spaces: xAI writes whole sentences into `code`. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== 'error' && /^[A-Za-z][\w.-]{0,63}$/.test(value)
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : null
}

function statusOf(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && number >= 400 && number <= 599 ? number : null
}
