import { isObject, type JsonObject } from '../../http/json-object.ts'
import { type Facts, NO_FACTS } from './voice.ts'

/**
 * The typed fields of an error, wherever in a JSON value they stand: the error bodies of OpenAI, Anthropic and Google, the `AGY_ERROR` line,
 * what a gateway wraps around them.
 *
 * 1. At most `NODES` values are looked at, `DEPTH` levels deep: an error says what it is near its top.
 * 2. What stands further out is heard first; of several instants the first counts.
 * 3. JSON inside a text of it is opened once, since clients pass a body on as a message.
 */
const NODES = 400
const DEPTH = 8
const TEXTS = 12

const TEXT_KEYS = new Set(['message', 'error', 'short_error', 'detail', 'msg', 'title', 'error_description'])
const WORD_KEYS = new Set(['type', 'code', 'status', 'reason', '__type'])
const STATUS_KEYS = new Set(['code', 'status', 'status_code', 'error_code', 'api_error_status'])
const RESET_KEYS = new Set(['resets_at', 'resetsAt', 'quotaResetTimeStamp'])
const WAIT_KEYS = new Set(['quotaResetDelay', 'retryDelay'])

interface Found {
  words: string[]
  statuses: number[]
  texts: string[]
  resetsAt: unknown
  waits: string[]
  daily: boolean
  perMinute: boolean
  perModel: boolean
  model: string | null
}

export function factsOf(value: unknown): Facts {
  const found: Found = { words: [], statuses: [], texts: [], resetsAt: null, waits: [], daily: false, perMinute: false, perModel: false, model: null }
  walk(value, found)
  return found
}

/** The facts of the first JSON object in a text; none when there is none that can be read. */
export function factsIn(text: string): Facts {
  const value = objectIn(text)
  return value === null ? NO_FACTS : factsOf(value)
}

/** From the first brace to the last: what stands around it is prose. */
function objectIn(text: string): JsonObject | null {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  if (from < 0 || to < from) return null
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Level by level, so that the outer fields come first; the bound is on what is looked at, not on what is there. */
function walk(root: unknown, found: Found): void {
  let level: unknown[] = [root]
  let left = NODES
  for (let depth = 0; depth < DEPTH && level.length > 0; depth += 1) {
    const next: unknown[] = []
    for (const value of level) {
      if (left <= 0) return
      if (Array.isArray(value)) next.push(...value.slice(0, left))
      else if (isObject(value)) {
        for (const key of Object.keys(value).slice(0, left)) {
          left -= 1
          note(key, value[key], found, next)
        }
      }
    }
    level = next
  }
}

function note(key: string, value: unknown, found: Found, next: unknown[]): void {
  if (typeof value === 'object' && value !== null) next.push(value)
  if (RESET_KEYS.has(key) && (typeof value === 'number' || typeof value === 'string')) found.resetsAt ??= value
  if (typeof value === 'number') noteNumber(key, value, found)
  if (typeof value !== 'string') return
  if (TEXT_KEYS.has(key) && found.texts.length < TEXTS) {
    found.texts.push(value)
    const inner = value.includes('{"') ? objectIn(value) : null
    if (inner !== null) next.push(inner)
  }
  if (WORD_KEYS.has(key) && value.length <= 60) found.words.push(value.toLowerCase())
  if (WAIT_KEYS.has(key)) found.waits.push(value.slice(0, 60))
  if (key === 'quotaId' || key === 'quota_limit') {
    found.daily ||= value.includes('PerDay')
    found.perMinute ||= value.includes('PerMinute')
    found.perModel ||= value.includes('PerModel')
  }
  if (key === 'model') found.model ??= value.slice(0, 100)
}

function noteNumber(key: string, value: number, found: Found): void {
  if (STATUS_KEYS.has(key) && value >= 400 && value <= 599) found.statuses.push(value)
  if (key === 'resets_in_seconds') found.waits.push(`${value}s`)
}
