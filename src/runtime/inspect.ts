import type { InspectionEvent } from 'xstate'

/** Receives XState inspection events of every actor of a kernel. */
export type Inspector = (event: InspectionEvent) => void

/** An inspector that cannot hurt: a throw in an XState inspector wedges the actor silently, so it is caught and reported. */
export function guardedInspector(inspector: Inspector, onError: (error: unknown) => void): Inspector {
  return (event) => {
    try {
      inspector(event)
    } catch (error) {
      onError(error)
    }
  }
}
