import type { ServerResponse } from 'node:http'
import { EventStream } from './event-stream.ts'
import type { ActorEvent, PageEvent } from './page-event.ts'
import { PageHistory } from './page-history.ts'
import type { PageSink, PageSources } from './page-sources.ts'
import { PageTime } from './page-time.ts'

/** What happens is handed over so often: a browser draws no faster, and a message costs it more than what is in it. */
const FRAME_MS = 50
/** How often is looked whether the clock or the plans have become others. */
const LOOK_MS = 250
/** A sign of life, so that neither end nor anything between takes the silence for the end. */
const BEAT_MS = 15_000
export const MOST_VIEWERS = 64

/** What a page is told before anything else. */
export type Opening = Omit<Extract<PageEvent, { readonly type: 'page.opened' }>, 'type' | 'at' | 'version' | 'showsText'>

/**
 * Everybody who looks on.
 *
 * 1. Whoever comes late is told all that stands first, and sees the same as one that was there.
 * 2. Between two frames an actor is told once, as it stands; everything else, each time.
 * 3. While nobody looks on only the past is kept.
 */
export class PageViewers implements PageSink {
  readonly showsText: boolean
  readonly #sources: PageSources
  readonly #opening: Opening
  readonly #history = new PageHistory()
  readonly #time: PageTime
  readonly #streams = new Set<EventStream>()
  readonly #actors = new Map<string, ActorEvent>()
  #pending: string[] = []
  #count = 0
  #frame: NodeJS.Timeout | null = null
  #looking: NodeJS.Timeout | null = null
  #sinceBeatMs = 0

  constructor(sources: PageSources, opening: Opening, showsText: boolean) {
    this.#sources = sources
    this.#opening = opening
    this.showsText = showsText
    this.#time = new PageTime(
      () => sources.now(),
      () => performance.now(),
    )
    sources.tell(this)
  }

  take(event: PageEvent): void {
    if (event.type === 'actor.stepped') {
      if (this.#streams.size === 0) return
      const key = `${event.kernel} ${event.session}`
      // Behind what stepped before it.
      this.#actors.delete(key)
      this.#actors.set(key, event)
    } else {
      this.#history.take(event)
      if (this.#streams.size === 0) return
      this.#pending.push(this.#message(event))
    }
    this.#frame ??= setTimeout(() => this.#flush(), FRAME_MS)
  }

  /** As many look on as may. */
  get isFull(): boolean {
    return this.#streams.size >= MOST_VIEWERS
  }

  add(response: ServerResponse): void {
    if (this.#streams.size === 0) this.#wake()
    // What is pending is in the past that the new one is told.
    this.#flush()
    const stream = new EventStream(response, this.#past())
    this.#streams.add(stream)
    response.on('close', () => this.#remove(stream))
    stream.begin()
  }

  /** The end of all streams. */
  close(): void {
    this.#flush()
    const last = this.#message({ type: 'page.closed', at: this.#sources.now(), why: 'over' })
    for (const stream of [...this.#streams]) {
      stream.end(last)
      this.#remove(stream)
    }
  }

  #past(): string[] {
    const at = this.#sources.now()
    const { showsText } = this
    return [
      this.#message({ type: 'page.opened', at, version: 1, showsText, ...this.#opening }),
      this.#message(this.#time.present()),
      ...this.#history.messages((event) => this.#message(event)),
      ...this.#sources.presentActors.map((event) => this.#message(event)),
    ]
  }

  #wake(): void {
    this.#sources.watchActors()
    // Those that were told just now are in the past of whoever comes.
    this.#actors.clear()
    this.#looking = setInterval(() => this.#look(), LOOK_MS)
    this.#looking.unref()
  }

  #remove(stream: EventStream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return
    this.#sources.leaveActors()
    this.#actors.clear()
    this.#pending = []
    if (this.#looking !== null) clearInterval(this.#looking)
    this.#looking = null
  }

  #look(): void {
    this.#sources.look()
    const time = this.#time.look()
    if (time !== null) this.take(time)
    this.#sinceBeatMs += LOOK_MS
    if (this.#sinceBeatMs < BEAT_MS) return
    this.#sinceBeatMs = 0
    this.#hand(':\n\n')
  }

  #flush(): void {
    if (this.#frame !== null) clearTimeout(this.#frame)
    this.#frame = null
    for (const event of this.#actors.values()) this.#pending.push(this.#message(event))
    this.#actors.clear()
    const pending = this.#pending
    this.#pending = []
    if (pending.length > 0) this.#hand(pending.join(''))
  }

  #hand(text: string): void {
    for (const stream of [...this.#streams]) {
      if (stream.push(text)) continue
      stream.end(this.#message({ type: 'page.closed', at: this.#sources.now(), why: 'slow' }))
      this.#remove(stream)
    }
  }

  #message(event: PageEvent): string {
    return `id: ${++this.#count}\ndata: ${JSON.stringify(event)}\n\n`
  }
}
