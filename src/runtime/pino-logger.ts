import { pino } from 'pino'
import { plainLine } from '../model/plain-line.ts'
import { type Scrub, scrubOf } from '../model/scrub.ts'
import { REDACTED } from '../model/secret.ts'

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

const SECRET_KEYS = ['apiKey', 'apiKeys', 'authorization', 'Authorization', 'x-api-key', 'api-key', 'token', 'secret', 'password']
const SECRET_PATHS = SECRET_KEYS.flatMap((key) => ['', '*.', '*.*.', '*.*.*.'].map((depth) => `${depth}["${key}"]`.replace('.[', '[')))

/** A pino logger that writes redacted lines to `write`. Child loggers inherit all of it. */
export function createLogger({ level = 'warn', secrets = [], write }: LoggerOptions): pino.Logger {
  const scrub = typeof secrets === 'function' ? latestScrub(secrets) : constant(scrubOf(secrets))
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: REDACTED },
    },
    { write: (line: string) => write(plainLine(withoutValues(line, scrub()))) },
  )
}

function constant<Value>(value: Value): () => Value {
  return () => value
}

/** Made anew only with another list: that is work for every secret, and lines are many. */
function latestScrub(secretsNow: () => readonly string[]): () => Scrub {
  let of: readonly string[] | null = null
  let scrub = scrubOf([])
  return () => {
    const secrets = secretsNow()
    if (secrets !== of) scrub = scrubOf(secrets)
    of = secrets
    return scrub
  }
}

function withoutValues(line: string, scrub: Scrub): string {
  return scrub.isEmpty ? line : `${JSON.stringify(scrub.data(JSON.parse(line)))}\n`
}
