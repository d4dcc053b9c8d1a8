import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PassingDecoder } from '../../../src/engines/http/pass/passing-decoder.ts'
import type { PassingProtocol } from '../../../src/engines/http/passing-protocol.ts'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import type { CompletionPolicy } from '../../../src/model/settings.ts'
import { cutAtRandom, decodeAll, seeded, summary, textOf, withLineEnds } from './kit.ts'
import { profileOf, requestOf } from './request.ts'
import { anthropicVariant, chatVariant, type Variant } from './variants.ts'
import { responsesVariant } from './variants-responses.ts'

const OWN: Readonly<Record<string, (random: () => number) => Variant>> = {
  'openai-chat': chatVariant,
  'openai-responses': responsesVariant,
  'anthropic-messages': anthropicVariant,
}

function passingOf(api: string): PassingProtocol {
  return httpProtocol(api)?.passing ?? expect.fail()
}

interface Read {
  /** What the decoder said, in order: inside of the bytes and beside them. */
  readonly said: readonly ProviderEvent[]
  readonly passed: Uint8Array
  /** Bytes in which nothing was read. */
  readonly unread: number
  readonly endingBytes: Uint8Array
}

/** Reads chunks as an attempt does. `skims`: the reader lets plain text pass unread from the first text on. */
function read(api: string, chunks: Iterable<Uint8Array>, skims: boolean, completion: CompletionPolicy = 'strict'): Read {
  const skim: { stopsAt: readonly string[] | null } = { stopsAt: null }
  const passing = passingOf(api)
  const decoder = new PassingDecoder(passing.decoder({ completion, now: () => 0 }), passing, skim)
  const said: ProviderEvent[] = []
  const passed: Uint8Array[] = []
  const ending: Uint8Array[] = []
  let unread = 0
  const hear = (event: ProviderEvent) => {
    if (event.type !== 'frames') return said.push(event)
    passed.push(event.bytes)
    if (event.ending) ending.push(event.bytes)
    if (event.frames.length === 0 && event.bytes[0] !== 58) unread += event.bytes.length
    said.push(...event.events)
    if (skims && event.events.some((one) => one.type === 'text')) skim.stopsAt = ['<']
    return said.length
  }
  for (const chunk of chunks) decoder.push(chunk, hear)
  decoder.end(hear)
  return { said, passed: Buffer.concat(passed), unread, endingBytes: Buffer.concat(ending) }
}

/** Ends and counts without the text, which may have gone unread. */
const beside = (events: readonly ProviderEvent[]) => summary(events.filter((event) => event.type !== 'text'))

const LINE_ENDS = ['\n', '\r\n', '\r'] as const

describe.each(Object.keys(OWN))('%s, any stream in any chunks', (api) => {
  it('leaves byte for byte, and says what it says without being passed', () => {
    for (let seed = 0; seed < 60; seed += 1) {
      const random = seeded(seed)
      const variant = (OWN[api] ?? expect.fail())(random)
      const end = LINE_ENDS[seed % 3] ?? '\n'
      const body = end === '\n' ? variant.body : withLineEnds(variant.body, end)
      const plain = decodeAll(api, [body])
      for (const skims of [false, true]) {
        const { said, passed, endingBytes } = read(api, [...cutAtRandom(body, random)], skims)
        expect(Buffer.compare(passed, body.subarray(0, passed.length)), `seed ${seed}`).toBe(0)
        expect(passed.length).toBeGreaterThanOrEqual(end === '\n' ? variant.endAt - 1 : 1)
        expect(beside(said), `seed ${seed}`).toEqual(beside(plain))
        if (!skims) expect(textOf(said)).toBe(textOf(plain))
        expect(endingBytes.length, `seed ${seed}`).toBeGreaterThan(0)
      }
    }
  })

  it('cut at each end of an event and in each of them ends as it would without being passed, and no byte leaves behind the cut or of an error', () => {
    const body = (OWN[api] ?? expect.fail())(seeded(7)).body
    const text = Buffer.from(body).toString('latin1')
    for (let at = 0; at <= body.length; at += 1) {
      if (at % 37 > 0 && !text.slice(at - 2, at + 2).includes('\n\n')) continue
      const cut = body.subarray(0, at)
      const plain = decodeAll(api, [cut])
      for (const size of [at, 61]) {
        const chunks = Array.from({ length: Math.ceil(at / Math.max(1, size)) }, (_, n) => cut.subarray(n * size, (n + 1) * size))
        const { said, passed } = read(api, chunks, true)
        expect(beside(said), `cut at ${at}`).toEqual(beside(plain))
        expect(Buffer.compare(passed, cut.subarray(0, passed.length))).toBe(0)
      }
    }
  })

  it('tells a call of the provider, a count and an end that stand between plain texts that look alike', () => {
    const { chunks, unread } = alike(api)
    const whole = Buffer.concat(chunks)
    for (const size of [1, 7, 64, 1000, whole.length]) {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) => whole.subarray(n * size, (n + 1) * size))
      const result = read(api, pieces, true)
      expect(Buffer.compare(result.passed, whole.subarray(0, result.passed.length))).toBe(0)
      expect(beside(result.said)).toEqual(beside(decodeAll(api, [whole])))
      if (size >= 64) expect(result.unread).toBeGreaterThan(unread)
    }
  })
})

/** Many texts written alike, with a beginning of a tag, escapes and CJK among them, and whatever ends the protocol. */
function alike(api: string): { chunks: readonly Uint8Array[]; unread: number } {
  const texts = ['Hello', ' "quoted" \\ ', '終わり', ' <b>', ' \u2028', 'a<', ...Array.from({ length: 60 }, (_, n) => ` token ${n}`)]
  const event = (name: string | null, value: unknown) => Buffer.from(`${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`)
  if (api === 'openai-chat') {
    const delta = (value: unknown, finish: string | null = null) =>
      event(null, { id: 'c', choices: [{ index: 0, delta: value, finish_reason: finish }] })
    return {
      chunks: [...texts.map((content) => delta({ content })), delta({ refusal: 'no' }), delta({}, 'stop'), Buffer.from('data: [DONE]\n\n')],
      unread: 3000,
    }
  }
  if (api === 'anthropic-messages') {
    const named = (value: { type: string } & Record<string, unknown>) => event(value.type, value)
    return {
      chunks: [
        named({ type: 'message_start', message: { id: 'm' } }),
        named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        ...texts.map((text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
        named({ type: 'content_block_stop', index: 0 }),
        named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
        named({ type: 'message_stop' }),
      ],
      unread: 3000,
    }
  }
  const named = (type: string, more: Record<string, unknown>, sequence_number: number) => event(type, { type, sequence_number, ...more })
  return {
    chunks: [
      named('response.created', { response: { id: 'r' } }, 0),
      ...texts.map((delta, n) =>
        named(
          'response.output_text.delta',
          { item_id: 'i', output_index: 0, content_index: 0, delta, logprobs: [], obfuscation: 'x'.repeat(n % 9) },
          n + 1,
        ),
      ),
      named('response.completed', { response: { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 2 } } }, 99),
    ],
    unread: 3000,
  }
}

describe('R25, what may never go unread', () => {
  const texts = Array.from(
    { length: 20 },
    (_, n) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: `t${n}` }, finish_reason: null }] })}\n\n`,
  )
  it.each([
    [
      'an error beside a text',
      { error: { message: 'boom', code: 500 }, choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] },
      'server_error',
    ],
    ['an error alone', { error: { message: 'boom', code: 500 } }, 'server_error'],
    ['a finish that is a failure', { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'error' }] }, 'server_error'],
  ])('%s, among plain texts in one chunk', (_what, value, kind) => {
    const before = Buffer.from(texts.join(''))
    const body = Buffer.concat([before, Buffer.from(`data: ${JSON.stringify(value)}\n\n`), Buffer.from(`${texts.join('')}data: [DONE]\n\n`)])
    const { said, passed } = read('openai-chat', [body], true)
    expect(said.at(-1)).toMatchObject({ type: 'failed', failure: { kind } })
    expect(Buffer.compare(passed, before)).toBe(0)
  })

  it('a string that is none, or goes on over its line, is read and refused', () => {
    for (const raw of ['a\tb', 'a\\xb', 'a\\u12g4']) {
      const body = Buffer.from(`${texts.join('')}data: {"choices":[{"index":0,"delta":{"content":"${raw}"},"finish_reason":null}]}\n\n`)
      expect(read('openai-chat', [body], true).said.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'protocol' } })
    }
  })

  it.each(['<', '\\u003c', '\\u003C'])('the beginning of a tag, written %s', (raw) => {
    const body = Buffer.from(
      `${texts.join('')}data: {"choices":[{"index":0,"delta":{"content":"a${raw}think>"},"finish_reason":null}]}\n\ndata: [DONE]\n\n`,
    )
    expect(textOf(read('openai-chat', [body], true).said)).toContain('a<think>')
  })

  it('an event that grows without an end is bounded as ever', () => {
    const start = 'data: {"choices":[{"index":0,"delta":{"content":"'
    const chunks = [Buffer.from(texts.join('') + start), ...Array.from({ length: 130 }, () => Buffer.alloc(10_000, 'x'))]
    expect(read('openai-chat', chunks, true).said.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'protocol' } })
  })
})

const RECORDED = new URL('../../../../shared/corpus/streams/', import.meta.url)
const FAMILIES: Readonly<Record<string, string>> = { chat: 'openai-chat', responses: 'openai-responses', anthropic: 'anthropic-messages' }

/** Other people's recordings, where they are: file and protocol. */
function recordedStreams(): readonly (readonly [file: string, api: string])[] {
  const index = new URL('index.json', RECORDED)
  if (!existsSync(index)) return []
  const entries = JSON.parse(readFileSync(index, 'utf8')) as { file: string; family: string }[]
  return entries.flatMap(({ file, family }) => (Object.hasOwn(FAMILIES, family) ? [[file, FAMILIES[family] ?? ''] as const] : []))
}

const streams = recordedStreams()

if (streams.length === 0)
  console.warn('SKIPPED recorded streams that pass: ../shared/corpus/streams is not there; streams of our own making stand in')

describe.skipIf(streams.length === 0)('recorded streams pass byte for byte', () => {
  it.each(streams)('%s', (file, api) => {
    const body = readFileSync(new URL(file, RECORDED))
    const plain = decodeAll(api, [body])
    for (const skims of [false, true]) {
      for (const seed of [1, 2, 3]) {
        const { said, passed } = read(api, cutAtRandom(body, seeded(seed)), skims)
        expect(beside(said)).toEqual(beside(plain))
        expect(Buffer.compare(passed, body.subarray(0, passed.length))).toBe(0)
        if (plain.at(-1)?.type === 'final') expect(body.subarray(passed.length).toString().trim()).toBe('')
      }
    }
  })
})

describe('who takes a body as it is', () => {
  const takes = (dialect: string, body: Record<string, unknown> = {}) => passingOf('openai-chat').takes(profileOf({ family: 'x', dialect }), body)
  it('a server that knows what OpenAI itself knows', () => {
    const all = [
      'compatible',
      'openai',
      'azure',
      'openrouter',
      'groq',
      'mistral',
      'deepseek',
      'xai',
      'zai',
      'llamacpp',
      'vllm',
      'lmstudio',
      'localai',
    ]
    expect(all.filter((one) => !takes(one))).toEqual(['groq', 'mistral', 'zai'])
    expect(all.filter((one) => takes(one) && !takes(one, { reasoning_effort: 'low' }))).toEqual(['openrouter', 'deepseek'])
    expect(all.filter((one) => takes(one) && !takes(one, { response_format: { type: 'json_schema' } }))).toEqual(['deepseek'])
    expect(all.filter((one) => takes(one) && !takes(one, { tool_choice: { type: 'function' } }))).toEqual(['llamacpp', 'lmstudio'])
    expect(all.filter((one) => takes(one) && !takes(one, { messages: [{ role: 'assistant' }] }))).toEqual(['deepseek'])
    expect(all.filter((one) => takes(one, { n: 2 }))).toEqual([])
  })

  it('no protocol that no client speaks', () => {
    expect(['gemini', 'ollama', 'bedrock-converse'].map((api) => httpProtocol(api)?.passing)).toEqual([undefined, undefined, undefined])
  })
})

describe('R26 the body of a client that streams, asked again without', () => {
  it.each(['openai-chat', 'openai-responses'])('%s: says nothing of how to stream, which a provider refuses in a call', (api) => {
    const asked = { model: 'm1', stream_options: { include_obfuscation: false } }
    const { body } = passingOf(api)
    expect(body(asked, requestOf({ mode: 'call' }))).toEqual({ model: 'm1' })
    expect(body(asked, requestOf({ mode: 'stream' }))).toMatchObject(asked)
  })
})
