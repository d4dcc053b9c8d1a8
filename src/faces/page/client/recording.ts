import type { PageEvent } from '../page-event.ts'
import { readLine } from './read-event.ts'
import { reduced } from './reduce.ts'
import { EMPTY, type PageState } from './state.ts'

/**
 * A recorded trace: its events, and the state at any of them.
 *
 * 1. A line that cannot be read is left out and told with its number; the rest of the file is shown.
 * 2. A file is as large as memory allows and no larger: what is past a bound is told, and not read.
 */
export interface Recording {
  readonly name: string
  readonly events: readonly PageEvent[]
  readonly problems: readonly LineProblem[]
  /** Problems in all; of very many only the first are kept. */
  readonly problemCount: number
}

export interface LineProblem {
  /** From 1. */
  readonly line: number
  readonly text: string
}

export const RECORDING_BOUNDS = { events: 500_000, lineCharacters: 1_000_000, problems: 100 } as const

/** Takes a file piece by piece, so that whoever reads it can let the browser breathe in between. */
export class RecordingReader {
  readonly #events: PageEvent[] = []
  readonly #problems: LineProblem[] = []
  #problemCount = 0
  #line = 0
  #rest = ''
  /** The present line is past its bound, and what comes of it is dropped. */
  #dropping = false

  add(piece: string): void {
    const lines = (this.#rest + piece).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    if (this.#rest.length > RECORDING_BOUNDS.lineCharacters) {
      this.#dropping = true
      this.#rest = ''
    }
  }

  finish(name: string): Recording {
    if (this.#rest.trim() !== '' || this.#dropping) this.#take(this.#rest)
    this.#rest = ''
    const first = this.#events[0]
    if (first !== undefined && first.type !== 'page.opened')
      this.#problem(1, 'the first event is not page.opened; this is not the beginning of a recording')
    return { name, events: this.#events, problems: this.#problems, problemCount: this.#problemCount }
  }

  #take(line: string): void {
    this.#line++
    if (this.#dropping || line.length > RECORDING_BOUNDS.lineCharacters) {
      this.#dropping = false
      return this.#problem(this.#line, `is longer than ${RECORDING_BOUNDS.lineCharacters} characters`)
    }
    if (line.trim() === '') return
    if (this.#events.length >= RECORDING_BOUNDS.events) return this.#problem(this.#line, `is past the first ${RECORDING_BOUNDS.events} events`)
    const read = readLine(line)
    if ('event' in read) this.#events.push(read.event)
    else this.#problem(this.#line, read.problem)
  }

  #problem(line: number, text: string): void {
    this.#problemCount++
    if (this.#problems.length < RECORDING_BOUNDS.problems) this.#problems.push({ line, text })
  }
}

/** States of a recording by how many events they have seen. Some on the way are kept, so that going back does not begin at the beginning. */
export class RecordedStates {
  readonly #events: readonly PageEvent[]
  readonly #every: number
  readonly #kept: PageState[] = [EMPTY]
  #last: { readonly position: number; readonly state: PageState } = { position: 0, state: EMPTY }

  constructor(events: readonly PageEvent[]) {
    this.#events = events
    this.#every = Math.max(1_000, Math.ceil(events.length / 60))
  }

  /** After the first `position` events. */
  at(position: number): PageState {
    const place = Math.min(Math.floor(position / this.#every), this.#kept.length - 1)
    const kept = { position: place * this.#every, state: this.#kept[place] ?? EMPTY }
    let from = this.#last.position <= position && this.#last.position > kept.position ? this.#last : kept
    while (from.position < position) {
      const to = Math.min(position, (Math.floor(from.position / this.#every) + 1) * this.#every)
      from = { position: to, state: reduced(from.state, this.#events.slice(from.position, to)) }
      if (to % this.#every === 0) this.#kept[to / this.#every] = from.state
    }
    this.#last = from
    return from.state
  }
}

/** A pause between two events is played no longer than this, at whatever speed: a night of waiting is a blink. */
export const LONGEST_PAUSE_MS = 1_000

/** How far a player comes in `budgetMs` of the wall, from behind `position` events; `left`: what of the time was not used up. */
export function played(
  events: readonly PageEvent[],
  position: number,
  budgetMs: number,
  speed: number,
): { readonly position: number; readonly leftMs: number } {
  let left = budgetMs
  let now = position
  while (now < events.length && now - position < 5_000) {
    const pause = now === 0 ? 0 : ((events[now]?.at ?? 0) - (events[now - 1]?.at ?? 0)) / speed
    const wait = Math.min(LONGEST_PAUSE_MS, Math.max(0, pause))
    if (wait > left) break
    left -= wait
    now++
  }
  return { position: now, leftMs: now === events.length ? 0 : left }
}
