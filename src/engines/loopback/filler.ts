import type { Fault } from './fault.ts'
import { type AnswerContext, bytesOf, type Response, type Step } from './voice.ts'

/** Bodies that are large, or nobody's words at all. */
const OVERSIZE_CAP_BYTES = 64 * 2 ** 20
const PIECE_BYTES = 64 * 2 ** 10
/** Text of one event of a large answer. */
const TEXT_BYTES = 16 * 2 ** 10
const MARK = '~loopback-filler~'

/** A line, or an event of many lines, that never ends. */
export function filler(fault: Extract<Fault, { kind: 'oversizeLine' | 'oversizeEvent' }>, mode: 'call' | 'stream'): Step[] {
  const isLine = fault.kind === 'oversizeLine'
  const opening = mode === 'call' ? '{"text":"' : isLine ? 'data: {"text":"' : 'data: {"text":\n'
  const piece = isLine || mode === 'call' ? 'a'.repeat(PIECE_BYTES) : `data: ${' '.repeat(PIECE_BYTES - 7)}\n`
  const times = Math.ceil((fault.capBytes ?? OVERSIZE_CAP_BYTES) / PIECE_BYTES)
  return [{ do: 'write', bytes: opening }, { do: 'repeat', bytes: piece, times, everyMs: 0 }, { do: 'close' }]
}

/** The wanted size in text: many ordinary events of a stream, or one long string of a whole answer. */
export function hugeAnswer(megabytes: number, base: Response, context: AnswerContext): Step[] {
  const times = Math.ceil((megabytes * 2 ** 20) / TEXT_BYTES)
  const text = 'a'.repeat(TEXT_BYTES)
  if (context.mode === 'stream') {
    const steps = context.voice.stream([{ text }, { final: 'stop' }], context.identity, context.asked)
    // Where a protocol says the whole text again at its end, that stays as it is: the answer would be as large in one event.
    const first = steps.findIndex((step) => step.do === 'write' && bytesOf(step.bytes).includes(text))
    return steps.map((step, at): Step => (step.do === 'write' && at === first ? { do: 'repeat', bytes: step.bytes, times, everyMs: 0 } : step))
  }
  const body = JSON.stringify(context.voice.call({ ok: MARK }, context.identity))
  const [before = '', after = ''] = body.split(MARK)
  return [{ do: 'write', bytes: before }, { do: 'repeat', bytes: text, times, everyMs: 0 }, { do: 'write', bytes: after }, ...base.steps.slice(-1)]
}

/** mulberry32: small, public domain, and the same bytes for the same seed everywhere. */
export function pseudoRandom(count: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(count)
  let state = seed >>> 0
  for (let index = 0; index < count; index++) {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    bytes[index] = ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff
  }
  return bytes
}

export const HTML = `<!doctype html>
<html><head><title>Sign in</title></head>
<body><h1>Welcome to the network</h1><p>Accept the terms to go on.</p></body></html>
`
