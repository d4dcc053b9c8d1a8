import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes, decodeAll } from './kit.ts'

/** Small streams of our own making (wire.md §2), so that a clone proves itself without recordings. */
export type Event = Readonly<Record<string, unknown>> & { readonly type: string }
export const API = 'openai-responses'
export const sse = (...events: readonly (Event | string)[]) =>
  bytes(events.map((event) => (typeof event === 'string' ? event : `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)).join(''))
export const read = (...events: readonly (Event | string)[]) => decodeAll(API, [sse(...events)])
export const whole = (body: unknown): ProviderEvent[] => {
  const events: ProviderEvent[] = []
  httpProtocol(API)?.decodeAnswer(typeof body === 'string' ? body : JSON.stringify(body), { now: () => 0 }, (event) => events.push(event))
  return events
}
export const last = (events: readonly ProviderEvent[]) => events.at(-1)
export const failureOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []))[0]
export const types = (events: readonly ProviderEvent[]) => events.map((event) => event.type)

export const created: Event = { type: 'response.created', response: { id: 'r', status: 'in_progress', error: null } }
export const delta = (text: string, more: object = {}): Event => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  delta: text,
  ...more,
})
export const added = (output_index: number, item: object): Event => ({ type: 'response.output_item.added', output_index, item })
export const done = (output_index: number, item: object): Event => ({ type: 'response.output_item.done', output_index, item })
export const completed = (more: object = {}): Event => ({
  type: 'response.completed',
  response: { id: 'r', status: 'completed', error: null, output: [], ...more },
})
export const incomplete = (reason: string | null, more: object = {}): Event => ({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: reason === null ? null : { reason }, output: [], ...more },
})
export const usage = { input_tokens: 5, output_tokens: 7 }
export const message = (text: string) => ({ type: 'message', id: 'msg', content: [{ type: 'output_text', text }] })
export const call = (more: object = {}) => ({ type: 'function_call', id: 'fc', call_id: 'call_1', name: 'f', arguments: '{"a":1}', ...more })
export const STOP = { type: 'final', finish: 'stop', terminated: true }
