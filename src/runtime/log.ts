import type { Failure } from '../model/failure.ts'
import type { TurnFact } from '../model/turn-event.ts'
import { type ToldFact, withoutText } from './told-fact.ts'

/** The part of a pino logger that the kernel uses; any logger of that shape will do. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** A logger whose every line carries these fields too. Without it each line is given them. */
  child?(fields: object): Logger
  /** Whether a line of this level would be written; without it every line is made. */
  isLevelEnabled?(level: Level): boolean
}

type Level = 'debug' | 'info' | 'warn' | 'error'

/** What the kernel writes down. No prompt or answer text ever reaches it (R36). */
export interface Log {
  fact(fact: TurnFact): void
  /** The only place where words of a provider are kept; the logger redacts them (R21). */
  attemptFailed(turn: string, n: number, failure: Failure): void
  listenerThrew(error: unknown): void
  defect(turn: string, defect: unknown): void
  /** The log for turns of theirs. */
  of(whose: Whose): Log
}

/** Whose turn it is, beside its name: each absent where nobody was named. */
export interface Whose {
  /** Of a team. */
  readonly participant?: string
  /** Whose request it is, as the host named it. */
  readonly caller?: string
}

export const silentLog: Log = { fact() {}, attemptFailed() {}, listenerThrew() {}, defect() {}, of: () => silentLog }

/** Everything is told to both, the first one first. */
export function bothLogs(first: Log, second: Log): Log {
  return {
    fact(fact) {
      first.fact(fact)
      second.fact(fact)
    },
    attemptFailed(turn, n, failure) {
      first.attemptFailed(turn, n, failure)
      second.attemptFailed(turn, n, failure)
    },
    listenerThrew(error) {
      first.listenerThrew(error)
      second.listenerThrew(error)
    },
    defect(turn, defect) {
      first.defect(turn, defect)
      second.defect(turn, defect)
    },
    of: (whose) => bothLogs(first.of(whose), second.of(whose)),
  }
}

/**
 * Facts at `debug`, holds and recoveries at `info`, failures at `warn`, defects at `error`.
 *
 * 1. Each line of a turn carries `turn` and whose it is, `participant` and `caller`; each line of an attempt also `n` and `profile`. They stand in child
 *    loggers where the logger makes some and in the line where it makes none: what is written has the same fields.
 * 2. Where a level is off no fields and no child logger are made for it.
 * 3. A logger that throws loses its line and nothing else: there is nowhere left to tell it.
 */
export function logTo(logger: Logger): Log {
  return linesOf(logger, {})
}

function linesOf(logger: Logger, about: Whose): Log {
  const root = new Lines(logger, null, {})
  const turns = new Map<string, TurnLines>()
  const linesFor = (turn: string): TurnLines => turns.get(turn) ?? new TurnLines(root, turn, about)
  return {
    fact(fact) {
      const lines = linesFor(fact.turn)
      if (fact.type === 'turn.started') turns.set(fact.turn, lines)
      if (fact.type === 'turn.ended') turns.delete(fact.turn)
      lines.fact(fact)
    },
    attemptFailed: (turn, n, failure) => linesFor(turn).ofAttempt(n).write('warn', failure, 'attempt.failed'),
    listenerThrew: (error) => root.write('warn', { err: error }, 'listener.threw'),
    defect: (turn, defect) => linesFor(turn).own.write('error', { err: defect }, 'turn.defect'),
    of: (whose) => linesOf(logger, { ...about, ...whose }),
  }
}

const INFORMATIVE: ReadonlySet<string> = new Set(['hold.set', 'recovery.started', 'history.shortened', 'turn.ended', 'warning.raised'])

/** A logger and the fields that all of its lines carry. */
class Lines {
  readonly #root: Logger
  readonly #above: Lines | null
  readonly #fields: object
  #child: Logger | null = null

  constructor(root: Logger, above: Lines | null, fields: object) {
    this.#root = root
    this.#above = above
    this.#fields = fields
  }

  with(fields: object): Lines {
    return new Lines(this.#root, this, fields)
  }

  write(level: Level, fields: object, message: string): void {
    this.writeMade(level, () => fields, message)
  }

  writeMade(level: Level, fieldsOf: () => object, message: string): void {
    try {
      if (this.#root.isLevelEnabled?.(level) === false) return
      const fields = fieldsOf()
      if (this.#root.child === undefined) this.#root[level]({ ...this.#flat(), ...fields }, message)
      else this.#bound()[level](fields, message)
    } catch {}
  }

  #flat(): object {
    return this.#above === null ? this.#fields : { ...this.#above.#flat(), ...this.#fields }
  }

  /** The child logger, made with its first line. */
  #bound(): Logger {
    if (this.#above === null) return this.#root
    const above = this.#above.#bound()
    this.#child ??= above.child?.(this.#fields) ?? above
    return this.#child
  }
}

/** The lines of one turn, and of its latest attempt. */
class TurnLines {
  readonly own: Lines
  #attempt: { readonly n: number; readonly lines: Lines } | null = null

  constructor(root: Lines, turn: string, about: Whose) {
    this.own = root.with({ turn, ...about })
  }

  fact(fact: TurnFact): void {
    const lines = 'n' in fact ? this.ofAttempt(fact.n, 'profile' in fact ? fact.profile : undefined) : this.own
    lines.writeMade(INFORMATIVE.has(fact.type) ? 'info' : 'debug', () => fieldsOf(fact), fact.type)
  }

  /** One that nobody saw begin has its number alone. */
  ofAttempt(n: number, profile?: string): Lines {
    if (this.#attempt?.n !== n) this.#attempt = { n, lines: this.own.with(profile === undefined ? { n } : { n, profile }) }
    return this.#attempt.lines
  }
}

/** Without what the line has already: its message, and what all lines of the turn or attempt carry. */
function fieldsOf(fact: TurnFact): object {
  const { type, turn, n, profile, ...fields } = withoutText(fact) as ToldFact & { readonly n?: number; readonly profile?: string }
  return fields
}
