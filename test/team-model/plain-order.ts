import type { Books, Spot } from './plain-books.ts'

/** One participant as the rules speak of it. */
export interface Worker {
  readonly id: string
  readonly spots: readonly Spot[]
  /** Which of them it ran on last. */
  at: number
  /** Those that it went past because they were limited. */
  readonly past: Set<number>
  silent: number
  /** It said that it sees nothing left to do. */
  done: boolean
}

/** Somebody's turn, and where the order stands behind it. */
export interface Turn {
  readonly worker: Worker
  readonly place: number
}

/** Whose turn is next; `spots`: nobody's, until one of these is free again. */
export type Next =
  | (Turn & { readonly startedBy: string; readonly giver: Worker | null; readonly spot: number })
  | { readonly spots: readonly Spot[]; readonly kept: Worker | null }

/**
 * Whose turn it is (T11, T12, T15, G03–G08, G18, G31): an approved turn, one that is repeated, a teammate for one that is given away, who is
 * asked for, the order.
 */
export class Order {
  readonly workers: readonly Worker[]
  place = 0
  again: Turn | null = null
  giver: Turn | null = null
  gates = new Set<string>()
  approved: Worker[] = []
  /** Whom the person asked for, until they go on, and whom the newest post does. */
  asked: { person: string | null; post: string | null } = { person: null, post: null }
  readonly #books: Books
  readonly #list: readonly string[]

  constructor(books: Books, ids: readonly string[], picks: readonly string[] | null) {
    this.#books = books
    this.#list = picks ?? ids
    this.workers = ids.map((id) => ({ id, spots: books.spotsOf(id), at: 0, past: new Set(), silent: 0, done: false }))
  }

  next(): Next {
    const [approved] = this.approved
    if (approved !== undefined) {
      const own = approved.spots.slice(0, 1)
      if (!own.some((spot) => this.#books.isFree(spot))) return { spots: own, kept: approved }
      return { worker: approved, spot: 0, startedBy: 'gate', place: this.place, giver: null }
    }
    if (this.again !== null) {
      const { worker } = this.again
      const spot = this.#freeSpot(worker)
      if (spot !== -1) return { ...this.again, spot, startedBy: 'retry', giver: null }
      if (this.keeps(worker)) return { spots: worker.spots, kept: worker }
    }
    return this.#given() ?? this.#ordered()
  }

  /** To nobody is given what a gate holds, and what is a team's of one (T12). */
  keeps({ id }: Worker): boolean {
    return this.gates.has(id) || this.workers.length === 1
  }

  /** Of every worker that can do anything, and none is owed a turn. */
  get areAllDone(): boolean {
    return this.workers.every(({ done, spots }) => done || spots.length === 0) && this.approved.length === 0 && this.again === null
  }

  nobodyIsDone(): void {
    for (const worker of this.workers) worker.done = false
  }

  /** Somebody who is done could have the turn: the person may ask for it, and their message ends such a wait. */
  get isIdle(): boolean {
    return this.workers.some((worker) => worker.done && this.#freeSpot(worker) !== -1)
  }

  /** What outlives a restart: where the thread stands, and nothing of engines (T7). */
  takeOver({ place, again, gates, approved, asked, workers }: Order): void {
    const own = ({ id }: Worker): Worker => this.workers.find((worker) => worker.id === id) ?? wrong('who?')
    this.place = place
    this.again = again === null ? null : { worker: own(again.worker), place: again.place }
    this.gates = gates
    this.approved = approved.map(own)
    this.asked = asked
    for (const worker of workers) own(worker).done = worker.done
  }

  #given(): Next | null {
    const giver = this.again ?? this.giver
    if (giver === null) return null
    const taker = this.#inOrder(giver.place, (worker) => worker !== giver.worker && this.#can(worker))
    return taker === null ? null : { ...taker, spot: this.#freeSpot(taker.worker), startedBy: 'handoff', giver: giver.worker }
  }

  #ordered(): Next {
    const next = this.#inOrder(this.place, (worker) => this.#can(worker) || (this.gates.has(worker.id) && !worker.done))
    if (next === null) return { spots: this.workers.flatMap((worker) => (worker.done ? [] : worker.spots)), kept: null }
    const spot = this.#freeSpot(next.worker)
    if (spot === -1) return { spots: next.worker.spots, kept: next.worker }
    return { ...next, spot, startedBy: 'pick', giver: null }
  }

  /** Who is asked for, when they can, and that takes nobody's place; else the order. */
  #inOrder(place: number, can: (worker: Worker) => boolean): Turn | null {
    const asked = this.workers.find(({ id }) => id === (this.asked.person ?? this.asked.post))
    const next = this.#around(place, can)
    return asked === undefined || asked === next?.worker || !can(asked) ? next : { worker: asked, place }
  }

  /** The list goes round; who is passed by is used up. Nobody in it: the others as listed (G04). */
  #around(place: number, can: (worker: Worker) => boolean): Turn | null {
    for (let step = 0; step < this.#list.length; step++) {
      const at = (place + step) % this.#list.length
      const worker = this.workers.find(({ id }) => id === this.#list[at])
      if (worker !== undefined && can(worker)) return { worker, place: (at + 1) % this.#list.length }
    }
    const other = this.workers.find(can)
    return other === undefined ? null : { worker: other, place }
  }

  /** Who is done is gone around. */
  #can(worker: Worker): boolean {
    return !worker.done && this.#freeSpot(worker) !== -1
  }

  /** The earliest free one, which is not always the first (T15). */
  #freeSpot(worker: Worker): number {
    return worker.spots.findIndex((spot) => this.#books.isFree(spot))
  }
}

/** The worker runs on another of its spots; what is told of that, once (T9, T15, G02). */
export function movedTo(worker: Worker, to: number, books: Books): string | null {
  const { id, at, past, spots } = worker
  const [from, target] = [spots[at], spots[to]]
  worker.at = to
  if (from === undefined || target === undefined || to === at) return null
  if (to > at) {
    for (let each = at; each < to; each++) if (books.isLimited(spots[each])) past.add(each)
    return books.isLimited(from) ? `${id}: ${from.engine} limited → ${target.engine}` : null
  }
  const isTold = past.has(to)
  for (let each = to; each < spots.length; each++) past.delete(each)
  return isTold ? `${id}: limit lifted — back on ${target.own ? 'its primary provider' : target.engine}` : null
}

export function wrong(what: string): never {
  throw new Error(what)
}

/** A turn as it is called. */
export interface Call {
  readonly n: number
  readonly worker: Worker
  readonly startedBy: string
  readonly place: number
  /** By whom its worker was asked for when it began. */
  heard?: { readonly person: string | null; readonly post: string | null }
}
