import type { Place } from './fault.ts'
import type { ScriptedEvent } from './script.ts'
import { type AnswerContext, bytesOf, endsBody, type Step } from './voice.ts'

/**
 * A body as steps that can be measured, parted and put together again.
 *
 * 1. Bytes are those before chunked framing; a part may end inside a character.
 * 2. Waits stay where they stood between the bytes.
 */

/** How many bytes the steps write; without end when they repeat for ever. */
export function lengthOf(steps: readonly Step[]): number {
  let length = 0
  for (const step of said(steps)) {
    if (step.do === 'write') length += bytesOf(step.bytes).length
    else if (step.do === 'repeat') length += bytesOf(step.bytes).length * step.times
  }
  return length
}

/** The steps up to the first `count` bytes, and those behind them with the end of the body. */
export function parted(steps: readonly Step[], count: number): { before: Step[]; after: Step[] } {
  const before: Step[] = []
  const after: Step[] = []
  let left = count
  for (const step of steps) {
    if (left <= 0 || endsBody(step)) after.push(step)
    else if (step.do === 'write') {
      const bytes = bytesOf(step.bytes)
      before.push({ do: 'write', bytes: bytes.subarray(0, left) })
      if (bytes.length > left) after.push({ do: 'write', bytes: bytes.subarray(left) })
      left -= bytes.length
    } else if (step.do === 'repeat') left -= partedRepeat(step, left, before, after)
    else before.push(step)
  }
  return { before, after }
}

function partedRepeat(step: Extract<Step, { do: 'repeat' }>, left: number, before: Step[], after: Step[]): number {
  const bytes = bytesOf(step.bytes)
  const times = Math.min(step.times, Math.floor(left / bytes.length))
  const rest = left - times * bytes.length
  before.push({ ...step, times })
  if (times === step.times) return times * bytes.length
  before.push({ do: 'write', bytes: bytes.subarray(0, rest) })
  after.push({ do: 'write', bytes: bytes.subarray(rest) }, { ...step, times: step.times - times - 1 })
  return left
}

/** The steps before the first one that ends the body. */
export function said(steps: readonly Step[]): readonly Step[] {
  const end = steps.findIndex(endsBody)
  return end < 0 ? steps : steps.slice(0, end)
}

/** The byte of a body that a place means. `events`: what the body says, or null for a whole answer. */
export function byteAt(place: Place, steps: readonly Step[], events: readonly ScriptedEvent[] | null, context: AnswerContext): number {
  const length = lengthOf(steps)
  if (place === 'end') return length
  if (typeof place === 'number') return place < 0 ? Math.max(0, length + place) : Math.min(place, length)
  if (events === null) return Math.floor(length / 2)
  if ('frame' in place) return frameStart(place.frame, steps)
  if ('beforeEvent' in place) return lengthOf(before(place.beforeEvent, events, context))
  return middleOf(before(place.insideEvent + 1, events, context))
}

/** Where a frame begins: one write is one frame of a voice. */
function frameStart(index: number, steps: readonly Step[]): number {
  const frames = said(steps).filter((step) => step.do === 'write')
  return lengthOf(frames.slice(0, index))
}

/** What is written before the words of an event: a voice puts the wait of an event there, so a wait marks the place in any protocol. */
function before(index: number, events: readonly ScriptedEvent[], context: AnswerContext): readonly Step[] {
  const marked = events.map((event, at) => ({ ...event, afterMs: at === index ? 1 : undefined }))
  const steps = said(context.voice.stream(marked, context.identity, context.asked))
  const mark = steps.findIndex((step) => step.do === 'wait')
  return mark < 0 ? steps : steps.slice(0, mark)
}

function middleOf(written: readonly Step[]): number {
  const last = written.findLast((step) => step.do === 'write')
  return lengthOf(written) - Math.ceil((last === undefined ? 0 : lengthOf([last])) / 2)
}
