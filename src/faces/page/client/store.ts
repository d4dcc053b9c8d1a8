import type { PageEvent } from '../page-event.ts'
import type { Connection } from './event-stream.ts'
import { played, RecordedStates, type Recording, RecordingReader } from './recording.ts'
import { reduced } from './reduce.ts'
import { EMPTY, type PageState } from './state.ts'

/** What the components are drawn from. */
export interface PageModel {
  readonly connection: Connection
  /** Of what is shown: the recording where one is open, else live. */
  readonly state: PageState
  readonly player: Player | null
  /** A file is being read; how much of it, from 0 to 1. */
  readonly reading: number | null
  /** Why a file could not be opened. */
  readonly failure: string | null
}

export interface Player {
  readonly recording: Recording
  /** How many of its events have been told. */
  readonly position: number
  readonly playing: boolean
  /** Times as fast as it was. */
  readonly speed: number
}

/** Between two drawings while events keep coming. */
const FRAME_MS = 80
/** Taken in at once; more wait for the next frame, so that keys and clicks come through. */
const BATCH = 4_000
const PIECE_BYTES = 512 * 1024
const FRAME_OF_PLAYER_MS = 50

/**
 * Where the page's state lives, and the only place that changes it.
 *
 * 1. Live events go on being taken in while a recording is looked at.
 * 2. What is heard is drawn in frames, however fast it comes.
 */
export class Store {
  #model: PageModel = { connection: 'connecting', state: EMPTY, player: null, reading: null, failure: null }
  #live: PageState = EMPTY
  #pending: PageEvent[] = []
  #flush: ReturnType<typeof setTimeout> | null = null
  #flushedAt = 0
  /** When the live clock was told, on that of the wall. */
  #toldAt = 0
  #states = new RecordedStates([])
  #frame: ReturnType<typeof setTimeout> | null = null
  readonly #listeners = new Set<() => void>()

  get model(): PageModel {
    return this.#model
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** How late it is there, epoch ms. */
  now(): number {
    const { state, player } = this.#model
    if (player !== null) return state.at
    const { at, rate } = state.clock
    return Math.max(state.at, at + (performance.now() - this.#toldAt) * rate)
  }

  hear(events: readonly PageEvent[]): void {
    for (const event of events) this.#pending.push(event)
    this.#flush ??= setTimeout(() => this.#takeIn(), Math.max(0, this.#flushedAt + FRAME_MS - performance.now()))
  }

  connected(connection: Connection): void {
    this.#change({ connection })
  }

  #takeIn(): void {
    const { clock } = this.#live
    this.#live = reduced(this.#live, this.#pending.splice(0, BATCH))
    if (this.#live.clock !== clock) this.#toldAt = performance.now()
    this.#flushedAt = performance.now()
    this.#flush = this.#pending.length === 0 ? null : setTimeout(() => this.#takeIn(), 0)
    if (this.#model.player === null) this.#change({ state: this.#live })
  }

  #change(change: Partial<PageModel>): void {
    this.#model = { ...this.#model, ...change }
    for (const listener of this.#listeners) listener()
  }

  /** Reads a recorded file piece by piece and shows its end. */
  async open(file: File): Promise<void> {
    this.#change({ reading: 0, failure: null })
    try {
      const reader = new RecordingReader()
      const decoder = new TextDecoder()
      for (let from = 0; from < file.size; from += PIECE_BYTES) {
        reader.add(decoder.decode(await file.slice(from, from + PIECE_BYTES).arrayBuffer(), { stream: true }))
        this.#change({ reading: from / file.size })
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
      this.#show(reader.finish(file.name))
    } catch {
      this.#change({ reading: null, failure: `${file.name} cannot be read.` })
    }
  }

  #show(recording: Recording): void {
    const [problem] = recording.problems
    if (recording.events.length === 0) {
      const why = problem === undefined ? 'it is empty' : `line ${problem.line} ${problem.text}`
      return this.#change({ reading: null, failure: `${recording.name} holds no event of a recording: ${why}.` })
    }
    this.#states = new RecordedStates(recording.events)
    this.#change({ reading: null, player: { recording, position: 0, playing: false, speed: 1 } })
    this.seek(recording.events.length)
  }

  close(): void {
    this.#stopFrames()
    this.#states = new RecordedStates([])
    this.#change({ player: null, state: this.#live, failure: null })
  }

  seek(position: number): void {
    const { player } = this.#model
    if (player === null) return
    const place = Math.min(player.recording.events.length, Math.max(0, Math.round(position)))
    const playing = player.playing && place < player.recording.events.length
    this.#change({ player: { ...player, position: place, playing }, state: this.#states.at(place) })
  }

  /** From the end it plays from the beginning. */
  play(playing: boolean): void {
    const { player } = this.#model
    if (player === null) return
    this.#stopFrames()
    if (playing && player.position >= player.recording.events.length) this.seek(0)
    this.#change({ player: { ...(this.#model.player ?? player), playing } })
    if (playing) this.#playFrame(performance.now(), 0)
  }

  speed(speed: number): void {
    const { player } = this.#model
    if (player !== null) this.#change({ player: { ...player, speed } })
  }

  #playFrame(since: number, leftMs: number): void {
    this.#frame = setTimeout(() => {
      const { player } = this.#model
      if (player === null || !player.playing) return
      const now = performance.now()
      const to = played(player.recording.events, player.position, leftMs + now - since, player.speed)
      if (to.position !== player.position) this.seek(to.position)
      if (this.#model.player?.playing === true) this.#playFrame(now, to.leftMs)
    }, FRAME_OF_PLAYER_MS)
  }

  #stopFrames(): void {
    if (this.#frame !== null) clearTimeout(this.#frame)
    this.#frame = null
  }
}
