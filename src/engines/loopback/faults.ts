import { gzipSync } from 'node:zlib'
import { byteAt, lengthOf, parted, said } from './body.ts'
import type { Fault, Place } from './fault.ts'
import { filler, HTML, hugeAnswer, pseudoRandom } from './filler.ts'
import type { ScriptedEvent } from './script.ts'
import { type Answer, type AnswerContext, bytesOf, CannotSay, type Response, type Step } from './voice.ts'

/**
 * Faults of the wire, done to an answer.
 *
 * 1. Every fault ends by itself or with the client: nothing here can run past `capBytes`, `megabytes` or the connection.
 * 2. A number as place is one of the body as it stands; the places of events are those of the answer before any fault.
 * 3. Pseudo-random bytes come from a seed, so that a failure can be repeated.
 */
export interface Subject {
  /** The answer without a fault; asked only by faults that are done to one. */
  readonly base: () => Response
  /** What the stream says; null for a whole answer or none. */
  readonly events: readonly ScriptedEvent[] | null
  readonly context: AnswerContext
}

/** The answer with all of the faults in it, in order. */
export function faulted(faults: readonly Fault[], subject: Subject): Answer {
  let answer: Answer | null = null
  for (const fault of faults) {
    const before: Answer | null = answer
    if (before !== null && before.kind !== 'response') throw new Error(`no answer is left for the fault ${fault.kind}`)
    answer = faultedOnce(fault, before === null ? subject : { ...subject, base: () => before })
  }
  return answer ?? subject.base()
}

function faultedOnce(fault: Fault, subject: Subject): Answer {
  switch (fault.kind) {
    case 'silence':
      return { kind: 'silence', statusLine: false }
    case 'stallBeforeHeaders':
      return { kind: 'silence', statusLine: true }
    case 'closeAtOnce':
      return { kind: 'close' }
    case 'notHttp':
      return { kind: 'raw', bytes: pseudoRandom(fault.bytes, fault.seed ?? 1) }
    default:
      return answered(fault, subject.base(), subject)
  }
}

type AnswerFault = Exclude<Fault, { kind: 'silence' | 'stallBeforeHeaders' | 'closeAtOnce' | 'notHttp' }>

function answered(fault: AnswerFault, base: Response, subject: Subject): Response {
  const { context } = subject
  switch (fault.kind) {
    case 'headerBomb':
      return withHeaders(base, { 'x-loopback-bomb': 'a'.repeat(fault.bytes) })
    case 'html200':
      return { ...withHeaders(base, { 'content-type': 'text/html; charset=utf-8' }), steps: [{ do: 'write', bytes: HTML }, { do: 'end' }] }
    case 'error200':
      return errorInside200(fault.http, fault.message ?? `scripted status ${fault.http}`, base, context)
    case 'wrongContentType':
      return withHeaders(base, { 'content-type': fault.contentType ?? 'application/octet-stream' })
    case 'gzip':
      return fault.when === 'asked' && !context.takesGzip ? base : gzipped(base)
    case 'oversizeLine':
    case 'oversizeEvent':
    case 'hugeBody':
      return { ...base, steps: fault.kind === 'hugeBody' ? hugeAnswer(fault.megabytes, base, context) : filler(fault, context.mode) }
    case 'endTwice':
    case 'contentAfter':
      return { ...base, steps: [...said(base.steps), ...goingOn(fault, base, context), { do: 'end' }] }
    default:
      return { ...base, steps: reshaped(fault, base.steps, (place) => byteAt(place, base.steps, subject.events, context)) }
  }
}

type ShapeFault = Extract<AnswerFault, { kind: 'cut' | 'stall' | 'holdOpen' | 'garbage' | 'brokenFraming' | 'dribble' | 'slow' }>

function reshaped(fault: ShapeFault, steps: readonly Step[], byteOf: (place: Place) => number): Step[] {
  switch (fault.kind) {
    case 'cut':
      return [...parted(steps, byteOf(fault.at)).before, { do: ({ end: 'end', fin: 'close', rst: 'reset' } as const)[fault.by] }]
    case 'stall':
      return [...parted(steps, byteOf(fault.at)).before, { do: 'stall' }]
    case 'holdOpen':
      return [...said(steps), { do: 'stall' }]
    case 'garbage':
      return withGarbage(pseudoRandom(fault.bytes, fault.seed ?? 1), steps, fault.at === undefined ? null : byteOf(fault.at))
    case 'brokenFraming':
      return [...parted(steps, byteOf(fault.at)).before, { do: 'raw', bytes: 'no chunk size\r\n' }, { do: 'close' }]
    case 'dribble':
      return dribbled(steps, fault.bytes, fault.everyMs ?? 1)
    case 'slow':
      return steps.flatMap((step): Step[] => (step.do === 'write' ? [{ do: 'wait', ms: fault.everyMs }, step] : [step]))
  }
}

function withGarbage(bytes: Uint8Array, steps: readonly Step[], at: number | null): Step[] {
  if (at === null) return [{ do: 'write', bytes }, { do: 'end' }]
  const { before, after } = parted(steps, at)
  return [...before, { do: 'write', bytes }, ...after]
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
  if (lengthOf(base.steps) === Number.POSITIVE_INFINITY) throw new CannotSay('an answer without an end cannot be compressed')
  const pieces = said(base.steps).flatMap((step) => (step.do === 'write' ? [bytesOf(step.bytes)] : step.do === 'repeat' ? repeated(step) : []))
  return { ...withHeaders(base, { 'content-encoding': 'gzip' }), steps: [{ do: 'write', bytes: gzipSync(Buffer.concat(pieces)) }, { do: 'end' }] }
}

function repeated({ bytes, times }: Extract<Step, { do: 'repeat' }>): Buffer[] {
  return Array.from({ length: times }, () => bytesOf(bytes))
}

function withHeaders(base: Response, headers: Record<string, string>): Response {
  return { ...base, headers: { ...base.headers, ...headers } }
}

/** A gateway that lost the status of its upstream. */
function errorInside200(http: number, message: string, base: Response, { voice, identity }: AnswerContext): Response {
  const bytes = JSON.stringify(voice.errorBody(http, message, identity))
  return { ...withHeaders(base, { 'content-type': 'application/json' }), steps: [{ do: 'write', bytes }, { do: 'end' }] }
}

/** What a stream says after its end. */
function goingOn(fault: Extract<Fault, { kind: 'endTwice' | 'contentAfter' }>, base: Response, context: AnswerContext): readonly Step[] {
  if (context.mode === 'call') throw new CannotSay(`a whole answer has no end to go on after; script ${fault.kind} in a stream`)
  if (fault.kind === 'contentAfter') return said(context.voice.stream([{ text: fault.text }, { final: 'stop' }], context.identity, context.asked))
  return said(base.steps)
    .filter((step) => step.do === 'write')
    .slice(-1)
}
