import type { Outcome } from '../model/outcome.ts'
import type { Diagnostic } from '../model/plan.ts'
import { aggregate } from '../policy/aggregate.ts'

/**
 * Base of every error at the door. `code` is stable. `isInstance` of each class asks for that class, and also recognises errors of another
 * copy of the package: every class has a marker that all copies share, and an error carries those of its class and of the bases.
 */
export class RelevoError extends Error {
  static readonly marker: symbol = Symbol.for('relevo.error')
  readonly code: string

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
    this.code = code
    for (let kind: unknown = new.target; isMarked(kind); kind = Object.getPrototypeOf(kind)) Object.defineProperty(this, kind.marker, { value: true })
  }

  static isInstance<Class extends Marked>(this: Class, value: unknown): value is Class['prototype'] {
    // biome-ignore lint/complexity/noThisInStatic: the class that is asked is the point
    return typeof value === 'object' && value !== null && this.marker in value
  }
}

interface Marked {
  readonly marker: symbol
  readonly prototype: unknown
}

function isMarked(kind: unknown): kind is Marked {
  return typeof kind === 'function' && 'marker' in kind
}

/** The settings or a request cannot be used. `problems` holds every one of them; the message has a line for each: path, what, remedy. */
export class ConfigError extends RelevoError {
  static override readonly marker: symbol = Symbol.for('relevo.error.ConfigError')
  readonly problems: readonly Diagnostic[]

  constructor(problems: readonly Diagnostic[]) {
    super(problems[0]?.code ?? 'config_error', problems.map(lineOf).join('\n'))
    this.problems = problems
  }
}

/** One problem as one line: where, what, code, what to do. */
function lineOf({ path, message, code, remedy }: Diagnostic): string {
  return `${path}: ${message.replace(/\.$/, '')} (${code}). ${remedy}`
}

/** A turn that ended without an answer; `outcome` says why the walk stopped and lists the attempts. */
export class TurnError extends RelevoError {
  static override readonly marker: symbol = Symbol.for('relevo.error.TurnError')
  readonly outcome: Outcome

  constructor(code: string, message: string, outcome: Outcome, cause: unknown) {
    super(code, message, cause === undefined ? undefined : { cause })
    this.outcome = outcome
  }
}

/**
 * Every allowed entry failed, is held, or the conversation fits none (R18, R20, R21); also a turn whose tools ran at the provider without an
 * answer, and one that ended by a defect. `code` is the outcome's kind; `retryAt` is in the outcome when waiting helps.
 */
export class TurnExhaustedError extends TurnError {
  static override readonly marker: symbol = Symbol.for('relevo.error.TurnExhaustedError')
}

/** The stream broke off after output was shown; nothing was asked again (R28). The kept text is `outcome.partialText`. */
export class StreamInterruptedAfterOutput extends TurnError {
  static override readonly marker: symbol = Symbol.for('relevo.error.StreamInterruptedAfterOutput')
}

/** The turn was cancelled (R30). */
export class TurnCancelledError extends TurnError {
  static override readonly marker: symbol = Symbol.for('relevo.error.TurnCancelledError')
}

/** The provider refused or filtered the answer (R22). */
export class RefusedError extends TurnError {
  static override readonly marker: symbol = Symbol.for('relevo.error.RefusedError')
}

/** The error of a turn without an answer, or null when it has one. `cause` is the last real failure. */
export function errorOf(outcome: Outcome, cause: unknown): RelevoError | null {
  const { kind } = outcome
  if (kind === 'ok' || kind === 'incomplete') return null
  if (kind === 'config_error') return new ConfigError(outcome.error === null ? [] : [outcome.error])
  const message = aggregate(kind, outcome.failures)
  if (kind === 'cancelled') return new TurnCancelledError(kind, message, outcome, cause)
  if (kind === 'refused') return new RefusedError(kind, message, outcome, cause)
  if (kind === 'interrupted') return new StreamInterruptedAfterOutput(kind, message, outcome, cause)
  return new TurnExhaustedError(kind, message, outcome, cause)
}
