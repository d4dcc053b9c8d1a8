import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes, cutAtRandom, decodeAll, seeded } from './kit.ts'
import { anthropicVariant, chatVariant } from './variants.ts'
import { geminiVariant } from './variants-gemini.ts'
import { responsesVariant } from './variants-responses.ts'

/** Answers made to hurt: whatever the bytes, an end is told once, nothing is thrown, and no time is lost that grows faster than the bytes. */
const event = (data: string) => `data: ${data}\n\n`
const DONE = event('[DONE]')
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const last = (events: readonly ProviderEvent[]) => events.at(-1)

function whole(api: string, text: string): ProviderEvent[] {
  const events: ProviderEvent[] = []
  httpProtocol(api)?.decodeAnswer(text, { now: () => 0, issued: true }, (each) => events.push(each))
  return events
}

describe('issue 2, bad input: a value that nests too deep to be written again is a protocol failure, never a throw', () => {
  const deep = nested(100_000)
  const callArguments = `{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":${deep}}}]}`
  const toolUse = `{"type":"tool_use","id":"x","name":"f","input":${deep}}`
  const toolResult = `{"type":"web_search_tool_result","tool_use_id":"x","content":${deep}}`
  const block = (content: string) => event(`{"type":"content_block_start","index":0,"content_block":${content}}`)
  const candidate = (part: string) => `{"candidates":[{"content":{"parts":[${part}]},"finishReason":"STOP"}]}`
  const STOP = event('{"type":"message_stop"}')
  const search = `{"type":"web_search_call","id":"x","action":${deep}}`
  const functionCall = `{"type":"function_call","call_id":"x","name":"f","arguments":${deep}}`
  const itemDone = (item: string) => event(`{"type":"response.output_item.done","output_index":0,"item":${item}}`)

  it.each([
    ['openai-chat', event(`{"choices":[{"index":0,"delta":${callArguments},"finish_reason":"tool_calls"}]}`) + DONE],
    ['anthropic-messages', block(toolUse) + event('{"type":"content_block_stop","index":0}') + STOP],
    ['anthropic-messages', block(toolUse) + STOP],
    ['anthropic-messages', block(toolResult) + STOP],
    ['openai-responses', itemDone(search)],
    ['openai-responses', itemDone(functionCall)],
    ['openai-responses', event(`{"type":"response.completed","response":{"output":[${search}]}}`)],
    ['gemini', event(candidate(`{"functionCall":{"name":"f","args":${deep}}}`))],
    ['gemini', event(candidate(`{"functionCall":{"name":"f","args":${deep},"willContinue":true}}`))],
    ['gemini', event(candidate(`{"executableCode":${deep}}`))],
    ['gemini', event(candidate(`{"toolCall":{"args":${deep}}}`))],
    ['gemini', event(`{"candidates":[{"groundingMetadata":{"groundingChunks":[${deep}]}}]}`)],
  ])('%s, streamed', (api, body) => {
    expect(last(decodeAll(api, [bytes(body)]))).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: 0 } })
  })

  it.each([
    ['openai-chat', `{"choices":[{"message":${callArguments},"finish_reason":"tool_calls"}]}`],
    ['anthropic-messages', `{"content":[${toolUse}],"stop_reason":"tool_use"}`],
    ['anthropic-messages', `{"content":[${toolResult}],"stop_reason":"end_turn"}`],
    ['openai-responses', `{"output":[${search}]}`],
    ['openai-responses', `{"output":[${functionCall}]}`],
    ['openai-responses', `{"output":[{"type":"compaction","encrypted_content":${deep}}]}`],
    ['gemini', candidate(`{"functionCall":{"name":"f","args":${deep}}}`)],
  ])('%s, whole', (api, text) => {
    expect(last(whole(api, text))).toMatchObject({ type: 'failed', failure: { kind: 'protocol', phase: 'call' } })
  })
})

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('a finish reason named %s is that word and nothing else', (reason) => {
  const chat = event(JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: reason }] })) + DONE
  expect(last(decodeAll('openai-chat', [bytes(chat)]))).toEqual({ type: 'final', finish: reason, terminated: true })
  const message = event(JSON.stringify({ type: 'message_delta', delta: { stop_reason: reason } })) + event('{"type":"message_stop"}')
  expect(last(decodeAll('anthropic-messages', [bytes(message)]))).toEqual({ type: 'final', finish: reason, terminated: true })
})

it('100 000 tool calls without an index are read in one pass', () => {
  const calls = Array.from({ length: 100_000 }, (_, number) => `{"id":"i${number}","function":{"name":"f"}}`)
  const events = whole('openai-chat', `{"choices":[{"message":{"tool_calls":[${calls.join()}]},"finish_reason":"tool_calls"}]}`)
  expect(events).toHaveLength(100_001)
})

it('100 000 items of one answer are read in one pass', () => {
  const items = Array.from({ length: 100_000 }, (_, number) => `{"type":"function_call","id":"fc${number}","call_id":"c${number}","name":"f"}`)
  expect(whole('openai-responses', `{"output":[${items.join()}]}`)).toHaveLength(100_001)
})

describe('R25 the last event of Responses repeats the answer, so that its bound is that of a whole answer', () => {
  const MIB = 1024 * 1024
  const answer = (size: number) => {
    const text = 'x'.repeat(size)
    const item = { type: 'message', content: [{ type: 'output_text', text }] }
    return bytes(event(JSON.stringify({ type: 'response.completed', response: { output: [item] } })))
  }

  it('three MiB are an answer', () => {
    const events = decodeAll('openai-responses', cutAtRandom(answer(3 * MIB), seeded(1)))
    expect(events.map((each) => (each.type === 'text' ? each.text.length : each.type))).toEqual([3 * MIB, 'final'])
  })

  it('more than sixteen are none', () => {
    expect(last(decodeAll('openai-responses', [answer(16 * MIB)]))).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: 0 } })
  })
})

it('a second tool that begins where one is open leaves the first one in the answer', () => {
  const begin = (id: string) => event(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"${id}","name":"${id}"}}`)
  const body = begin('x') + begin('y') + event('{"type":"message_delta","delta":{"stop_reason":"tool_use"}}') + event('{"type":"message_stop"}')
  const calls = decodeAll('anthropic-messages', [bytes(body)]).filter((each) => each.type === 'toolCall')
  expect(calls.map((call) => call.id)).toEqual(['x', 'y'])
})

describe.each([
  ['openai-chat', chatVariant],
  ['openai-responses', responsesVariant],
  ['anthropic-messages', anthropicVariant],
  ['gemini', geminiVariant],
] as const)('R25 %s under random damage ends once, and never well without its completion signal', (api, make) => {
  const ends = (events: readonly ProviderEvent[]) => events.filter(({ type }) => type === 'final' || type === 'failed')

  it('random bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (chunks) => {
        const events = decodeAll(api, chunks)
        expect(ends(events)).toEqual([last(events)])
        expect(last(events)?.type).toBe('failed')
      }),
    )
  })

  it('flipped, dropped, doubled and swapped bytes of a good stream', () => {
    const damage = fc.record({
      kind: fc.constantFrom('flip', 'drop', 'double', 'swap'),
      at: fc.nat(1_000_000),
      other: fc.nat(1_000_000),
      length: fc.nat(40),
    })
    fc.assert(
      fc.property(fc.nat(200), fc.array(damage, { minLength: 1, maxLength: 6 }), (seed, faults) => {
        const variant = make(seeded(seed))
        const body = faults.reduce(damaged, [...variant.body])
        const events = decodeAll(api, cutAtRandom(Uint8Array.from(body), seeded(seed)))
        expect(ends(events)).toEqual([last(events)])
        const text = Buffer.from(body).toString('latin1')
        const signal = SIGNALS[api]
        if (!signal.test(text)) expect(last(events)?.type).toBe('failed')
      }),
      { numRuns: 300 },
    )
  })
})

const SIGNALS = {
  'openai-chat': /\[DONE\]|finish_reason/,
  'openai-responses': /response\.(completed|incomplete)/,
  'anthropic-messages': /message_stop/,
  gemini: /finishReason|blockReason/,
} as const

interface Damage {
  readonly kind: string
  readonly at: number
  readonly other: number
  readonly length: number
}

function damaged(body: number[], { kind, at, other, length }: Damage): number[] {
  const place = at % Math.max(1, body.length)
  const part = body.slice(place, place + length)
  if (kind === 'flip') return body.map((byte, index) => (index === place ? byte ^ (1 << (other % 8)) : byte))
  if (kind === 'drop') return [...body.slice(0, place), ...body.slice(place + length)]
  if (kind === 'double') return [...body.slice(0, place), ...part, ...body.slice(place)]
  const rest = [...body.slice(0, place), ...body.slice(place + length)]
  const target = other % Math.max(1, rest.length)
  return [...rest.slice(0, target), ...part, ...rest.slice(target)]
}
