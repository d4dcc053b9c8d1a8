import type { ActorRefLike, InspectionEvent } from 'xstate'

/**
 * Receives XState inspection events of every actor of a kernel: a function, or an observer, as the inspectors of `@statelyai/inspect` have one
 * in their field `inspect`. One that says when it is watched (`WatchedInspector`) is told of steps only then.
 */
export type Inspector = ((event: InspectionEvent) => void) | InspectionObserver

export interface InspectionObserver {
  next?(event: InspectionEvent): void
}

/** An inspector that is watched at times, and wants to be told every step then alone. A kernel tells it of every actor at once. */
export interface WatchedInspector {
  (event: InspectionEvent): void
  readonly made: (actor: ActorRefLike) => void
  /** `tell` is called at once where somebody watches, and whenever that changes; what is returned ends that. */
  readonly onWatch: (tell: (isOn: boolean) => void) => () => void
}

export function isWatched(inspector: Inspector): inspector is WatchedInspector {
  return 'onWatch' in inspector
}

/** An inspector that cannot hurt: a throw in an XState inspector wedges the actor silently, so it is caught and reported. */
export function guardedInspector(inspector: Inspector, onError: (error: unknown) => void): (event: InspectionEvent) => void {
  const take = typeof inspector === 'function' ? inspector : (event: InspectionEvent): void => inspector.next?.(event)
  return (event) => {
    try {
      take(event)
    } catch (error) {
      onError(error)
    }
  }
}
