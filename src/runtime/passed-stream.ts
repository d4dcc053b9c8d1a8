import type { PassedFrames, StreamFrame } from '../model/provider-event.ts'

/**
 * What becomes of the bytes of a passed stream: held until the replay boundary is crossed, told from then on, kept back at the end.
 *
 * 1. Bytes are told in the order in which they came, and none before the commit (R27). Tool calls alone commit nothing, so that a stream of
 *    them which breaks off can still be recovered; where they come to more than `MOST_HELD` bytes the boundary is crossed all the same.
 * 2. What a reader may not see is in no byte (R19): an event whose text is shown otherwise is written anew.
 * 3. Nothing that stands behind text of which an end is held back goes before it.
 * 4. From the finish marker on events are kept until the answer is known to be whole, up to `MOST_ENDING` bytes in front of the last.
 */
const MOST_HELD = 4 * 1024 * 1024
const MOST_ENDING = 256 * 1024

export interface PassedStreamListener {
  /** The boundary is crossed, and bytes are still told. */
  readonly isOpen: () => boolean
  /** Crosses it. */
  commit(): void
  tell(bytes: Uint8Array): void
  /** A whole text as a reader may see it. */
  readonly whole: (text: string) => string
  /** Something was taken out of the text so far, or is held back. */
  readonly isAltered: () => boolean
}

/** Events with the pieces of text in them, as they came and as they are shown. */
export interface Heard {
  readonly group: PassedFrames
  readonly texts: string[]
  readonly shown: string[]
}

export class PassedStream {
  readonly #listener: PassedStreamListener
  #held: Uint8Array[] = []
  #heldBytes = 0
  #waiting: Heard[] = []
  #waitingBytes = 0
  readonly #ending: Heard[] = []
  #endingBytes = 0
  /** The last events that brought text. */
  #last: Heard | null = null

  constructor(listener: PassedStreamListener) {
    this.#listener = listener
  }

  /** Nothing waits for text to be decided. */
  get isClear(): boolean {
    return this.#waiting.length === 0 && this.#ending.length === 0
  }

  /** `isHolding`: an end of the text so far is held back, as it may become a tag or marker. */
  take(heard: Heard, isHolding: boolean): void {
    const hasText = heard.texts.length > 0
    if (hasText) this.#last = heard
    if (heard.group.ending) return this.#keepEnding(heard)
    if (hasText) this.#goOn()
    if (!hasText && isHolding) this.#wait(heard)
    else this.#out(this.#bytesOf(heard))
  }

  /** Plain text that was passed unread. */
  skimmed(bytes: Uint8Array): void {
    this.#out(bytes)
  }

  /** The boundary was crossed: what was held is told. */
  release(): void {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    for (const bytes of held) if (this.#listener.isOpen()) this.#listener.tell(bytes)
  }

  /** No more text comes; `rest` is what was held back of it and is text after all. */
  finish(rest: string): void {
    const last = this.#last
    if (rest !== '' && last !== null) {
      if (last.group.ending && this.#ending.includes(last)) last.shown.push((last.shown.pop() ?? '') + rest)
      else this.#out(written(last.group, last.group.further?.(rest) ?? []))
    }
    this.#goOn()
  }

  /** What was never told, since nothing of it crosses the boundary. */
  get held(): readonly Uint8Array[] {
    return this.#held
  }

  /** The end of the stream, from its finish marker on. */
  endingFrames(): readonly StreamFrame[] {
    return this.#ending.flatMap((heard) => (this.#isChanged(heard) ? this.#shown(heard) : heard.group.frames))
  }

  #goOn(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    for (const heard of waiting) this.#out(this.#bytesOf(heard))
  }

  #wait(heard: Heard): void {
    this.#waiting.push(heard)
    this.#waitingBytes += heard.group.bytes.length
    if (this.#waitingBytes > MOST_HELD) this.#goOn()
  }

  #keepEnding(heard: Heard): void {
    this.#endingBytes += heard.group.bytes.length
    this.#ending.push(heard)
    while (this.#ending.length > 1 && this.#endingBytes - heard.group.bytes.length > MOST_ENDING) this.#endingGoesOn()
  }

  #endingGoesOn(): void {
    const first = this.#ending.shift()
    if (first === undefined) return
    this.#endingBytes -= first.group.bytes.length
    this.#goOn()
    this.#out(this.#bytesOf(first))
  }

  #out(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    if (this.#listener.isOpen()) return this.#listener.tell(bytes)
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes > MOST_HELD) this.#listener.commit()
  }

  #bytesOf(heard: Heard): Uint8Array {
    return this.#isChanged(heard) ? written(heard.group, this.#shown(heard)) : heard.group.bytes
  }

  #isChanged({ group, texts, shown }: Heard): boolean {
    if (group.repeats === true && this.#listener.isAltered()) return true
    return texts.some((text, at) => shown[at] !== text)
  }

  #shown({ group, shown }: Heard): readonly StreamFrame[] {
    let at = 0
    const piece = (): string => shown[at++] ?? ''
    return group.shown?.({ piece, whole: this.#listener.whole }) ?? []
  }
}

function written(group: PassedFrames, frames: readonly StreamFrame[]): Uint8Array {
  return frames.length === 0 ? NO_BYTES : (group.written?.(frames) ?? NO_BYTES)
}

const NO_BYTES = new Uint8Array(0)
