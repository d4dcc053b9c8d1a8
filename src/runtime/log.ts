import type { Failure } from '../model/failure.ts'
import type { TurnFact } from '../model/turn-event.ts'

/** The part of a pino logger that the kernel uses; any logger of that shape will do. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What the kernel writes down. No prompt or answer text ever reaches it (R36). */
export interface Log {
  fact(fact: TurnFact): void
  /** The only place where words of a provider are kept; the logger redacts them (R21). */
  attemptFailed(turn: string, n: number, failure: Failure): void
  listenerThrew(error: unknown): void
  defect(turn: string, defect: unknown): void
}

export const silentLog: Log = { fact() {}, attemptFailed() {}, listenerThrew() {}, defect() {} }

/**
 * Facts at `debug`, holds and recoveries at `info`, failures at `warn`, defects at `error`. A logger that throws loses its line and nothing
 * else: there is nowhere left to tell it.
 */
export function logTo(logger: Logger): Log {
  const write = (level: keyof Logger, fields: object, message: string): void => {
    try {
      logger[level](fields, message)
    } catch {}
  }
  return {
    fact(fact) {
      const { type, ...fields } = loggable(fact)
      write(INFORMATIVE.has(type) ? 'info' : 'debug', fields, type)
    },
    attemptFailed: (turn, n, failure) => write('warn', { turn, n, ...failure }, 'attempt.failed'),
    listenerThrew: (error) => write('warn', { err: error }, 'listener.threw'),
    defect: (turn, defect) => write('error', { turn, err: defect }, 'turn.defect'),
  }
}

const INFORMATIVE: ReadonlySet<string> = new Set(['hold.set', 'recovery.started', 'history.shortened', 'turn.ended', 'warning.raised'])

/** A fact without what only its reader may see: the outcome carries text. */
function loggable(fact: TurnFact): { type: string } & Record<string, unknown> {
  if (fact.type !== 'turn.ended') return { ...fact }
  const { kind, requested, served, attempts, usage, cost, retryAt, attribution, recoveredFrom, historyShortened, unterminated } = fact.outcome
  const { type, turn, at } = fact
  return {
    type,
    turn,
    at,
    kind,
    requested,
    served,
    attempts: attempts.length,
    usage,
    cost,
    retryAt,
    attribution,
    recoveredFrom,
    historyShortened,
    unterminated,
  }
}
