import type { ActorRefLike, InspectionEvent } from 'xstate'
import type { WatchedInspector } from './inspect.ts'
import { InspectedActor } from './inspected-actor.ts'
import {
  type ActorMessage,
  INSPECTION_VERSION,
  type InspectionMessage,
  type InspectionView,
  type InspectionViewer,
  type InspectionViewOptions,
  type SnapshotMessage,
} from './inspection-message.ts'

/** How many actors that are over a viewer is told of that comes later. */
const ENDED_KEPT = 100
const LOOKED_THROUGH = 200

export interface InspectionRelay {
  /**
   * To be given to `createKernel` as `inspect`; one relay serves any number of kernels, and costs them next to nothing while no viewer is
   * attached.
   */
  readonly inspect: WatchedInspector
  /** Every live actor and the last that are over, each with its last state, in the order in which they came. */
  messages(options?: InspectionViewOptions): readonly InspectionMessage[]
  /**
   * The viewer is given `messages()` before this returns, and from then on what happens, as it happens. One that throws is detached. It must not
   * call the kernel while it takes a message: an actor is in the middle of a step then.
   */
  attach(viewer: InspectionViewer, options?: InspectionViewOptions): InspectionView
}

export interface InspectionRelayOptions {
  /** Epoch ms, for `createdAt`. The wall clock by default. */
  readonly now?: (() => number) | undefined
}

/** Makes messages of what XState tells of the actors of kernels, and hands them to any number of viewers. */
export function inspectionRelay({ now = Date.now }: InspectionRelayOptions = {}): InspectionRelay {
  const relay = new Relay(now)
  return {
    inspect: Object.assign((event: InspectionEvent) => relay.take(event), {
      made: (actor: ActorRefLike) => relay.made(actor),
      onWatch: (tell: (isOn: boolean) => void) => relay.onWatch(tell),
    }),
    messages: (options) => relay.messages(options),
    attach: (viewer, options) => relay.attach(viewer, options),
  }
}

/**
 * 1. A viewer that comes late is given every live actor with its last state, and the last hundred that are over.
 * 2. Nobody is waited for: a viewer without room is left out, and is given every actor afresh when it has room. What it is given then is whole,
 *    whatever its room: one with little would never see the end of it.
 * 3. Of an actor that is known to be over nothing is kept but what may be told.
 * 4. While nobody watches no message is made, and no kernel tells a step. Which actors are over is looked for when somebody asks, and whenever
 *    many have come. The last event of one that stepped meanwhile is not known.
 */
class Relay {
  readonly #now: () => number
  readonly #known = new WeakMap<ActorRefLike, InspectedActor>()
  readonly #live = new Set<InspectedActor>()
  readonly #ended = new Set<InspectedActor>()
  readonly #viewers = new Set<Attached>()
  readonly #told = new Set<(isOn: boolean) => void>()
  /** So many live ones are looked through for those that are over. */
  #lookAt = LOOKED_THROUGH
  #actors = 0
  #messages = 0

  constructor(now: () => number) {
    this.#now = now
  }

  take(event: InspectionEvent): void {
    if (event.type === '@xstate.snapshot') this.#step(event.actorRef, event.event.type)
    else if (event.type === '@xstate.event') this.#send(event.actorRef, event.sourceRef, event.event.type)
    else if (event.type === '@xstate.actor') this.#add(event.actorRef)
  }

  messages({ definitions = true }: InspectionViewOptions = {}): readonly InspectionMessage[] {
    this.#look()
    const actors = [...this.#ended, ...this.#live].sort((one, other) => one.ordinal - other.ordinal)
    return actors.flatMap((actor) => [
      fitted(this.#actorMessage(actor), definitions),
      ...(actor.last === null ? [] : [this.#stepMessage(actor, actor.last)]),
    ])
  }

  attach(viewer: InspectionViewer, { definitions = true }: InspectionViewOptions = {}): InspectionView {
    const attached: Attached = { viewer, definitions, missed: null }
    this.#viewers.add(attached)
    if (this.#viewers.size === 1) this.#tellWatched(true)
    this.#replay(attached)
    return { resume: () => this.#resume(attached), detach: () => this.#drop(attached) }
  }

  onWatch(tell: (isOn: boolean) => void): () => void {
    this.#told.add(tell)
    if (this.#viewers.size > 0) tell(true)
    return () => void this.#told.delete(tell)
  }

  made(ref: ActorRefLike): void {
    if (this.#known.has(ref)) return
    this.#add(ref)
    if (this.#live.size >= this.#lookAt) this.#look()
  }

  /** XState tells of no actor that is over while nobody watches, and never of a chart that broke. */
  #look(): void {
    for (const actor of [...this.#live]) if (actor.isOver) this.#end(actor)
    this.#lookAt = Math.max(LOOKED_THROUGH, 2 * this.#live.size)
  }

  #tellWatched(isOn: boolean): void {
    if (!isOn) for (const actor of this.#live) actor.last = null
    for (const tell of this.#told) tell(isOn)
  }

  #drop(attached: Attached): void {
    if (this.#viewers.delete(attached) && this.#viewers.size === 0) this.#tellWatched(false)
  }

  #add(ref: ActorRefLike): void {
    const { _parent } = ref as { readonly _parent?: ActorRefLike }
    const parent = _parent === undefined ? null : (this.#known.get(_parent) ?? null)
    const actor = new InspectedActor(ref, { parent, ordinal: ++this.#actors, at: this.#now() })
    this.#known.set(ref, actor)
    this.#live.add(actor)
    if (this.#viewers.size > 0) this.#publish(this.#actorMessage(actor))
  }

  #send(to: ActorRefLike, from: ActorRefLike | undefined, type: string): void {
    // Of a chart that broke nobody tells but the event that its parent is sent.
    const isFailure = type.startsWith('xstate.error.actor.')
    if (this.#viewers.size === 0 && !isFailure) return
    const sender = from === undefined ? undefined : this.#known.get(from)
    if (isFailure && sender?.hasFailed === true) this.#end(sender)
    if (this.#viewers.size === 0) return
    const actor = this.#known.get(to)
    if (actor !== undefined) this.#publish({ ...this.#head('@xstate.event', actor, this.#now()), sourceId: sender?.sessionId, event: { type } })
  }

  #step(ref: ActorRefLike, event: string): void {
    const actor = this.#known.get(ref)
    if (actor === undefined) return
    if (actor.step(ref, event, this.#now())) this.#end(actor)
    else this.#tellStep(actor)
  }

  /** With the top of a tree all below it are over: XState tells those nothing that were made beside the chart. */
  #end(actor: InspectedActor, stopped: { readonly at: number } | null = null): void {
    actor.end(stopped)
    if (this.#live.delete(actor)) this.#keepEnded(actor)
    this.#tellStep(actor)
    if (actor.parent !== null) return
    for (const other of [...this.#live]) if (other.rootId === actor.rootId) this.#end(other, { at: this.#now() })
  }

  #keepEnded(actor: InspectedActor): void {
    this.#ended.add(actor)
    const [oldest] = this.#ended
    if (oldest !== undefined && this.#ended.size > ENDED_KEPT) this.#ended.delete(oldest)
  }

  #tellStep(actor: InspectedActor): void {
    if (this.#viewers.size === 0) return
    const last = actor.last ?? { event: '', at: this.#now() }
    this.#publish(this.#stepMessage(actor, last))
  }

  #publish(message: InspectionMessage): void {
    for (const attached of [...this.#viewers]) {
      if (attached.missed === null) this.#give(attached, [message])
      else attached.missed++
    }
  }

  #resume(attached: Attached): void {
    const { missed } = attached
    if (missed === null || !this.#viewers.has(attached)) return
    attached.missed = null
    if (missed === 0) return
    this.#guard(attached, () => attached.viewer.missed?.(missed))
    this.#replay(attached)
  }

  #replay(attached: Attached): void {
    this.#give(attached, this.messages())
  }

  #give(attached: Attached, messages: readonly InspectionMessage[]): void {
    this.#guard(attached, () => {
      let hasRoom = true
      for (const message of messages) hasRoom = attached.viewer.take(fitted(message, attached.definitions))
      if (!hasRoom) attached.missed = 0
    })
  }

  #guard(attached: Attached, call: () => void): void {
    try {
      call()
    } catch {
      this.#drop(attached)
    }
  }

  #actorMessage(actor: InspectedActor): ActorMessage {
    const { name, parent, view, createdAt, state } = actor
    return {
      ...this.#head('@xstate.actor', actor, createdAt),
      name,
      parentId: parent?.sessionId,
      definition: view?.definition,
      chart: view?.chart ?? null,
      snapshot: state,
    }
  }

  #stepMessage(actor: InspectedActor, { event, at }: NonNullable<InspectedActor['last']>): SnapshotMessage {
    return { ...this.#head('@xstate.snapshot', actor, at), event: { type: event }, snapshot: actor.state }
  }

  #head<Type extends InspectionMessage['type']>(type: Type, { sessionId, rootId }: InspectedActor, at: number) {
    return { type, sessionId, rootId, id: String(++this.#messages), createdAt: String(at), _version: INSPECTION_VERSION }
  }
}

interface Attached {
  readonly viewer: InspectionViewer
  readonly definitions: boolean
  /** How many messages were left out since it had no room; null while it has. */
  missed: number | null
}

function fitted(message: InspectionMessage, definitions: boolean): InspectionMessage {
  return definitions || message.type !== '@xstate.actor' ? message : { ...message, definition: undefined }
}
