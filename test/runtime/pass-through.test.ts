import { describe, expect, it } from 'vitest'
import type { Flow } from '../../src/engines/contract.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { ConfigError } from '../../src/runtime/errors.ts'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import type { TurnRequest } from '../../src/runtime/request.ts'
import { bytesOf, chunk, configOf, DONE, framesIn, pass, type Spoken, written } from './pass-through-rig.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const typesOf = (events: readonly TurnEvent[]) => events.map((event) => event.type)
/** What a client of the chat protocol shows. */
const contentIn = (body: string) =>
  framesIn(body)
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => (JSON.parse(data) as { choices: { delta?: { content?: string } }[] }).choices[0]?.delta?.content ?? '')
    .join('')

const USAGE = `data: ${JSON.stringify({ id: 'c1', choices: [], usage: { prompt_tokens: 9, completion_tokens: 12 } })}\n\n`
const head = chunk({ role: 'assistant', content: '' })
const said = (...texts: string[]) => texts.map((content) => chunk({ content })).join('')
const WHOLE = JSON.stringify({ id: 'c1', choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] })
const CHAT = head + said('Hel', 'lo', ' there') + chunk({}, 'stop') + USAGE + DONE

/** `n` profiles of the chat protocol, one behind the other. */
function chain(...more: Record<string, unknown>[]): KernelConfig {
  const ids = more.map((_, n) => `openai.p${n}`)
  const profiles = more.map((profile, n) => [
    ids[n],
    { model: `m${n}`, apiKey: 'k', endpoint: 'http://127.0.0.1:9/v1', ...(n === 0 ? { fallback: ids.slice(1) } : {}), ...profile },
  ])
  return configOf('chat', { primary: 'openai.p0', profiles: Object.fromEntries(profiles) as KernelConfig['profiles'] })
}

describe('a stream that passes through', () => {
  it('is told as its own bytes behind the commit, and its end by itself before the turn ends', async () => {
    const { events, bytes, ending, outcome } = await pass('chat', [{ chunks: [CHAT] }])
    expect(text(bytes) + written(ending ?? [])).toBe(CHAT)
    expect(ending?.map(({ data }) => data.slice(0, 6))).toEqual(['{"id":', '{"id":', '[DONE]'])
    const types = typesOf(events)
    expect(types.indexOf('output.committed')).toBeLessThan(types.indexOf('bytes'))
    expect(types.lastIndexOf('bytes')).toBeLessThan(types.indexOf('ending'))
    expect(types.at(-1)).toBe('turn.ended')
    expect(types.filter((type) => type === 'text' || type === 'toolCall')).toEqual([])
    expect(outcome).toMatchObject({ kind: 'ok', usage: { input: 9, output: 12 }, unterminated: false })
  })

  it('R27 shows nothing before there is output: what came before goes to nobody when the attempt fails', async () => {
    const { bytes, outcome, events } = await pass('chat', [
      { chunks: [head], breaks: true },
      { type: 'application/json', chunks: [WHOLE] },
    ])
    expect(bytes).toHaveLength(0)
    expect(outcome).toMatchObject({ kind: 'ok', text: 'Hello', recoveredFrom: 'stream_error', attempts: [{ accepted: false }, { accepted: true }] })
    expect(events.find((event) => event.type === 'answer')).toMatchObject({ text: 'Hello', body: WHOLE })
    expect(typesOf(events)).not.toContain('output.committed')
  })

  it('R28 that breaks off behind text has no end, and ends the turn', async () => {
    const whole = head + said('Hello', ' to', ' you')
    const { bytes, ending, outcome } = await pass('chat', [{ chunks: [whole, 'data: {"id":"c1","cho'], breaks: true }])
    expect(text(bytes)).toBe(whole)
    expect(ending).toBeNull()
    expect(outcome.kind).toBe('interrupted')
    expect(outcome.partialText).toMatch(/^Hello/)
  })

  it('passes no error and nothing behind it', async () => {
    const whole = head + said('Hello')
    const error = `data: ${JSON.stringify({ error: { message: 'boom', code: 500 } })}\n\n`
    const { bytes, ending, outcome } = await pass('chat', [{ chunks: [whole + error + said('more') + DONE] }])
    expect(text(bytes)).toBe(whole)
    expect(ending).toBeNull()
    expect(outcome.kind).toBe('interrupted')
  })

  it('that is cut anywhere has no end that looks whole', async () => {
    const finishAt = CHAT.indexOf(chunk({}, 'stop'))
    for (const at of [finishAt - 1, finishAt, finishAt + 5]) {
      const { ending, outcome } = await pass('chat', [{ chunks: [CHAT.slice(0, at)] }])
      expect([at, ending, outcome.kind]).toEqual([at, null, 'interrupted'])
    }
    const unterminated = await pass('chat', [{ chunks: [head + said('Hello') + chunk({}, 'stop')] }])
    expect(unterminated.ending).toHaveLength(1)
    expect(unterminated.outcome).toMatchObject({ kind: 'ok', unterminated: true })
  })

  it('of tool calls alone is held until it is whole, so that a cut is recovered', async () => {
    const piece = (more: object, finish: string | null = null) => chunk({ tool_calls: [{ index: 0, ...more }] }, finish)
    const begun = head + piece({ id: 'c', type: 'function', function: { name: 'look', arguments: '' } })
    const cut = await pass('chat', [
      { chunks: [begun], breaks: true },
      { type: 'application/json', chunks: [WHOLE] },
    ])
    expect([cut.bytes.length, cut.outcome.kind, cut.outcome.recoveredFrom]).toEqual([0, 'ok', 'stream_error'])
    const whole = begun + piece({ function: { arguments: '{"a":1}' } }) + chunk({}, 'tool_calls') + DONE
    const { events, bytes, ending, outcome } = await pass('chat', [{ chunks: [whole] }])
    expect(text(bytes) + written(ending ?? [])).toBe(whole)
    expect(outcome).toMatchObject({ kind: 'ok', toolCalls: [{ id: 'c', name: 'look', arguments: '{"a":1}' }] })
    expect(typesOf(events)).not.toContain('toolCall')
  })

  it('commits all the same where more comes than can be held', async () => {
    const piece = chunk({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(500_000) } }] })
    const body = head + piece.repeat(12)
    const { bytes, outcome } = await pass('chat', [{ chunks: [body], breaks: true }])
    expect(text(bytes)).toBe(body)
    expect(outcome.kind).toBe('interrupted')
  })

  it.each(['anthropic', 'responses'] as const)('passes %s with its end', async (spoken) => {
    const body = bodyOf(spoken, ['Hello', ' <b>you</b>', ' all'])
    const { bytes, ending, outcome } = await pass(spoken, [{ chunks: [body] }])
    expect(text(bytes) + written(ending ?? [])).toBe(body)
    expect(ending?.map(({ event }) => event)).toEqual(spoken === 'anthropic' ? ['message_delta', 'message_stop'] : ['response.completed'])
    expect(outcome).toMatchObject({ kind: 'ok', usage: { output: 5 } })
  })
})

/** A whole stream in which these are the pieces of one text. */
function bodyOf(spoken: Spoken, texts: readonly string[]): string {
  const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  if (spoken === 'chat') return head + said(...texts) + chunk({}, 'stop') + USAGE + DONE
  if (spoken === 'anthropic') {
    return [
      event('message_start', { message: { id: 'm', model: 'm1', content: [], usage: { input_tokens: 3, output_tokens: 1 } } }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...texts.map((one) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: one } })),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
      event('message_stop', {}),
    ].join('')
  }
  const part = { type: 'output_text', text: texts.join(''), annotations: [] }
  const item = { id: 'i', type: 'message', role: 'assistant', content: [part] }
  const place = { item_id: 'i', output_index: 0, content_index: 0 }
  return [
    event('response.created', { response: { id: 'r', status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    ...texts.map((delta, n) => event('response.output_text.delta', { ...place, delta, sequence_number: n })),
    event('response.output_text.done', { ...place, text: texts.join('') }),
    event('response.content_part.done', { ...place, part }),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: { id: 'r', status: 'completed', output: [item], usage: { input_tokens: 3, output_tokens: 5 } } }),
  ].join('')
}

describe('R19 what a reader may not see is in no byte', () => {
  const cases: [string, string[], string][] = [
    ['thoughts in tags', ['<think>secret plan</think>', 'Hello', ' you'], 'Hello you'],
    ['tags over pieces', ['<th', 'ink>secret', ' plan</thi', 'nk>Hello'], 'Hello'],
    ['thoughts in the middle', ['Hello', ' <think>secret plan', ' still</think> you', ' all'], 'Hello  you all'],
    ['a marker at the end', ['Hello', ' you<eom>'], 'Hello you'],
    ['what only began like a tag', ['Hello', ' <thi', 'rd>', ' <'], 'Hello <third> <'],
    ['thoughts that never end', ['Hello', '<think>secret plan'], 'Hello'],
  ]
  for (const spoken of ['chat', 'anthropic', 'responses'] as const) {
    it.each(cases)(`${spoken}: %s`, async (_what, texts, visible) => {
      const config = configOf(spoken, { endMarkers: ['<eom>'] })
      const { bytes, ending, outcome } = await pass(spoken, [{ chunks: [bodyOf(spoken, texts)] }], { config })
      const all = text(bytes) + written(ending ?? [])
      expect(all).not.toMatch(/secret|plan|<eom>/)
      expect(outcome.kind).toBe('ok')
      expect(ending).not.toBeNull()
      const pieces = framesIn(all).flatMap(({ data }) => (data === '[DONE]' ? [] : [pieceIn(JSON.parse(data) as Json)]))
      expect(pieces.join('')).toBe(visible)
      for (const whole of wholesIn(all)) expect(whole).toBe(visible)
      if (spoken === 'anthropic') expect(all.indexOf('content_block_stop')).toBeGreaterThan(all.lastIndexOf('text_delta'))
    })
  }

  it('no tag that was escaped gets by, behind text that passed unread', async () => {
    const escaped = said('Hello', ' a', ' b', ' c') + said(' <think>secret</think>').replaceAll('<', '\\u003c') + said(' d')
    const { bytes } = await pass('chat', [{ chunks: [head + escaped + chunk({}, 'stop') + DONE] }])
    expect(contentIn(text(bytes))).toBe('Hello a b c  d')
    expect(text(bytes)).not.toContain('secret')
  })
})

type Json = Record<string, unknown> & { delta?: unknown; type?: string; choices?: { delta?: { content?: string } }[]; text?: string }

function pieceIn(value: Json): string {
  if (Array.isArray(value.choices)) return value.choices[0]?.delta?.content ?? ''
  if (value.type === 'content_block_delta') return (value.delta as { text?: string }).text ?? ''
  return value.type === 'response.output_text.delta' ? String(value.delta) : ''
}

/** Whole texts of a response, wherever they stand. */
function wholesIn(body: string): string[] {
  return framesIn(body)
    .filter(({ event }) => /^response\.(?:output_text\.done|content_part\.done|output_item\.done|completed)$/.test(event ?? ''))
    .flatMap(({ data }) => [...data.matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].map((found) => JSON.parse(found[1] as string) as string))
}

describe('what is sent', () => {
  const asked = (body: Record<string, unknown>, headers: Record<string, string> = {}): TurnRequest => ({
    passThrough: { api: 'openai-chat', body, headers },
  })

  it('is the body of the client with the model of the entry, and the own fields of the profile on top', async () => {
    const body = { model: 'x', Model: 'y', stream: false, messages: [{ role: 'user', content: 'hi' }], seed: 7, top_k: 1, stream_options: { a: 1 } }
    const { sent } = await pass('chat', [{ chunks: [CHAT] }], { config: chain({ body: { top_k: 9 } }), request: asked(body) })
    expect(sent[0]?.body).toEqual({
      model: 'm0',
      messages: body.messages,
      seed: 7,
      top_k: 9,
      stream: true,
      stream_options: { a: 1, include_usage: true },
    })
  })

  it('carries the further headers of the client, and no word of it signs', async () => {
    const headers = {
      'X-Trace': 't',
      Authorization: 'Bearer stolen',
      Cookie: 'c',
      'Content-Length': '1',
      accept: 'text/html',
      'x-own': 'client',
      'Metadata-Flavor': 'Google',
    }
    const { sent } = await pass('chat', [{ chunks: [CHAT] }], { config: chain({ headers: { 'x-own': 'profile' } }), request: asked({}, headers) })
    expect(sent[0]?.headers).toMatchObject({ 'x-trace': 't', authorization: 'Bearer k', accept: 'text/event-stream', 'x-own': 'profile' })
    expect(sent[0]?.headers).not.toHaveProperty('cookie')
    expect(sent[0]?.headers).not.toHaveProperty('metadata-flavor')
  })

  it('to an entry of another protocol, or one that needs other words, is encoded from the messages, and its answer told in ours', async () => {
    const config = chain({ dialect: 'mistral' })
    const { sent, events } = await pass('chat', [{ chunks: [CHAT] }], { config, request: asked({ seed: 7 }) })
    expect(sent[0]?.body).not.toHaveProperty('seed')
    expect(typesOf(events)).toContain('text')
    expect(typesOf(events)).not.toContain('bytes')
  })

  it('R20 of a history that was shortened is encoded from the messages', async () => {
    const messages = Array.from({ length: 8 }, (_, n) => ({ role: n % 2 === 0 ? ('user' as const) : ('assistant' as const), content: `m${n}` }))
    const tooLong = {
      status: 400,
      type: 'application/json',
      chunks: [JSON.stringify({ error: { code: 'context_length_exceeded', message: 'too long' } })],
    }
    const request = { ...asked({ messages, seed: 7 }), prompt: undefined, messages }
    const { sent, events, outcome } = await pass('chat', [tooLong, { type: 'application/json', chunks: [WHOLE] }], { request })
    expect(sent[0]?.body).toHaveProperty('seed')
    expect(sent[1]?.body).not.toHaveProperty('seed')
    expect(sent[1]?.body.messages).not.toHaveLength(8)
    expect(outcome).toMatchObject({ kind: 'ok', historyShortened: true })
    expect(events.find((event) => event.type === 'answer')).toEqual({ type: 'answer', text: 'Hello', toolCalls: [] })
  })

  it('in a call is without streaming, and the answer has the JSON that came', async () => {
    const json = JSON.stringify({ id: 'c1', extra: 1, choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] })
    const request = { ...asked({ seed: 7, stream: true, stream_options: {} }), stream: false }
    const { sent, events } = await pass('chat', [{ type: 'application/json', chunks: [json] }], { request })
    expect(sent[0]?.body).toEqual({ model: 'm1', seed: 7 })
    expect(events.find((event) => event.type === 'answer')).toEqual({ type: 'answer', text: 'Hello', toolCalls: [], body: json })
  })

  it('R19 has no JSON where something of the text was taken out', async () => {
    const json = JSON.stringify({ choices: [{ index: 0, message: { content: '<think>a</think>Hello' }, finish_reason: 'stop' }] })
    const { events } = await pass('chat', [{ type: 'application/json', chunks: [json] }], { request: { ...asked({}), stream: false } })
    expect(events.find((event) => event.type === 'answer')).toEqual({ type: 'answer', text: 'Hello', toolCalls: [] })
  })

  it.each([
    [{ api: 'gemini', body: {} }, 'passThrough.api'],
    [{ api: 'openai-chat', body: [] }, 'passThrough.body'],
    [{ api: 'openai-chat', body: {}, headers: { 'x-a': 'b\nc' } }, 'passThrough.headers'],
    [{ api: 'openai-chat', body: {}, more: 1 }, 'passThrough'],
  ])('is refused when it is no request: %j', async (passThrough, path) => {
    const error = await pass('chat', [], { request: { passThrough } as unknown as TurnRequest }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).problems[0]?.path).toBe(path)
  })
})

describe('GW-04 demand of a sink', () => {
  it('while it is full the provider is not read, and the rest comes when it drains', async () => {
    let resume: (() => void) | null = null
    const flow: { full: boolean } & Pick<Flow, 'onDrain'> = {
      full: false,
      onDrain: (then: () => void) => {
        resume = then
      },
    }
    const got: number[] = []
    let pulled = 0
    const chunks = [head + said('Hello'), ...Array.from({ length: 40 }, () => said(' more')), chunk({}, 'stop') + DONE]
    const counted = new Proxy(chunks, {
      get: (target, name, self) => {
        if (/^\d+$/.test(String(name))) pulled = Number(name)
        return Reflect.get(target, name, self)
      },
    })
    const event = (told: TurnEvent): void => {
      if (told.type !== 'bytes') return
      got.push(told.bytes.length)
      if (got.length === 3) flow.full = true
    }
    const running = pass('chat', [{ chunks: counted }], { request: { sinks: { event, flow } } })
    for (let round = 0; round < 200 && resume === null; round += 1) await new Promise((then) => setImmediate(then))
    for (let round = 0; round < 50; round += 1) await new Promise((then) => setImmediate(then))
    expect(pulled).toBeLessThan(12)
    const seen = got.length
    flow.full = false
    ;(resume as (() => void) | null)?.()
    expect((await running).outcome.kind).toBe('ok')
    expect(got.length).toBeGreaterThan(seen)
  })
})

it('a draft sink needs the whole text, so nothing passes', async () => {
  const drafts: string[] = []
  const { outcome } = await pass('chat', [{ chunks: [CHAT] }], { request: { sinks: { draft: (draft) => drafts.push(draft) } } })
  expect(outcome.text).toBe('Hello there')
  expect(drafts.at(-1)).toBe('Hello there')
  expect(bytesOf('x')).toHaveLength(1)
})
