import { BehaviorSubject, type Observable } from 'rxjs'
import { type ActorRefFrom, type AnyActorRef, createActor } from 'xstate'
import type { Clock } from '../model/clock.ts'
import type { Board, Hold } from '../model/hold.ts'
import type { KernelCore } from './core.ts'
import { wiredEngine } from './wire.ts'

/** Where holds are kept beyond this kernel. The board of the kernel is always read locally; a store is told, never asked during a turn. */
export interface HoldStore {
  /** Holds known before the first turn. */
  load(): Iterable<Hold>
  /** A hold that stands now; the one it replaces ended before it (R15). */
  report(hold: Hold): void
  clear(key: string): void
}

/**
 * The engine actors of a kernel and the board that they write.
 *
 * 1. The board is replaced, never changed, so that a decision keeps the view it was made on.
 * 2. Only an engine actor writes its place; a lapse is a background wake, so that a hold of hours keeps no process alive.
 * 3. An engine that has a defect is made anew at its next use: what is unknown about availability means available.
 */
export class EngineRoom {
  readonly #core: Pick<KernelCore, 'clock' | 'made'>
  readonly #clock: Clock
  readonly #store: HoldStore | null
  readonly #onStoreError: (error: unknown) => void
  readonly #parent: AnyActorRef
  readonly #engines = new Map<string, ActorRefFrom<typeof wiredEngine>>()
  readonly #lapses = new Map<string, () => void>()
  readonly #board$ = new BehaviorSubject<Board>(new Map())
  #stopped = false

  constructor(core: Pick<KernelCore, 'clock' | 'made'>, parent: AnyActorRef, store: HoldStore | null, onStoreError: (error: unknown) => void) {
    this.#core = core
    this.#clock = core.clock
    this.#parent = parent
    this.#store = store
    this.#onStoreError = onStoreError
    for (const hold of store?.load() ?? []) this.#engineOf(hold.key).send({ type: 'hold.reported', hold })
  }

  get board(): Board {
    return this.#board$.value
  }

  /** The holds as they stand, and again at each change. */
  get board$(): Observable<Board> {
    return this.#board$.asObservable()
  }

  /** Makes the engine of a key known before a turn may report on it: an actor is not made inside another's action. */
  ensure(key: string): void {
    this.#engineOf(key)
  }

  report(hold: Hold): void {
    this.#engineOf(hold.key).send({ type: 'hold.reported', hold })
    if (this.board.get(hold.key) === hold) this.#tellStore((store) => store.report(hold))
  }

  /** Lifts a hold before its time; false when there is none. */
  clear(key: string): boolean {
    if (!this.board.has(key)) return false
    this.#engineOf(key).send({ type: 'hold.cleared' })
    this.#tellStore((store) => store.clear(key))
    return true
  }

  /** A turn that ends on the same order may still report a hold: it is armed no more. */
  stop(): void {
    this.#stopped = true
    for (const cancel of this.#lapses.values()) cancel()
    this.#lapses.clear()
    this.#board$.complete()
  }

  /** A store that fails costs no turn its answer: the board is what decisions read. */
  #tellStore(tell: (store: HoldStore) => void): void {
    if (this.#store === null) return
    try {
      tell(this.#store)
    } catch (error) {
      this.#onStoreError(error)
    }
  }

  #engineOf(key: string): ActorRefFrom<typeof wiredEngine> {
    const present = this.#engines.get(key)
    if (present !== undefined) return present
    const engine = createActor(wiredEngine, {
      id: `engine-${key}`,
      parent: this.#parent,
      input: { key, port: { publish: (at, hold) => this.#publish(at, hold) } },
    })
    this.#core.made(engine)
    engine.subscribe({ error: () => this.#forget(key) })
    this.#engines.set(key, engine)
    return engine.start()
  }

  #forget(key: string): void {
    this.#engines.delete(key)
    this.#lapses.get(key)?.()
    this.#lapses.delete(key)
    const board = new Map(this.board)
    if (board.delete(key)) this.#board$.next(board)
  }

  #publish(key: string, hold: Hold | null): void {
    this.#lapses.get(key)?.()
    this.#lapses.delete(key)
    const board = new Map(this.board)
    if (hold === null) board.delete(key)
    else {
      board.set(key, hold)
      if (!this.#stopped) this.#lapses.set(key, this.#wakeAtLapse(key, hold))
    }
    this.#board$.next(board)
  }

  #wakeAtLapse(key: string, hold: Hold): () => void {
    const lapse = (): void => this.#engineOf(key).send({ type: 'hold.lapsed', now: this.#clock.now() })
    return this.#clock.wakeAt(hold.untilAt, lapse, { background: true })
  }
}
