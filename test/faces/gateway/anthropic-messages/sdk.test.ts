import Anthropic, { APIError, AuthenticationError, BadRequestError, InternalServerError, RateLimitError } from '@anthropic-ai/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { type Rig, type RigProfile, startRig } from '../rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const APIS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini', 'ollama', 'bedrock-converse'] as const
const SPARE: RigProfile = { id: 'y.b', api: 'openai-chat', model: 'm2' }

async function started(options: Parameters<typeof startRig>[0]): Promise<Rig & { client: Anthropic }> {
  const rig = await startRig(options)
  rigs.push(rig)
  return { ...rig, client: new Anthropic({ baseURL: rig.gateway.address, apiKey: 'none', maxRetries: 0 }) }
}

const ASK = { model: '', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Say hello.' }] }
const HELLO = [{ text: 'Hel' }, { text: 'lo' }, { usage: { input: 9, output: 2 } }, { final: 'stop' as const }]
const TOOLS = [{ name: 'add', description: 'Adds.', input_schema: { type: 'object' as const, properties: { a: { type: 'number' } } } }]

describe.each(APIS)('an unmodified Anthropic client, answered over %s', (api) => {
  const profile: RigProfile = { id: 'x.a', api, model: 'm1' }

  test('a whole answer', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [{ ok: 'Hello', usage: { input: 9, output: 2 } }] } } })
    const { data, response, request_id } = await client.messages.create(ASK).withResponse()
    expect(data).toMatchObject({ type: 'message', role: 'assistant', model: 'm1', stop_reason: 'end_turn', stop_sequence: null })
    expect(data.content).toMatchObject([{ type: 'text', text: 'Hello' }])
    expect(data.usage).toMatchObject({ input_tokens: 9, output_tokens: 2 })
    expect(response.headers.get('x-relevo-served')).toBe('x.a/m1')
    expect(request_id).toBe(response.headers.get('x-relevo-turn'))
    expect(request_id).not.toBe('')
  })

  test('a streamed answer, told event by event, with its usage', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ events: HELLO }] } } })
    const stream = client.messages.stream(ASK)
    const pieces: string[] = []
    const last: unknown[] = []
    stream.on('text', (piece) => void pieces.push(piece)).on('streamEvent', (event) => void last.splice(0, 1, event))
    const whole = await stream.finalMessage()
    expect(pieces.join('')).toBe('Hello')
    expect(whole).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Hello' }], usage: { input_tokens: 9, output_tokens: 2 } })
    expect(last).toMatchObject([
      { type: 'message_stop', relevo: { served: 'x.a/m1', usage: { input: 9, output: 2 }, attempts: [{ n: 1, result: 'ok' }] } },
    ])
  })

  test('a tool is called, and its result goes back', async () => {
    const call = { id: 'toolu_1', name: 'add', arguments: '{"a":1}' }
    const events = [{ text: 'Let me see.' }, { toolCall: call }, { usage: { input: 3, output: 4 } }, { final: 'tool_calls' as const }]
    const { client, provider } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ events }], call: [{ ok: 'It is 1.' }] } } })
    const made = await client.messages.stream({ ...ASK, tools: TOOLS }).finalMessage()
    expect(made).toMatchObject({ stop_reason: 'tool_use', content: [{ type: 'text' }, { type: 'tool_use', name: 'add', input: { a: 1 } }] })
    const used = made.content.find((block) => block.type === 'tool_use')
    const result = { type: 'tool_result' as const, tool_use_id: used?.id ?? '', content: [{ type: 'text' as const, text: 'one' }] }
    const messages = [...ASK.messages, { role: 'assistant' as const, content: made.content }, { role: 'user' as const, content: [result] }]
    const again = await client.messages.create({ ...ASK, tools: TOOLS, messages })
    expect(again.content).toMatchObject([{ type: 'text', text: 'It is 1.' }])
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('one')
    expect(provider.problems).toEqual([])
  })

  test('a whole answer that calls two tools', async () => {
    const toolCalls = [
      { id: 'toolu_1', name: 'add', arguments: '{"a":1}' },
      { id: 'toolu_2', name: 'add', arguments: '{"a":2}' },
    ]
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [{ ok: '', toolCalls, usage: { input: 1, output: 1 } }] } } })
    const { content, stop_reason } = await client.messages.create({ ...ASK, tools: TOOLS })
    expect(stop_reason).toBe('tool_use')
    expect(content.map((block) => (block.type === 'tool_use' ? block.input : block))).toEqual([{ a: 1 }, { a: 2 }])
    expect(new Set(content.map((block) => block.type === 'tool_use' && block.id)).size).toBe(2)
  })

  test('an answer cut short by its bound is max_tokens, whole and streamed', async () => {
    const events = [{ text: 'Hel' }, { usage: { input: 9, output: 2 } }, { final: 'length' as const }]
    const { client } = await started({
      profiles: [profile],
      script: { 'x.a/m1': { call: [{ length: 'Hel', usage: { input: 9, output: 2 } }], stream: [{ events }] } },
    })
    expect(await client.messages.create(ASK)).toMatchObject({ stop_reason: 'max_tokens', content: [{ text: 'Hel' }] })
    expect(await client.messages.stream(ASK).finalMessage()).toMatchObject({ stop_reason: 'max_tokens', content: [{ text: 'Hel' }] })
  })

  test.each([{ http: 429, headers: { 'retry-after': '60' } }, { http: 500 }, { fault: { kind: 'cut' as const, at: 0, by: 'end' as const } }])(
    'R27 failure before content (%j): another entry answers, and the client sees one whole answer',
    async (failure) => {
      const { client } = await started({
        profiles: [profile, SPARE],
        script: { 'x.a/m1': { stream: [failure] }, 'y.b/m2': { call: [{ ok: 'From the spare.', usage: { input: 1, output: 2 } }] } },
      })
      const stream = client.messages.stream(ASK)
      const { response } = await stream.withResponse()
      expect(await stream.finalMessage()).toMatchObject({ content: [{ text: 'From the spare.' }], usage: { input_tokens: 1, output_tokens: 2 } })
      expect(response.headers.get('x-relevo-requested')).toBe('x.a/m1')
      expect(response.headers.get('x-relevo-served')).toBe('y.b/m2')
      expect(response.headers.get('x-relevo-attempts')).toBe('2')
    },
  )

  test('R28 cut behind content: the client raises, and nobody is asked again', async () => {
    const cut = { events: [{ text: 'Half of ' }, { text: 'it' }, { eof: true as const }] }
    const { client, provider } = await started({ profiles: [profile, SPARE], script: { 'x.a/m1': { stream: [cut, cut] } } })
    let text = ''
    const read = (async () => {
      for await (const event of await client.messages.create({ ...ASK, stream: true })) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
      }
    })()
    const error = await read.catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ type: 'api_error', error: { error: { code: 'interrupted' }, relevo: { attempts: [{ result: 'truncated' }] } } })
    expect(text).toBe('Half of it')
    await expect(client.messages.stream(ASK).finalMessage()).rejects.toBeInstanceOf(APIError)
    expect(provider.requests).toHaveLength(2)
  })

  test('R18 all held: 429 with Retry-After and every entry in the body', async () => {
    const limited = { http: 429, headers: { 'retry-after': '60' } }
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [limited] } } })
    const error = await client.messages.create(ASK).catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ type: 'rate_limit_error', requestID: expect.stringMatching(/./) })
    expect(Number((error as APIError).headers?.get('retry-after'))).toBeGreaterThan(50)
    expect((error as APIError).error).toMatchObject({
      type: 'error',
      error: { code: 'all_held', entries: [{ entry: 'x.a/m1', heldUntil: expect.any(String) }] },
      request_id: (error as APIError).requestID,
    })
  })

  test('GW-05 R30 an abort of the client reaches the provider, and nobody is asked again', async () => {
    const { client, provider } = await started({
      profiles: [profile, SPARE],
      script: { 'x.a/m1': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }] } },
    })
    const stream = client.messages.stream(ASK)
    stream.on('text', () => stream.abort())
    await expect(stream.finalMessage()).rejects.toThrow(/abort/i)
    const request = await provider.requested(1)
    await request.ended
    expect(request.abortedByClient).toBe(true)
    expect(provider.requests).toHaveLength(1)
  })
})

describe('thoughts', () => {
  const THINKING = [{ reasoning: 'Hm. ' }, { reasoning: 'Well.' }, { text: 'Hello' }, { usage: { input: 9, output: 4 } }, { final: 'stop' as const }]

  test.each(APIS)('of %s are a block before the text', async (api) => {
    const { client } = await started({ profiles: [{ id: 'x.a', api, model: 'm1' }], script: { 'x.a/m1': { stream: [{ events: THINKING }] } } })
    const { content } = await client.messages.stream(ASK).finalMessage()
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'Hm. Well.', signature: expect.stringMatching(/./) },
      { type: 'text', text: 'Hello' },
    ])
  })

  test('of another provider come back with the history, and no entry of this protocol is sent them as its own', async () => {
    const claude: RigProfile = { id: 'c.a', api: 'anthropic-messages', model: 'm1' }
    const { client, provider } = await started({
      profiles: [SPARE, claude],
      script: { 'y.b/m2': { stream: [{ events: THINKING }] }, 'c.a/m1': { call: [{ ok: 'Again.' }] } },
    })
    const first = await client.messages.stream({ ...ASK, model: 'y.b' }).finalMessage()
    const messages = [...ASK.messages, { role: 'assistant' as const, content: first.content }, { role: 'user' as const, content: 'And?' }]
    await client.messages.create({ ...ASK, model: 'c.a', messages })
    expect(JSON.stringify(first.content)).toContain('Hm. Well.')
    const sent = JSON.stringify(provider.requests[1]?.body)
    expect(sent).toContain('Hello')
    expect(sent).not.toContain('thinking')
  })
})

describe('what a client may ask for', () => {
  const CLAUDE: RigProfile = { id: 'c.a', api: 'anthropic-messages', model: 'm1' }

  test('the client waits out Retry-After of a 429 by itself, and is answered then', async () => {
    const { gateway } = await started({
      profiles: [CLAUDE],
      script: { 'c.a/m1': { call: [{ http: 429, headers: { 'retry-after': '0.05' } }, { ok: 'There.' }] } },
      config: { reliability: { providerRetries: 0, jitter: 0, onAllHeld: 'fail', defaultCooldownMs: 50 } },
    })
    const statuses: number[] = []
    const askedAt: number[] = []
    const watched: typeof fetch = async (...given) => {
      askedAt.push(performance.now())
      const response = await fetch(...given)
      statuses.push(response.status)
      return response
    }
    const patient = new Anthropic({ baseURL: gateway.address, apiKey: 'none', fetch: watched })
    const { content } = await patient.messages.create(ASK)
    expect(content).toMatchObject([{ text: 'There.' }])
    expect(statuses).toEqual([429, 200])
    // Its own backoff would be half a second at the most.
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThan(950)
  })

  test('exhausted is 502, and says who was asked', async () => {
    const { client } = await started({ profiles: [CLAUDE], script: { 'c.a/m1': { call: [{ http: 529 }] } } })
    const error = await client.messages.create(ASK).catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({
      status: 502,
      type: 'api_error',
      error: { error: { code: 'exhausted', entries: [{ entry: 'c.a/m1', why: 'overloaded' }] } },
    })
  })

  test('a refusal is an answer that says so, whole and streamed', async () => {
    const events = [{ usage: { input: 9, output: 0 } }, { final: 'content_filter' as const }]
    const { client } = await started({
      profiles: [SPARE],
      script: { 'y.b/m2': { stream: [{ events }], call: [{ refusal: 'I will not.', usage: { input: 9, output: 1 } }] } },
      config: { reliability: { providerRetries: 0, onRefusal: 'stop' } },
    })
    expect(await client.messages.create(ASK)).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } })
    expect(await client.messages.stream(ASK).finalMessage()).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } })
  })

  test('tokens are counted here, and are called an estimate', async () => {
    const { client, provider } = await started({ profiles: [CLAUDE], script: {} })
    const { data, response } = await client.messages.countTokens({ model: 'm1', messages: ASK.messages, system: 'Be brief.' }).withResponse()
    expect(data).toEqual({ input_tokens: 10 })
    expect(response.headers.get('x-relevo-estimate')).toBe('true')
    expect(provider.requests).toHaveLength(0)
  })

  test('structured output reaches an entry of another protocol as its own', async () => {
    const { client, provider } = await started({ profiles: [SPARE], script: { 'y.b/m2': { call: [{ ok: '{"a":1}' }] } } })
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }
    const read = await client.messages.parse({ ...ASK, output_config: { format: { type: 'json_schema', schema } } })
    expect(read.content).toMatchObject([{ type: 'text', text: '{"a":1}' }])
    expect(provider.requests[0]?.body).toMatchObject({ response_format: { type: 'json_schema', json_schema: { schema } } })
  })

  test('images reach an entry of another protocol, also those in the result of a tool', async () => {
    const { client, provider } = await started({ profiles: [SPARE], script: { 'y.b/m2': { call: [{ ok: 'Seen.' }] } } })
    const image = (data: string) => ({ type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png' as const, data } })
    await client.messages.create({
      ...ASK,
      tools: TOOLS,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What?' }, image('aGk=')] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'add', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'A picture' }, image('eW8=')] }] },
      ],
    })
    const sent = JSON.stringify(provider.requests[0]?.body)
    expect(sent).toContain('data:image/png;base64,aGk=')
    expect(sent).toContain('data:image/png;base64,eW8=')
  })

  test('the key of an Anthropic client, `x-api-key`, opens the door, and no other does', async () => {
    const key = 'a-key-of-the-gateway-0123456789'
    const { gateway, provider } = await started({
      profiles: [CLAUDE],
      script: { 'c.a/m1': { call: [{ ok: 'In.' }] } },
      config: { gateway: { port: 0, keys: [{ id: 'me', key }] } },
    })
    const clientOf = (apiKey: string) => new Anthropic({ baseURL: gateway.address, apiKey, maxRetries: 0 })
    expect(await clientOf(key).messages.create(ASK)).toMatchObject({ content: [{ text: 'In.' }] })
    const error = await clientOf('another')
      .messages.create(ASK)
      .catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({ type: 'authentication_error' })
    expect(provider.requests).toHaveLength(1)
    expect(provider.requests[0]?.headers['x-api-key']).not.toBe(key)
  })

  test('the beta half of the client asks at the same door', async () => {
    const { client } = await started({ profiles: [CLAUDE], script: { 'c.a/m1': { stream: [{ events: HELLO }], call: [{ ok: 'Hello' }] } } })
    expect(await client.beta.messages.create({ ...ASK, betas: ['context-1m-2025-08-07'] })).toMatchObject({ content: [{ text: 'Hello' }] })
    expect(await client.beta.messages.stream(ASK).finalMessage()).toMatchObject({ content: [{ text: 'Hello' }] })
    expect(await client.beta.messages.countTokens({ model: 'm1', messages: ASK.messages })).toMatchObject({ input_tokens: 7 })
  })

  test('a bad request is 400 and names the field', async () => {
    const { client, provider } = await started({ profiles: [CLAUDE], script: {} })
    const body = { ...ASK, messages: [{ role: 'user' as const, content: [{ type: 'text' as const }] }] }
    const error = await client.messages.create(body as never).catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ type: 'invalid_request_error', error: { error: { param: 'messages[0].content[0].text' } } })
    expect(provider.requests).toHaveLength(0)
  })

  test('`models` are tried in order', async () => {
    const { client, provider } = await started({
      profiles: [CLAUDE, SPARE],
      script: { 'y.b/m2': { call: [{ http: 500 }] }, 'c.a/m1': { call: [{ ok: 'c' }] } },
    })
    const body = { ...ASK, model: 'y.b', models: ['c.a'] }
    expect(await client.messages.create(body)).toMatchObject({ model: 'm1' })
    expect(provider.requests.map(({ body }) => (body as { model?: string }).model)).toEqual(['m2', 'm1'])
    expect(provider.requests[1]?.body).not.toHaveProperty('models')
  })
})
