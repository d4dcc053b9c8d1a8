import type { Fault } from './fault.ts'
import { faulted } from './faults.ts'
import type { ScriptedCallItem, ScriptedOutcome, ScriptedRefusalToServe, ScriptedStream, ScriptedStreamItem } from './script.ts'
import { type Answer, type AnswerContext, CannotSay, type Response, type ServedOutcome, type Step } from './voice.ts'

/** Between two signs of life of an answer that only ever pretends to go on, in ms. */
const KEEP_ALIVE_EVERY_MS = 10

/** The answer that an item of a queue stands for. Throws `CannotSay` for what the protocol has no words for. */
export function answerTo(item: ScriptedCallItem | ScriptedStreamItem, context: AnswerContext): Answer {
  if (!('fault' in item)) return plainAnswer(item, context)
  const faults: readonly Fault[] = Array.isArray(item.fault) ? item.fault : [item.fault]
  const answer = item.answer ?? ordinaryItem(context.mode)
  const events = 'events' in answer ? answer.events : null
  return faulted(faults, { base: () => baseOf(answer, faults, context), events, context })
}

/** What is said where a script says nothing: an ordinary short answer. */
function ordinaryItem(mode: 'call' | 'stream'): ScriptedOutcome | ScriptedStream {
  const usage = { input: 7, output: 3 }
  if (mode === 'call') return { ok: 'loopback answer', usage }
  return { events: [{ text: 'loopback ' }, { text: 'answer' }, { usage }, { final: 'stop' }] }
}

function baseOf(item: ScriptedOutcome | ScriptedStream, faults: readonly Fault[], context: AnswerContext): Response {
  const answer = plainAnswer(item, context)
  if (answer.kind !== 'response') throw new CannotSay(`the fault ${faults[0]?.kind} needs an answer with a body to be done to`)
  return answer
}

function plainAnswer(item: ScriptedOutcome | ScriptedStream, context: AnswerContext): Answer {
  if (tellsIterations(item) && context.voice.tellsIterations !== true) {
    throw new CannotSay(`${context.voice.api} does not tell which models a provider tried; script iterations on anthropic-messages`)
  }
  if ('events' in item) return response(context, context.voice.stream(item.events, context.identity, context.asked))
  if (isServed(item)) {
    const body = JSON.stringify(context.voice.call(item, context.identity))
    return response(context, [{ do: 'write', bytes: body }, { do: 'end' }])
  }
  return unserved(item, context)
}

function tellsIterations(item: ScriptedOutcome | ScriptedStream): boolean {
  const told: readonly object[] = 'events' in item ? item.events : [item]
  return told.some((each) => 'iterations' in each && each.iterations !== undefined)
}

function isServed(item: ScriptedOutcome): item is ServedOutcome {
  return 'ok' in item || 'empty' in item || 'refusal' in item || 'length' in item
}

function unserved(item: ScriptedRefusalToServe, context: AnswerContext): Answer {
  if ('network' in item) return { kind: 'reset' }
  if ('pending' in item) return { kind: 'silence', statusLine: false }
  if ('timeout' in item) return stalled(item.timeout, context)
  const { bytes, contentType } = errorBytes(item, context)
  return {
    kind: 'response',
    status: item.http,
    headers: { 'content-type': contentType, ...context.voice.headers(context.identity), ...item.headers },
    steps: [{ do: 'write', bytes }, { do: 'end' }],
  }
}

function errorBytes(item: Extract<ScriptedRefusalToServe, { http: number }>, context: AnswerContext): { bytes: string; contentType: string } {
  if (typeof item.body === 'string') return { bytes: item.body, contentType: 'text/plain; charset=utf-8' }
  const body = item.body ?? context.voice.errorBody(item.http, `scripted status ${item.http}`, context.identity)
  const told = item.usage === undefined ? body : { ...(body as object), usage: item.usage }
  return { bytes: JSON.stringify(told), contentType: 'application/json' }
}

/** A connection on this machine is made before the server knows of it, so `connect` is the silence that follows it. */
function stalled(point: 'connect' | 'first_byte' | 'idle' | 'total', context: AnswerContext): Answer {
  if (point === 'connect' || point === 'first_byte') return { kind: 'silence', statusLine: false }
  const sign = context.mode === 'stream' ? context.voice.keepAlive : ' '
  if (point === 'idle') return response(context, [{ do: 'write', bytes: sign }, { do: 'stall' }])
  return response(context, [{ do: 'repeat', bytes: sign, times: Number.POSITIVE_INFINITY, everyMs: KEEP_ALIVE_EVERY_MS }])
}

function response(context: AnswerContext, steps: readonly Step[]): Response {
  const contentType = context.mode === 'stream' ? (context.voice.streamType ?? 'text/event-stream; charset=utf-8') : 'application/json'
  return { kind: 'response', status: 200, headers: { 'content-type': contentType, ...context.voice.headers(context.identity) }, steps }
}
