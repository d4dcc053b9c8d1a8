import type { ActorRefLike, StateValue } from 'xstate'
import { type ChartView, chartViewOf } from './inspected-charts.ts'
import type { InspectedState } from './inspection-message.ts'

/** Where an actor stands among all. */
export interface ActorPlace {
  /** Absent at the top of a tree. */
  readonly parent: InspectedActor | null
  /** From 1, in the order in which they came. */
  readonly ordinal: number
  readonly at: number
}

/**
 * An actor as a relay knows it.
 *
 * 1. While it lives its state is read when it is asked for, and nothing is taken from it before.
 * 2. When it is known to be over, what may be told of its state is all that is kept of it.
 */
export class InspectedActor {
  readonly ordinal: number
  readonly parent: InspectedActor | null
  readonly sessionId: string
  readonly rootId: string
  readonly name: string
  readonly view: ChartView | null
  readonly createdAt: number
  /** The last event that it has taken; null before the first, and where nobody watched it. */
  last: { readonly event: string; readonly at: number } | null = null
  #ref: ActorRefLike | null
  #final: InspectedState | null = null

  constructor(ref: ActorRefLike, { parent, ordinal, at }: ActorPlace) {
    this.ordinal = ordinal
    this.parent = parent
    this.sessionId = ref.sessionId
    this.rootId = parent?.rootId ?? this.sessionId
    this.view = chartViewOf(ref)
    this.name = nameOf(ref, this.view)
    this.createdAt = at
    this.#ref = ref
  }

  get state(): InspectedState {
    return this.#final ?? stateOf(this.#ref, this.view)
  }

  /** A chart that breaks ends in silence: it takes no last step. */
  get hasFailed(): boolean {
    return this.#ref !== null && snapshotOf(this.#ref)?.status === 'error'
  }

  /** Over, and not known to be. */
  get isOver(): boolean {
    const status = this.#ref === null ? undefined : snapshotOf(this.#ref)?.status
    return status !== undefined && status !== 'active'
  }

  /** True when that was its last step. */
  step(ref: ActorRefLike, event: string, at: number): boolean {
    this.last = { event, at }
    if (snapshotOf(ref)?.status === 'active') return false
    this.#ref = ref
    this.#final = null
    return true
  }

  /** `stopped`: what it belongs to is over, and itself was told nothing. */
  end(stopped: { readonly at: number } | null): void {
    const { state } = this
    this.#ref = null
    this.#final = stopped === null ? state : { ...state, status: 'stopped' }
    if (stopped !== null) this.last = { event: 'xstate.stop', at: stopped.at }
  }
}

interface KnownSnapshot {
  readonly status: InspectedState['status']
  readonly value?: StateValue
  readonly context?: unknown
}

/** Undefined while the actor is being made: XState gives none then, and throws in development. */
function snapshotOf(ref: ActorRefLike): KnownSnapshot | undefined {
  try {
    return (ref as { getSnapshot?(): KnownSnapshot | undefined }).getSnapshot?.()
  } catch {
    return undefined
  }
}

function stateOf(ref: ActorRefLike | null, view: ChartView | null): InspectedState {
  const snapshot = ref === null ? undefined : snapshotOf(ref)
  return {
    status: snapshot?.status ?? 'active',
    value: view === null ? null : (snapshot?.value ?? view.initial),
    context: view === null || snapshot?.context === undefined ? {} : view.figures(snapshot.context),
    output: undefined,
    error: undefined,
  }
}

/**
 * Its own name, else that of its chart. All turns have one name, which spares XState work; what tells them apart is the name of what carries them
 * out.
 */
function nameOf(ref: ActorRefLike, view: ChartView | null): string {
  const { id, options } = ref as { readonly id?: unknown; readonly options?: { readonly input?: { readonly port?: { readonly id?: unknown } } } }
  const turn = options?.input?.port?.id
  const name = typeof id === 'string' && id !== ref.sessionId ? id : (view?.chart ?? ref.sessionId)
  return view?.chart === 'turn' && typeof turn === 'string' ? `${name} ${turn}` : name
}
