import {
  type ActorMessage,
  type InspectionMessage,
  type InspectionRelay,
  type InspectionView,
  inspectionRelay,
  type SnapshotMessage,
} from '../../host.ts'
import type { ActorEvent } from './page-event.ts'

/** How many actors that are over are kept; those of a relay are as many. */
const ENDED_KEPT = 100

/**
 * The actors of one kernel, as the page has them.
 *
 * 1. While nobody watches nothing is made of what they do; whoever begins to watch is told every actor as it stands.
 * 2. Live actors are kept, and of those that are over the last hundred.
 */
export class ToldActors {
  readonly #kernel: string
  readonly #relay: InspectionRelay
  readonly #tell: (event: ActorEvent) => void
  readonly #actors = new Map<string, ActorEvent>()
  readonly #ended: string[] = []
  #view: InspectionView | null = null

  /** `now`: epoch ms on the clock of the kernel. */
  constructor(kernel: string, now: () => number, tell: (event: ActorEvent) => void) {
    this.#kernel = kernel
    this.#relay = inspectionRelay({ now })
    this.#tell = tell
  }

  /** To be given to the kernel. */
  get inspect(): InspectionRelay['inspect'] {
    return this.#relay.inspect
  }

  /** Every actor as it stands; empty while nobody watches. */
  get present(): readonly ActorEvent[] {
    return [...this.#actors.values()]
  }

  watch(): void {
    if (this.#view !== null) return
    this.#view = this.#relay.attach(
      {
        take: (message) => {
          this.#take(message)
          return true
        },
      },
      { definitions: false },
    )
  }

  leave(): void {
    this.#view?.detach()
    this.#view = null
    this.#actors.clear()
    this.#ended.length = 0
  }

  #take(message: InspectionMessage): void {
    if (message.type === '@xstate.event') return
    const event = message.type === '@xstate.actor' ? this.#begun(message) : this.#stepped(message)
    if (event === null) return
    const before = this.#actors.get(event.session)
    this.#actors.set(event.session, event)
    if (event.status !== 'active' && (before === undefined || before.status === 'active')) this.#forget(event.session)
    this.#tell(event)
  }

  /** Null for an actor of a chart that is none of ours: there is nothing to light. */
  #begun({ sessionId, parentId, chart, name, snapshot, createdAt }: ActorMessage): ActorEvent | null {
    if (chart === null) return null
    return {
      type: 'actor.stepped',
      at: Number(createdAt),
      kernel: this.#kernel,
      session: sessionId,
      parent: parentId ?? null,
      machine: chart,
      name: this.#nameOf(chart, name, parentId),
      state: stateOf(snapshot.value),
      status: snapshot.status,
      event: null,
    }
  }

  #stepped({ sessionId, snapshot, event, createdAt }: SnapshotMessage): ActorEvent | null {
    const known = this.#actors.get(sessionId)
    if (known === undefined) return null
    return { ...known, at: Number(createdAt), state: stateOf(snapshot.value), status: snapshot.status, event: event.type }
  }

  /** What it is about: a stream has no name of its own, and is that of a turn. */
  #nameOf(chart: string, name: string, parent: string | undefined): string {
    if (chart === 'turn') return withoutStart(name, 'turn ')
    if (chart === 'engine') return withoutStart(name, 'engine-')
    if (chart !== 'stream' || parent === undefined) return name
    return this.#actors.get(parent)?.name ?? name
  }

  #forget(session: string): void {
    this.#ended.push(session)
    const oldest = this.#ended.length > ENDED_KEPT ? this.#ended.shift() : undefined
    if (oldest !== undefined) this.#actors.delete(oldest)
  }
}

function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}

/** Charts of ours are flat; of one that is not, the way down. */
function stateOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value)
    .map(([state, below]) => [state, stateOf(below)].filter((each) => each !== '').join('.'))
    .join(' ')
}
