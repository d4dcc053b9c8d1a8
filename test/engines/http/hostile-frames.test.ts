import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_EVENT_BYTES } from '../../../src/engines/http/framing.ts'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import { binaryFrame } from '../../../src/engines/loopback/binary-frame.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes, cutAtRandom, decodeAll, seeded } from './kit.ts'
import { resealed } from './resealed.ts'
import { bedrockConverseVariant } from './variants-bedrock-converse.ts'
import { ollamaVariant } from './variants-ollama.ts'

/** Lines and binary frames made to hurt: whatever the bytes, an end is told once, nothing is thrown, and nothing is held without a bound. */
const line = (value: unknown) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const last = (events: readonly ProviderEvent[]) => events.at(-1)
const frame = (name: string, payload: object) => binaryFrame({ ':message-type': 'event', ':event-type': name }, payload)

function whole(api: string, text: string): ProviderEvent[] {
  const events: ProviderEvent[] = []
  httpProtocol(api)?.decodeAnswer(text, { now: () => 0 }, (each) => events.push(each))
  return events
}

/** A frame with a payload that JSON.stringify could not write. */
const deepFrame = (name: string, json: string) => resealed(frame(name, {}), bytes(json))

describe('issue 3, bad input: a value that nests too deep to be written again is a protocol failure, never a throw', () => {
  const deep = nested(20_000)
  const call = `{"function":{"name":"f","arguments":${deep}}}`
  const toolUse = `{"toolUse":{"toolUseId":"x","name":"f","input":${deep}}}`

  it('in a line of Ollama, and in its whole answer', () => {
    const body = line(`{"message":{"content":"","tool_calls":[${call}]},"done":true,"done_reason":"stop"}`)
    expect(last(decodeAll('ollama', [bytes(body)]))).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: 0 } })
    expect(last(whole('ollama', body))).toMatchObject({ type: 'failed', failure: { kind: 'protocol', phase: 'call' } })
  })

  it.each([
    ['contentBlockStart', `{"contentBlockIndex":0,"start":${toolUse}}`],
    ['contentBlockDelta', `{"contentBlockIndex":0,"delta":{"toolResult":[{"json":${deep}}]}}`],
  ])('in a frame of Bedrock: %s', (name, json) => {
    const opened = frame('contentBlockStart', { contentBlockIndex: 0, start: { toolResult: { toolUseId: 'x' } } })
    const events = decodeAll('bedrock-converse', [opened, deepFrame(name, json)])
    expect(last(events)).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: opened.length } })
  })

  it.each([`[${toolUse}]`, `[{"toolResult":{"toolUseId":"x","content":[{"json":${deep}}]}}]`])('in a whole answer of Bedrock', (content) => {
    const text = `{"output":{"message":{"content":${content}}},"stopReason":"tool_use"}`
    expect(last(whole('bedrock-converse', text))).toMatchObject({ type: 'failed', failure: { kind: 'protocol', phase: 'call' } })
  })
})

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('a finish reason named %s is that word and nothing else', (reason) => {
  expect(last(decodeAll('ollama', [bytes(line({ done: true, done_reason: reason }))]))).toEqual({ type: 'final', finish: reason, terminated: true })
  const frames = [frame('messageStop', { stopReason: reason }), frame('metadata', {})]
  expect(last(decodeAll('bedrock-converse', frames))).toEqual({ type: 'final', finish: reason, terminated: true })
})

it.each(['constructor', '__proto__', 'toString'])('an event named %s is none that is known', (name) => {
  expect(last(decodeAll('bedrock-converse', [frame(name, {}), frame('messageStop', { stopReason: 'end_turn' })]))).toMatchObject({ type: 'final' })
})

it('20 000 tool calls are read in one pass', () => {
  const calls = Array.from({ length: 20_000 }, (_, number) => `{"function":{"name":"f${number}"}}`)
  expect(whole('ollama', `{"message":{"tool_calls":[${calls.join()}]},"done":true}`)).toHaveLength(20_001)
  const blocks = Array.from({ length: 20_000 }, (_, number) => `{"toolUse":{"toolUseId":"i${number}","name":"f"}}`)
  expect(whole('bedrock-converse', `{"output":{"message":{"content":[${blocks.join()}]}},"stopReason":"tool_use"}`)).toHaveLength(20_001)
})

describe('bounds', () => {
  it('LIMIT-03 a line of more than 1 MiB is a protocol failure at its first byte', () => {
    const before = line({ message: { content: 'a' } })
    const events = decodeAll('ollama', [bytes(before), bytes(`{"message":{"content":"${'x'.repeat(MAX_EVENT_BYTES)}`)])
    expect(last(events)).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: before.length } })
  })

  it('LIMIT-03 a frame of more than 1 MiB is one before its payload has come', () => {
    const before = frame('messageStart', { role: 'assistant' })
    const huge = frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'x'.repeat(MAX_EVENT_BYTES) } })
    const events = decodeAll('bedrock-converse', [before, huge.subarray(0, 12)])
    expect(last(events)).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: before.length } })
  })

  it.each([
    ['ollama', bytes(line(' '.repeat(900_000)))],
    ['bedrock-converse', frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'x'.repeat(900_000) } })],
  ] as const)('LIMIT-02 an answer of %s of more than 64 MiB is a protocol failure', (api, part) => {
    const decoder = httpProtocol(api)?.decoder({ now: () => 0 })
    const events: ProviderEvent[] = []
    let fed = 0
    while (decoder?.done === false && fed < 100 * 2 ** 20) {
      decoder.push(part, (event) => events.push(event))
      fed += part.length
    }
    expect(last(events)).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: 64 * 2 ** 20 } })
  })
})

describe.each([
  ['ollama', ollamaVariant, /"done"/],
  ['bedrock-converse', bedrockConverseVariant, /messageStop/],
] as const)('R25 %s under random damage ends once, and never well without its completion signal', (api, make, signal) => {
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

  it('flipped, dropped and doubled bytes of a good stream', () => {
    const damage = fc.record({ kind: fc.constantFrom('flip', 'drop', 'double'), at: fc.nat(1_000_000), bit: fc.nat(7), length: fc.nat(40) })
    fc.assert(
      fc.property(fc.nat(200), fc.array(damage, { minLength: 1, maxLength: 6 }), (seed, faults) => {
        const body = faults.reduce(damaged, [...make(seeded(seed)).body])
        const events = decodeAll(api, cutAtRandom(Uint8Array.from(body), seeded(seed)))
        expect(ends(events)).toEqual([last(events)])
        if (!signal.test(Buffer.from(body).toString('latin1'))) expect(last(events)?.type).toBe('failed')
      }),
      { numRuns: 300 },
    )
  })
})

function damaged(body: number[], { kind, at, bit, length }: { kind: string; at: number; bit: number; length: number }): number[] {
  const place = at % Math.max(1, body.length)
  if (kind === 'flip') return body.map((byte, index) => (index === place ? byte ^ (1 << bit) : byte))
  if (kind === 'drop') return [...body.slice(0, place), ...body.slice(place + length)]
  return [...body.slice(0, place), ...body.slice(place, place + length), ...body.slice(place)]
}
