import { gzipSync } from 'node:zlib'
import type { Fault } from './script.ts'
import { type Answer, type AnswerContext, bytesOf, endsBody, type Response, type Step } from './voice.ts'

/**
 * Faults of the wire, done to an answer.
 *
 * 1. Every fault ends by itself or with the client: nothing here can run past `capBytes`, `megabytes` or the connection.
 * 2. Bytes are those of the body before chunked framing; a cut inside a character is a cut inside a character.
 * 3. Pseudo-random bytes come from a seed, so that a failure can be repeated.
 */
const OVERSIZE_CAP_BYTES = 64 * 2 ** 20
const PIECE_BYTES = 64 * 2 ** 10

/** The answer with the fault in it. `base` is asked only by faults that are done to a body. */
export function faulted(fault: Fault, base: () => Response, context: AnswerContext): Answer {
  switch (fault.kind) {
    case 'nothing':
      return { kind: 'silence', statusLine: false }
    case 'stallBeforeHeaders':
      return { kind: 'silence', statusLine: true }
    case 'closeAtOnce':
      return { kind: 'close' }
    case 'html200':
      return { ...base(), headers: { 'content-type': 'text/html; charset=utf-8' }, steps: [{ do: 'write', bytes: HTML }, { do: 'end' }] }
    case 'garbage':
      return { ...base(), steps: [{ do: 'write', bytes: pseudoRandom(fault.bytes, fault.seed ?? 1) }, { do: 'end' }] }
    case 'oversizeLine':
      return { ...base(), steps: oversize(fault.capBytes ?? OVERSIZE_CAP_BYTES, context.mode) }
    case 'hugeBody':
      return { ...base(), steps: huge(fault.megabytes, base(), context) }
    case 'wrongContentType':
      return withHeaders(base(), { 'content-type': fault.contentType ?? 'application/octet-stream' })
    case 'gzip':
      return gzipped(base())
    default:
      return { ...base(), steps: reshaped(fault, base().steps) }
  }
}

type ShapeFault = Extract<Fault, { kind: 'cutAtByte' | 'stallAtByte' | 'dribble' | 'slow' }>

function reshaped(fault: ShapeFault, steps: readonly Step[]): Step[] {
  switch (fault.kind) {
    case 'cutAtByte':
      return [...firstBytes(steps, fault.at), { do: ({ end: 'end', fin: 'close', rst: 'reset' } as const)[fault.by] }]
    case 'stallAtByte':
      return [...firstBytes(steps, fault.at), { do: 'stall' }]
    case 'dribble':
      return dribbled(steps, fault.bytes, fault.everyMs ?? 1)
    case 'slow':
      return steps.flatMap((step): Step[] => (step.do === 'write' ? [{ do: 'wait', ms: fault.everyMs }, step] : [step]))
  }
}

/** The steps up to the first `count` bytes of the body, or all of them without their end. */
function firstBytes(steps: readonly Step[], count: number): Step[] {
  const kept: Step[] = []
  let left = count
  for (const step of steps) {
    if (left <= 0 || endsBody(step)) break
    if (step.do !== 'write') kept.push(step)
    else {
      const bytes = bytesOf(step.bytes).subarray(0, left)
      left -= bytes.length
      kept.push({ do: 'write', bytes })
    }
  }
  return kept
}

function dribbled(steps: readonly Step[], bytes: number, everyMs: number): Step[] {
  const size = Math.max(1, Math.floor(bytes))
  return steps.flatMap((step): Step[] => {
    if (step.do !== 'write') return [step]
    const whole = bytesOf(step.bytes)
    const drops: Step[] = []
    for (let at = 0; at < whole.length; at += size) drops.push({ do: 'write', bytes: whole.subarray(at, at + size) }, { do: 'wait', ms: everyMs })
    return drops
  })
}

function gzipped(base: Response): Response {
  const body = Buffer.concat(base.steps.flatMap((step) => (step.do === 'write' ? [bytesOf(step.bytes)] : [])))
  return { ...withHeaders(base, { 'content-encoding': 'gzip' }), steps: [{ do: 'write', bytes: gzipSync(body) }, { do: 'end' }] }
}

function withHeaders(base: Response, headers: Record<string, string>): Response {
  return { ...base, headers: { ...base.headers, ...headers } }
}

function oversize(capBytes: number, mode: 'call' | 'stream'): Step[] {
  const opening = mode === 'stream' ? 'data: {"text":"' : '{"text":"'
  return [
    { do: 'write', bytes: opening },
    { do: 'repeat', bytes: 'a'.repeat(PIECE_BYTES), times: Math.ceil(capBytes / PIECE_BYTES), everyMs: 0 },
    { do: 'close' },
  ]
}

/** The wanted size in text: many ordinary events of a stream, or one long string of a whole answer. */
function huge(megabytes: number, base: Response, context: AnswerContext): Step[] {
  const times = Math.ceil((megabytes * 2 ** 20) / PIECE_BYTES)
  const filler = 'a'.repeat(PIECE_BYTES)
  if (context.mode === 'stream') {
    const steps = context.voice.stream([{ text: filler }, { final: 'stop' }], context.identity, context.asked)
    return steps.map(
      (step): Step => (step.do === 'write' && bytesOf(step.bytes).includes(filler) ? { do: 'repeat', bytes: step.bytes, times, everyMs: 0 } : step),
    )
  }
  const body = JSON.stringify(context.voice.call({ ok: MARK }, context.identity))
  const [before = '', after = ''] = body.split(MARK)
  return [{ do: 'write', bytes: before }, { do: 'repeat', bytes: filler, times, everyMs: 0 }, { do: 'write', bytes: after }, ...base.steps.slice(-1)]
}

const MARK = '~loopback-filler~'

/** mulberry32: small, public domain, and the same bytes for the same seed everywhere. */
function pseudoRandom(count: number, seed: number): Uint8Array {
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

const HTML = `<!doctype html>
<html><head><title>Sign in</title></head>
<body><h1>Welcome to the network</h1><p>Accept the terms to go on.</p></body></html>
`
