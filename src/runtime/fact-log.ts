import type { Log, Whose } from './log.ts'
import { type ToldFact, withoutText } from './told-fact.ts'

/** Told of each fact as it happens: the fact itself and no copy, so that nothing of it may be changed. */
export type FactListener = (fact: ToldFact, whose: Whose) => void

/** A log that hands facts over: one listener of one kernel costs a turn less than the channels of the process do. */
export function factLog(listener: FactListener, onError: (error: unknown) => void, whose: Whose = {}): Log {
  return {
    fact(fact) {
      try {
        listener(withoutText(fact), whose)
      } catch (error) {
        onError(error)
      }
    },
    attemptFailed() {},
    listenerThrew() {},
    defect() {},
    of: (other) => factLog(listener, onError, { ...whose, ...other }),
  }
}
