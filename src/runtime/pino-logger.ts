import { pino } from 'pino'
import type { Settings } from '../model/settings.ts'

/**
 * The structured log of a process, as JSON lines.
 *
 * 1. No secret value leaves: known places are redacted by path, and the whole record once more by value, inside provider bodies, error
 *    stacks and keys too. Paths alone miss what was logged under another name or in other words.
 * 2. A record stays valid JSON, whatever characters a secret has: values are taken out of the parsed record, not out of its text.
 * 3. Not part of the core door, which also bundles for a browser.
 */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LoggerOptions {
  /** `warn` by default. */
  readonly level?: LogLevel | undefined
  /**
   * Values that must not occur in the log; `secretValues` lists those of settings. Blank ones are ignored. A function is asked at each line, for
   * whom settings come while the log is written: it answers the same list until there is another, and a list is never changed.
   */
  readonly secrets?: readonly string[] | (() => readonly string[]) | undefined
  /** Takes one line with its newline. */
  readonly write: (line: string) => void
}

const REDACTED = '[redacted]'
/** Shorter values stand in many a number or name of a field by chance; inside texts they are taken out all the same. */
const SHORTEST_BY_CHANCE = 6

const SECRET_KEYS = ['apiKey', 'apiKeys', 'authorization', 'Authorization', 'x-api-key', 'api-key', 'token', 'secret', 'password']
const SECRET_PATHS = SECRET_KEYS.flatMap((key) => ['', '*.', '*.*.', '*.*.*.'].map((depth) => `${depth}["${key}"]`.replace('.[', '[')))

/** A pino logger that writes redacted lines to `write`. Child loggers inherit all of it. */
export function createLogger({ level = 'warn', secrets = [], write }: LoggerOptions): pino.Logger {
  const values = typeof secrets === 'function' ? latestValues(secrets) : constant(valuesOf(secrets))
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: REDACTED },
    },
    { write: (line: string) => write(withoutValues(line, values())) },
  )
}

/** Every secret that the settings hold: credentials of profiles and routes, and header values, which may carry one. */
export function secretValues(settings: Settings): string[] {
  const values: string[] = []
  for (const profile of settings.profiles.values()) {
    for (const { secret } of profile.credentials) if (secret !== null) values.push(secret.reveal())
    const others = [...Object.values(profile.headers), ...Object.values(profile.cli?.env ?? {})]
    values.push(...others.filter((value) => value.length >= SHORTEST_BY_CHANCE))
  }
  for (const { secret } of settings.modelRoutes) if (secret !== null) values.push(secret.reveal())
  return values
}

/** What the secrets are told by, made once: text is searched in one pass, so that what was put in is not searched again. */
interface Values {
  readonly all: readonly string[]
  readonly inText: RegExp
  /** Names of fields are the kernel's own; only a longer value can stand in one by anything but chance. */
  readonly inKey: RegExp
}

function constant<Value>(value: Value): () => Value {
  return () => value
}

/** Made anew only with another list: that is work for every secret, and lines are many. */
function latestValues(secretsNow: () => readonly string[]): () => Values | null {
  let of: readonly string[] | null = null
  let values: Values | null = null
  return () => {
    const secrets = secretsNow()
    if (secrets !== of) values = valuesOf(secrets)
    of = secrets
    return values
  }
}

function valuesOf(secrets: readonly string[]): Values | null {
  const all = [...new Set(secrets)].filter((value) => value.trim() !== '').sort((left, right) => right.length - left.length)
  if (all.length === 0) return null
  return { all, inText: patternOf(all), inKey: patternOf(all.filter((value) => value.length >= SHORTEST_BY_CHANCE)) }
}

function patternOf(values: readonly string[]): RegExp {
  if (values.length === 0) return /(?!)/g
  // A provider may quote the key as JSON or in an address.
  const written = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
  return new RegExp(written.map((each) => each.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
}

function withoutValues(line: string, values: Values | null): string {
  if (values === null) return line
  return `${JSON.stringify(scrubbed(JSON.parse(line), values))}\n`
}

function scrubbed(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return value.replace(values.inText, REDACTED)
  if (typeof value === 'number') {
    return values.all.some((each) => each.length >= SHORTEST_BY_CHANCE && String(value).includes(each)) ? REDACTED : value
  }
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.replace(values.inKey, REDACTED), scrubbed(item, values)]))
}
