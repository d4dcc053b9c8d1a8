import { afterEach, describe, expect, test } from 'vitest'
import type { ScriptedEvent } from '../../../src/engines/loopback/script.ts'
import { type Rig, type RigProfile, startRig } from './rig.ts'

/** Rules of the kernel as clients of the gateway meet them, in each protocol, streamed and whole. */
const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

async function rigOf(options: Parameters<typeof startRig>[0]): Promise<Rig> {
  const made = await startRig(options)
  rigs.push(made)
  return made
}

type Api = 'openai-chat' | 'openai-responses' | 'anthropic-messages'
const APIS: readonly Api[] = ['openai-chat', 'openai-responses', 'anthropic-messages']
const WAYS = APIS.flatMap((api) => [[api, false] as const, [api, true] as const])
const PAIRS = APIS.flatMap((from) => APIS.flatMap((to) => [[from, to, false] as const, [from, to, true] as const]))
const PATHS = { 'openai-chat': '/v1/chat/completions', 'openai-responses': '/v1/responses', 'anthropic-messages': '/v1/messages' }

// biome-ignore lint/suspicious/noExplicitAny: bodies of three protocols, read by what is looked for in them
type Json = any

interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly raw: string
  /** What a reader sees. */
  readonly text: string
  readonly events: readonly Json[]
  readonly body: Json
  readonly relevo: Json
}

async function ask({ gateway }: Rig, api: Api, body: object = {}): Promise<Heard> {
  const prompt = api === 'openai-responses' ? { input: 'hi' } : { messages: [{ role: 'user', content: 'hi' }] }
  const json = JSON.stringify({ ...prompt, ...(api === 'anthropic-messages' ? { max_tokens: 50 } : {}), ...body })
  const answer = await fetch(`${gateway.address}${PATHS[api]}`, { method: 'POST', body: json, headers: { 'content-type': 'application/json' } })
  const raw = await answer.text()
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const datas = isStream ? raw.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : [])) : []
  const whole = isStream ? null : JSON.parse(raw)
  const text = isStream ? datas.map(pieceOf).join('') : wholeText(whole)
  return { status: answer.status, headers: answer.headers, raw, text, events: datas, body: whole, relevo: datas.at(-1)?.relevo }
}

function pieceOf(event: Json): string {
  if (event.type === 'response.output_text.delta') return event.delta
  if (event.type === 'content_block_delta') return event.delta.text ?? ''
  return event.choices?.[0]?.delta?.content ?? ''
}

function wholeText(body: Json): string {
  if (body.choices !== undefined) return body.choices[0].message.content ?? ''
  const blocks: Json[] = body.output?.flatMap((item: Json) => item.content ?? []) ?? body.content ?? []
  return blocks.map(({ text }) => text ?? '').join('')
}

const events = (...texts: string[]): ScriptedEvent[] => [...texts.map((text) => ({ text })), { final: 'stop' }]
const says = (text: string, ...pieces: string[]) => ({ call: [{ ok: text }], stream: [{ events: events(...(pieces.length > 0 ? pieces : [text])) }] })
const FAILS = { call: [{ http: 503 }], stream: [{ http: 503 }] }

describe('R35 notices', () => {
  const SAME = 'Another model or provider answered.'
  const modes = [
    ['off', 'openai.next', null],
    ['redacted', 'openai.next', SAME],
    ['detailed', 'openai.next', 'Requested openai.main/m1; answered by openai.next/m2.'],
    ['off', 'anthropic.next', SAME],
    ['redacted', 'anthropic.next', SAME],
    ['detailed', 'anthropic.next', 'Requested openai.main/m1; answered by anthropic.next/m2.'],
  ] as const
  const cases = WAYS.flatMap(([api, stream]) => modes.map(([mode, next, told]) => [api, stream, mode, next, told] as const))

  test.each(cases)('%s, stream %s, %s, by %s: %s, beside the text', async (api, stream, modelFallbackNotice, next, told) => {
    const served = next === 'anthropic.next' ? 'anthropic-messages' : 'openai-chat'
    const made = await rigOf({
      profiles: [
        { id: 'openai.main', api: 'openai-chat', model: 'm1' },
        { id: next, api: served, model: 'm2' },
      ],
      script: { 'openai.main/m1': FAILS, [`${next}/m2`]: says('hello') },
      config: { modelFallbackNotice },
    })
    const { headers, text, relevo, raw } = await ask(made, api, { stream })
    expect([text, headers.get('x-relevo-served')]).toEqual(['hello', `${next}/m2`])
    expect(stream ? relevo.notice : headers.get('x-relevo-notice')).toBe(told)
    if (stream) expect(headers.get('x-relevo-notice')).toBeNull()
    // Said once at the most, and in no other field.
    expect(raw.split('nswered').length - 1).toBe(stream && told !== null ? 1 : 0)
  })
})

describe('R19, R27 what is no text', () => {
  const FILTERED = ['<think>hid', 'den</think>one <e', 'om>two', ' three<|eom|>']

  test.each(PAIRS)('%s from %s, stream %s: neither thoughts nor markers are shown', async (client, api, stream) => {
    const made = await rigOf({
      profiles: [{ id: 'x.main', api, model: 'm1' }],
      script: { 'x.main/m1': says(FILTERED.join(''), ...FILTERED) },
    })
    const { text, raw } = await ask(made, client, { stream })
    expect(text.trim()).toBe('one two three')
    expect(raw).not.toMatch(/think>|eom|hidden/)
  })

  test.each(PAIRS)('%s from %s, stream %s: an answer that is all thought is none, and another entry answers', async (client, api, stream) => {
    const made = await rigOf({
      profiles: [
        { id: 'x.main', api, model: 'm1' },
        { id: 'y.next', api, model: 'm2' },
      ],
      script: { 'x.main/m1': says('<think>hidden, unclosed', '<think>hid', 'den, unclosed'), 'y.next/m2': says('hello') },
    })
    const { status, text, raw, headers } = await ask(made, client, { stream })
    expect([status, text, headers.get('x-relevo-attempts')]).toEqual([200, 'hello', '2'])
    expect(raw).not.toContain('hidden')
  })
})

describe('R25 what ends a passed stream', () => {
  const rows = [
    // The end of bytes behind a reason is whole, and the client is told so in the way it waits for.
    ['strict', { kind: 'cut', at: { frame: -1 }, by: 'end' }, true],
    ['lenient', { kind: 'cut', at: { frame: -1 }, by: 'end' }, true],
    ['lenient', { kind: 'cut', at: { frame: -2 }, by: 'end' }, false],
    ['finish', { kind: 'cut', at: { frame: -1 }, by: 'end' }, true],
    ['done', { kind: 'cut', at: { frame: -1 }, by: 'end' }, false],
  ] as const

  test.each(rows)('%s, %j: whole is %s', async (completion, fault, isWhole) => {
    const made = await rigOf({
      profiles: [{ id: 'x.main', api: 'openai-chat', model: 'm1', more: { completion } }],
      script: { 'x.main/m1': { stream: [{ fault, answer: { events: events('hel', 'lo') } }] } },
    })
    const { text, raw, relevo } = await ask(made, 'openai-chat', { stream: true })
    expect([text, raw.includes('[DONE]'), raw.includes('"error"')]).toEqual(['hello', isWhole, !isWhole])
    expect(relevo.attempts).toHaveLength(1)
  })
})

describe('R28 what broke off behind its first words', () => {
  const TERMINATOR = /\[DONE\]|message_stop|response\.(?:completed|incomplete)|"finish_reason":"/
  const ERROR = { 'openai-chat': /^data: \{"error"/, 'openai-responses': /^event: response\.failed\n/, 'anthropic-messages': /^event: error\n/ }

  test.each(PAIRS.filter(([, , stream]) => stream))(
    '%s from %s: ends in the error of the protocol, and nothing that looks like an end',
    async (client, api) => {
      const made = await rigOf({
        profiles: [{ id: 'x.main', api, model: 'm1' }],
        script: { 'x.main/m1': { stream: [{ events: [{ text: 'hel' }, { eof: true }] }] } },
      })
      const { status, text, raw, relevo } = await ask(made, client, { stream: true })
      expect([status, text, relevo.attempts.length]).toEqual([200, 'hel', 1])
      expect(raw).not.toMatch(TERMINATOR)
      expect(raw.trimEnd().split('\n\n').at(-1)).toMatch(ERROR[client])
    },
  )
})

describe('R34, R20 what is told before an answer', () => {
  const PRICED: RigProfile = { id: 'openai.main', api: 'openai-chat', model: 'm1', price: { input: 1, output: 1 } }

  test.each(WAYS)('%s, stream %s: a budget that is used up is 429, with the time it is back', async (api, stream) => {
    const made = await rigOf({
      profiles: [PRICED],
      script: { 'openai.main/m1': { call: [{ ok: 'hello', usage: { input: 2_000_000, output: 0 } }], stream: [] } },
      config: { budgets: { perDay: 1 } },
    })
    expect((await ask(made, api)).headers.get('x-relevo-cost')).toBe('2')
    const { status, headers, raw } = await ask(made, api, { stream })
    expect([status, headers.get('content-type')?.startsWith('application/json')]).toEqual([429, true])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(90_000)
    expect([raw.includes(api === 'anthropic-messages' ? 'rate_limit_error' : 'insufficient_quota'), made.provider.requests.length]).toEqual([true, 1])
  })

  test.each(WAYS)('%s, stream %s: a cost that nobody knows is told as none, and not as 0', async (api, stream) => {
    const { price: _, ...unpriced } = PRICED
    const made = await rigOf({ profiles: [unpriced], script: { 'openai.main/m1': says('hello') } })
    const { headers, relevo } = await ask(made, api, { stream })
    expect([headers.get('x-relevo-cost'), stream ? relevo.cost : null]).toEqual([null, null])
    const names = ['x-relevo-turn', 'x-relevo-requested', 'x-relevo-served', 'x-relevo-attempts', 'server-timing']
    expect(names.map((name) => [name, headers.get(name)])).toEqual([
      ['x-relevo-turn', expect.stringMatching(/./)],
      ['x-relevo-requested', 'openai.main/m1'],
      ['x-relevo-served', 'openai.main/m1'],
      ['x-relevo-attempts', '1'],
      ['server-timing', expect.stringMatching(/^relevo;dur=\d+$/)],
    ])
    // Nobody keeps an answer, and no browser takes it for a page.
    expect(['cache-control', 'x-content-type-options'].map((name) => headers.get(name))).toEqual(['no-store', 'nosniff'])
  })

  test.each(WAYS)('%s, stream %s: too long for the entry is 400, asked once', async (api, stream) => {
    const long = { http: 400, body: { error: { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' } } }
    const made = await rigOf({
      profiles: [{ id: 'openai.main', api: 'openai-chat', model: 'm1' }],
      script: { 'openai.main/m1': { call: [long], stream: [long] } },
    })
    const { status, body } = await ask(made, api, { stream })
    expect([status, made.provider.requests.length]).toEqual([400, 1])
    expect(body.error).toMatchObject(api === 'anthropic-messages' ? { type: 'invalid_request_error' } : { code: 'context_length_exceeded' })
  })

  test.each(APIS.flatMap((api) => ['true', 1, null, false, undefined].map((stream) => [api, stream] as const)))(
    '%s: stream %j is none',
    async (api, stream) => {
      const made = await rigOf({ profiles: [PRICED], script: { 'openai.main/m1': { call: [{ ok: 'hello' }] } } })
      const { status, headers } = await ask(made, api, { stream })
      // What is no boolean is an error of the client, and never a stream.
      const isBoolean = stream === null || stream === undefined || stream === false
      expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([isBoolean ? 200 : 400, 'application/json'])
      expect(made.provider.requests.filter(({ body }) => (body as Json)?.stream === true)).toEqual([])
    },
  )
})

describe('R37, R39, R40 where a prompt goes', () => {
  const zoned = (): Promise<Rig> =>
    rigOf({
      profiles: [
        { id: 'ollama.here', api: 'openai-chat', model: 'm1' },
        { id: 'openai.far', api: 'openai-chat', model: 'm2', more: { zone: 'cloud' } },
      ],
      script: { 'ollama.here/m1': { call: [{ http: 503 }], stream: [{ http: 503 }] }, 'openai.far/m2': says('far') },
      config: {
        modelRoutes: [
          { hint: 'near', modelProvider: 'ollama.here', model: 'm1' },
          { hint: 'far', modelProvider: 'openai.far', model: 'm2' },
        ],
        effortRouting: { localHint: 'near', cloudHint: 'far', escalation: 'auto' },
      },
    })
  const served = async (api: Api, body: object): Promise<[number, unknown[]]> => {
    const made = await zoned()
    const { status } = await ask(made, api, body)
    return [status, [...new Set(made.provider.requests.map(({ entry }) => entry))]]
  }
  const near = [502, ['ollama.here/m1']]
  const far = [200, ['openai.far/m2']]

  test.each(WAYS)('%s, stream %s: a prompt kept here reaches no cloud, though the entry here fails', async (api, stream) => {
    for (const model of [undefined, 'auto', '']) expect(await served(api, { model, stream }), String(model)).toEqual(near)
  })

  test.each(WAYS)('%s, stream %s: a hard one goes there, and so does whatever was chosen by name', async (api, stream) => {
    const prompt = 'why '.repeat(80)
    const hard = api === 'openai-responses' ? { input: prompt } : { messages: [{ role: 'user', content: prompt }] }
    expect(await served(api, { ...hard, stream })).toEqual(far)
    for (const choice of [{ model: 'openai.far' }, { model: 'openai.far/m2' }, { model: 'hint:far' }, { models: ['openai.far'] }])
      expect(await served(api, { ...choice, stream }), JSON.stringify(choice)).toEqual(far)
  })
})

describe('what a passed request holds that is ours', () => {
  test.each(PAIRS)('%s from %s, stream %s: `models` chooses, and no provider is sent it', async (client, api, stream) => {
    const made = await rigOf({ profiles: [{ id: 'x.main', api, model: 'm1' }], script: { 'x.main/m1': says('hello') } })
    const { text } = await ask(made, client, { models: ['x.main'], stream, metadata: { user_id: 'u' } })
    const [sent] = made.provider.requests.map(({ body }) => body as Json)
    expect([text, sent.models, sent.metadata]).toEqual(['hello', undefined, client === api ? { user_id: 'u' } : undefined])
  })
})

describe('usage, in the words of each protocol', () => {
  const usage = { input: 10, output: 3, cachedInput: 4 }

  test.each(PAIRS)('%s from %s, stream %s', async (client, api, stream) => {
    const made = await rigOf({
      profiles: [{ id: 'x.main', api, model: 'm1' }],
      script: { 'x.main/m1': { call: [{ ok: 'hello', usage }], stream: [{ events: [{ text: 'hello' }, { usage }, { final: 'stop' }] }] } },
    })
    const { body, events, relevo } = await ask(made, client, {
      stream,
      ...(client === 'openai-chat' && stream ? { stream_options: { include_usage: true } } : {}),
    })
    if (stream) expect(relevo.usage).toMatchObject(usage)
    const told: Json = {}
    for (const event of stream ? events : [body]) Object.assign(told, event.usage ?? event.response?.usage ?? event.message?.usage)
    expect(told).toMatchObject(
      {
        'openai-chat': { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
        'openai-responses': { input_tokens: 10, output_tokens: 3, input_tokens_details: { cached_tokens: 4 } },
        'anthropic-messages': { input_tokens: 6, output_tokens: 3, cache_read_input_tokens: 4 },
      }[client],
    )
  })
})
