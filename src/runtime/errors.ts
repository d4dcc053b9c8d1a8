import type { Outcome } from '../model/outcome.ts'
import type { Diagnostic } from '../model/plan.ts'
import { aggregate } from '../policy/aggregate.ts'

const MARKER = Symbol.for('relevo.error')

/** Base of every error at the door. `code` is stable; `isInstance` also recognises errors of another copy of the package. */
export class RelevoError extends Error {
  readonly code: string
  readonly [MARKER] = true

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }

  static isInstance(value: unknown): value is RelevoError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}

/** The settings or a request cannot be used. `problems` holds every one of them; the message has a line for each: path, what, remedy. */
export class ConfigError extends RelevoError {
  readonly problems: readonly Diagnostic[]

  constructor(problems: readonly Diagnostic[]) {
    super(problems[0]?.code ?? 'config_error', problems.map((each) => `${each.path}: ${each.message} (${each.code}). ${each.remedy}`).join('\n'))
    this.problems = problems
  }
}

/** A turn that ended without an answer; `outcome` says why the walk stopped and lists the attempts. */
export class TurnError extends RelevoError {
  readonly outcome: Outcome

  constructor(code: string, message: string, outcome: Outcome, cause: unknown) {
    super(code, message, cause === undefined ? undefined : { cause })
    this.outcome = outcome
  }
}

/** Every allowed entry failed, is held, or the conversation fits none (R18, R20, R21). `retryAt` is in the outcome when waiting helps. */
export class TurnExhaustedError extends TurnError {}

/** The stream broke off after output was shown; nothing was asked again (R28). The kept text is `outcome.partialText`. */
export class StreamInterruptedAfterOutput extends TurnError {}

/** The turn was cancelled (R30). */
export class TurnCancelledError extends TurnError {}

/** The provider refused or filtered the answer (R22). */
export class RefusedError extends TurnError {}

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
