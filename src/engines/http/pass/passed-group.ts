import type { PassedFrames, ProviderEvent, StreamFrame } from '../../../model/provider-event.ts'
import type { FrameEvent } from '../framing.ts'
import { isObject } from '../json-object.ts'
import type { PassingProtocol, ShownTexts } from '../passing-protocol.ts'
import { bytesOf } from '../passing-protocol.ts'

/** Events of a stream that were read: nearly always one. What they would be with other texts is worked out only where a reader may not see all. */
export class PassedGroup implements PassedFrames {
  readonly type = 'frames'
  readonly bytes: Uint8Array
  readonly events: readonly ProviderEvent[]
  readonly frames: readonly StreamFrame[]
  readonly ending: boolean
  readonly #protocol: PassingProtocol

  constructor(protocol: PassingProtocol, bytes: Uint8Array, events: readonly ProviderEvent[], seen: readonly FrameEvent[], ending: boolean) {
    this.#protocol = protocol
    this.bytes = bytes
    this.events = events
    this.frames = seen.map(({ event, data }) => ({ event: event ?? null, data }))
    this.ending = ending
  }

  get repeats(): boolean {
    return this.#protocol.repeats
  }

  shown(texts: ShownTexts): readonly StreamFrame[] {
    return this.frames.flatMap((frame) => {
      const value = objectOf(frame.data)
      if (value === null) return [frame]
      const shown = this.#protocol.shown(value, texts)
      if (shown === value) return [frame]
      return shown === null ? [] : [{ event: frame.event, data: JSON.stringify(shown) }]
    })
  }

  further(text: string): readonly StreamFrame[] {
    for (const frame of [...this.frames].reverse()) {
      const value = objectOf(frame.data)
      const made = value === null ? null : this.#protocol.further(value, text)
      if (made !== null) return [{ event: made.name ?? frame.event, data: JSON.stringify(made.event) }]
    }
    return []
  }

  written(frames: readonly StreamFrame[]): Uint8Array {
    return bytesOf(frames)
  }
}

function objectOf(data: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
