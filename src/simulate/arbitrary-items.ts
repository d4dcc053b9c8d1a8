import type FastCheck from 'fast-check'
import type { Scenario } from './scenario.ts'

/** The module fast-check as the host imports it: relevo brings none of its own, so that a run has one seed and one shrinker. */
export type FastCheckModule = typeof FastCheck

type Queues = Scenario['script'][string]
export type CallItem = NonNullable<Queues['call']>[number]
export type StreamItem = NonNullable<Queues['stream']>[number]
type StreamEvent = Extract<StreamItem, { events: unknown }>['events'][number]

/** No deadline and no instant of a generated scenario lies further off. */
export const LONGEST_MS = 200_000

/** Stands for the mark of an item's own until the scenario is put together. */
export const MARK = '\u0001'

/** Pieces of text as a model may send them, tags and markers cut anywhere. */
const PIECES = ['word ', 'a', '<', '<think>', '</think>', '<thi', 'nk>', '<eom>', '<|eo', 'm|>', '\n', ' ', ''] as const
const TOOL_CALL = { id: 'call-1', name: 'tool', arguments: '{}' }

export function mostly(fc: FastCheckModule): FastCheck.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 5 }).map((roll) => roll > 0)
}

/** Mostly now, sometimes soon, sometimes far off. */
function delayMs(fc: FastCheckModule): FastCheck.Arbitrary<number> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: LONGEST_MS }) },
  )
}

/** Failures of the opening or of a whole call: one of every kind that a response or a socket can bring. */
function notServing(fc: FastCheckModule) {
  const seconds = fc.constantFrom('0', '1', '3', '29', '31', '120')
  return fc.oneof(
    fc.record({ http: fc.constant(429), headers: fc.record({ 'retry-after': seconds }) }),
    fc.record({ http: fc.constant(429) }),
    fc.record({ http: fc.constant(429), body: fc.constant('insufficient_quota') }),
    fc.record({ http: fc.constantFrom(500, 502, 529, 408) }),
    fc.record({ http: fc.constant(503), headers: fc.record({ 'retry-after': seconds }) }),
    fc.record({ http: fc.constantFrom(400, 401, 402, 403, 404, 422, 302) }),
    fc.record({ http: fc.constant(400), body: fc.constant('prompt is too long') }),
    fc.record({ network: fc.constantFrom('ECONNRESET', 'ENOTFOUND') }),
    fc.record({ timeout: fc.constantFrom('connect' as const, 'first_byte' as const, 'idle' as const, 'total' as const) }),
    fc.record({ pending: fc.constant(true as const) }),
  )
}

/** The item with time before it and tokens told, or without. */
function timed<Item extends object>(fc: FastCheckModule, item: FastCheck.Arbitrary<Item>) {
  const tokens = fc.integer({ min: 0, max: 1_000 })
  const usage = fc.option(fc.record({ input: tokens, output: tokens, cachedInput: fc.constant(0) }, { requiredKeys: [] }), { nil: undefined })
  return fc
    .tuple(item, delayMs(fc), usage)
    .map(([each, afterMs, told]) => ({ ...each, ...(afterMs === 0 ? {} : { afterMs }), ...(told === undefined ? {} : { usage: told }) }))
}

/** An item of the queue `call`. */
export function callItem(fc: FastCheckModule): FastCheck.Arbitrary<CallItem> {
  return timed(
    fc,
    fc.oneof(
      { weight: 3, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }).map((pieces) => ({ ok: MARK + pieces.join('') })) },
      { weight: 1, arbitrary: fc.constant<CallItem>({ ok: '', toolCalls: [TOOL_CALL] }) },
      { weight: 1, arbitrary: fc.constantFrom<CallItem[]>({ empty: true }, { reasoning: 'hm', empty: true }, { ok: '<think>never closed' }) },
      { weight: 1, arbitrary: fc.constantFrom<CallItem[]>({ refusal: 'no' }, { length: `${MARK}cut off` }) },
      { weight: 8, arbitrary: notServing(fc) },
    ),
  )
}

function streamEvent(fc: FastCheckModule): FastCheck.Arbitrary<StreamEvent> {
  const providerTools: StreamEvent[] = [
    { providerToolCall: { name: 'search', arguments: '{}' } },
    { providerToolResult: { name: 'search', output: 'found' } },
  ]
  const event = fc.oneof<FastCheck.WeightedArbitrary<StreamEvent>[]>(
    { weight: 6, arbitrary: fc.constantFrom(...PIECES).map((text) => ({ text })) },
    { weight: 2, arbitrary: fc.constantFrom({ text: MARK }) },
    { weight: 1, arbitrary: fc.constant({ reasoning: 'hm' }) },
    { weight: 1, arbitrary: fc.constant({ toolCall: TOOL_CALL }) },
    { weight: 1, arbitrary: fc.constantFrom(...providerTools) },
    { weight: 1, arbitrary: fc.record({ usage: fc.record({ input: fc.nat(1_000), output: fc.nat(1_000) }) }) },
  )
  return fc.tuple(event, delayMs(fc)).map(([each, afterMs]) => (afterMs === 0 ? each : { ...each, afterMs }))
}

function streamEnd(fc: FastCheckModule): FastCheck.Arbitrary<StreamEvent> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ final: fc.constantFrom('stop' as const, 'tool_calls' as const, 'length' as const, 'content_filter' as const) }),
    },
    fc.constant({ eof: true as const }),
    fc.record({ network: fc.constant('ECONNRESET') }),
    fc.record({ error: fc.record({ http: fc.constantFrom(429, 500, 529, 400), message: fc.constantFrom('oops', 'prompt is too long') }) }),
    fc.constant({ error: { message: 'oops' } }),
    fc.constant({ stall: true as const }),
  )
}

/** An item of the queue `stream`. */
export function streamItem(fc: FastCheckModule): FastCheck.Arbitrary<StreamItem> {
  const events = fc.tuple(fc.array(streamEvent(fc), { maxLength: 5 }), streamEnd(fc)).map(([before, end]) => ({ events: [...before, end] }))
  return fc.oneof({ weight: 3, arbitrary: events }, { weight: 2, arbitrary: timed(fc, notServing(fc)) })
}
