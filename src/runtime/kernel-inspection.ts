import type { AnyActorRef, InspectionEvent } from 'xstate'
import { guardedInspector, type Inspector, isWatched, type WatchedInspector } from './inspect.ts'

/**
 * How the inspector of a kernel is told of its actors.
 *
 * 1. One that says when it is watched is told of each actor that is made, and of steps only while it is watched: XState makes some twenty-five
 *    objects of a streamed turn for whoever inspects, which was a tenth of what a turn costs.
 * 2. Every other inspector is told everything.
 * 3. None can hurt: what it throws is reported.
 */
export class KernelInspection {
  /** Is told every step, whoever watches. */
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly #watched: WatchedInspector | null
  readonly #onError: (error: unknown) => void
  #end = (): void => {}

  constructor(inspector: Inspector | undefined, onError: (error: unknown) => void) {
    this.inspect = inspector === undefined ? undefined : guardedInspector(inspector, onError)
    this.#watched = inspector !== undefined && isWatched(inspector) ? inspector : null
    this.#onError = onError
  }

  /** Options of the actor that `begin` is told of. */
  get atTop(): { readonly inspect?: (event: InspectionEvent) => void } {
    return this.#watched !== null || this.inspect === undefined ? {} : { inspect: this.inspect }
  }

  /** The top of the tree whose steps are told while somebody watches; before it starts. */
  begin(top: AnyActorRef): void {
    const [watched, inspect] = [this.#watched, this.inspect]
    if (watched === null || inspect === undefined) return
    this.made(top)
    let told: { unsubscribe(): void } | null = null
    const unwatch = watched.onWatch((isOn) => {
      if (isOn) told ??= top.system.inspect(inspect)
      else {
        told?.unsubscribe()
        told = null
      }
    })
    this.#end = () => {
      unwatch()
      told?.unsubscribe()
      told = null
    }
  }

  made(actor: AnyActorRef): void {
    try {
      this.#watched?.made(actor)
    } catch (error) {
      this.#onError(error)
    }
  }

  end(): void {
    this.#end()
  }
}
