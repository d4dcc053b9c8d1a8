import type { PageEvent } from '../page-event.ts'
import { readEvent } from './read-event.ts'

/** An event that is longer than this is none of ours. */
const EVENT_CHARACTERS = 8_000_000

/** Server-sent events, piece by piece: what came to an end in this piece. The data of one is an event of the page, or a list of them. */
export class SseReader {
  #rest = ''
  #data: string[] = []

  add(piece: string): PageEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > EVENT_CHARACTERS) throw new Error('an event without an end')
    const events: PageEvent[] = []
    for (const line of lines) {
      if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line === '' && this.#data.length > 0) {
        events.push(...eventsOf(this.#data.join('\n')))
        this.#data = []
      }
    }
    return events
  }
}

/** What cannot be read is left out: a newer server may tell what this page does not know. */
function eventsOf(data: string): PageEvent[] {
  let values: unknown
  try {
    values = JSON.parse(data)
  } catch {
    return []
  }
  return (Array.isArray(values) ? values : [values]).flatMap((value) => {
    const read = readEvent(value)
    return 'event' in read ? [read.event] : []
  })
}
