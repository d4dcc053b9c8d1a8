import type { PageEvent } from './page-event.ts'

/** What a page that comes late is told of what was. */
export const HISTORY_BOUNDS = { attempts: 10_000, facts: 100_000, lines: 1_000, posts: 1_000, teamEvents: 500 } as const

/**
 * The past, as the messages that were sent of it.
 *
 * 1. It is bounded: of attempts, lines and posts the oldest go first; of what replaces itself there is the last.
 * 2. It keeps text that is ready to be sent, so that many pages at once share it.
 */
export class PageHistory {
  readonly #facts = new Bounded(HISTORY_BOUNDS.facts, HISTORY_BOUNDS.attempts)
  readonly #teamEvents = new Bounded(HISTORY_BOUNDS.teamEvents)
  readonly #lines = new Bounded(HISTORY_BOUNDS.lines)
  readonly #posts = new Bounded(HISTORY_BOUNDS.posts)
  readonly #latest = new Map<string, string>()

  /** `message`: `event` as it is sent. */
  take(event: PageEvent, message: string): void {
    switch (event.type) {
      case 'turn.told':
        return this.#facts.push(message, event.fact.type === 'attempt.started')
      case 'row.closed':
        return this.#facts.push(message)
      case 'team.told':
        return this.#teamEvents.push(message)
      case 'team.logged':
        return this.#lines.push(message)
      case 'team.posted':
        return this.#posts.push(message)
      case 'team.opened':
        return void this.#latest.set('team', message)
      case 'holds.changed':
        return void this.#latest.set(`holds ${event.kernel}`, message)
      case 'chain.planned':
        return void this.#latest.set(`chain ${event.kernel} ${event.model ?? ''}`, message)
      default:
        // How late it is, and how the actors stand, is asked when it is told.
        return
    }
  }

  get messages(): readonly string[] {
    return [...this.#latest.values(), ...[this.#facts, this.#teamEvents, this.#lines, this.#posts].flatMap((each) => each.messages)]
  }
}

/** The latest messages: so many, and of those that count so many. */
class Bounded {
  readonly #most: number
  readonly #mostCounted: number
  #messages: (string | null)[] = []
  #counts: boolean[] = []
  #first = 0
  #counted = 0

  constructor(most: number, mostCounted = most) {
    this.#most = most
    this.#mostCounted = mostCounted
  }

  push(message: string, counts = false): void {
    this.#messages.push(message)
    this.#counts.push(counts)
    if (counts) this.#counted++
    while (this.#messages.length - this.#first > this.#most || this.#counted > this.#mostCounted) this.#dropFirst()
  }

  get messages(): readonly string[] {
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
