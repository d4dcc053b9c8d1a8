import type { PageEvent } from './page-event.ts'

/** What a page that comes late is told of what was. */
export const HISTORY_BOUNDS = { attempts: 10_000, facts: 100_000, lines: 1_000, posts: 1_000, teamEvents: 500 } as const

/**
 * The past, for whoever comes late.
 *
 * 1. It is bounded: of attempts, lines and posts the oldest go first; of what replaces itself there is the last.
 * 2. Texts are made when they are asked for, once for all pages: mostly nobody looks on, and a text costs as much as a third of a turn.
 */
export class PageHistory {
  readonly #facts = new Bounded(HISTORY_BOUNDS.facts, HISTORY_BOUNDS.attempts)
  readonly #teamEvents = new Bounded(HISTORY_BOUNDS.teamEvents)
  readonly #lines = new Bounded(HISTORY_BOUNDS.lines)
  readonly #posts = new Bounded(HISTORY_BOUNDS.posts)
  readonly #latest = new Map<string, PageEvent>()

  take(event: PageEvent): void {
    switch (event.type) {
      case 'turn.told':
        return this.#facts.push(event, event.fact.type === 'attempt.started')
      case 'row.closed':
        return this.#facts.push(event)
      case 'team.told':
        return this.#teamEvents.push(event)
      case 'team.logged':
        return this.#lines.push(event)
      case 'team.posted':
        return this.#posts.push(event)
      case 'team.opened':
        return void this.#latest.set('team', event)
      case 'holds.changed':
        return void this.#latest.set(`holds ${event.kernel}`, event)
      case 'chain.planned':
        return void this.#latest.set(`chain ${event.kernel} ${event.model ?? ''}`, event)
      default:
        // How late it is, and how the actors stand, is asked when it is told.
        return
    }
  }

  /** In the order in which they are to be read. `textOf`: an event as it is sent. */
  messages(textOf: (event: PageEvent) => string): readonly string[] {
    const latest = [...this.#latest.values()].map(textOf)
    return [...latest, ...[this.#facts, this.#teamEvents, this.#lines, this.#posts].flatMap((each) => each.messages(textOf))]
  }
}

/** The latest events: so many, and of those that count so many. Those that a text was made of are that text. */
class Bounded {
  readonly #most: number
  readonly #mostCounted: number
  #messages: (PageEvent | string | null)[] = []
  #counts: boolean[] = []
  #first = 0
  #counted = 0

  constructor(most: number, mostCounted = most) {
    this.#most = most
    this.#mostCounted = mostCounted
  }

  push(event: PageEvent, counts = false): void {
    this.#messages.push(event)
    this.#counts.push(counts)
    if (counts) this.#counted++
    while (this.#messages.length - this.#first > this.#most || this.#counted > this.#mostCounted) this.#dropFirst()
  }

  messages(textOf: (event: PageEvent) => string): readonly string[] {
    for (let at = this.#first; at < this.#messages.length; at += 1) {
      const event = this.#messages[at]
      if (typeof event === 'object' && event !== null) this.#messages[at] = textOf(event)
    }
    return this.#messages.slice(this.#first) as string[]
  }

  /** Moved together now and then: at each time it would cost as much as there is. */
  #dropFirst(): void {
    if (this.#counts[this.#first] === true) this.#counted--
    this.#messages[this.#first++] = null
    if (this.#first * 2 < this.#messages.length) return
    this.#messages = this.#messages.slice(this.#first)
    this.#counts = this.#counts.slice(this.#first)
    this.#first = 0
  }
}
