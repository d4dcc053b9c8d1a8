import OpenAI, { APIError, InternalServerError, RateLimitError } from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { type Rig, type RigProfile, startRig } from '../rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const FIRST: RigProfile = { id: 'openai.a', api: 'openai-chat', model: 'm1' }
const APIS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama', 'bedrock-converse'] as const

async function started(options: Parameters<typeof startRig>[0]): Promise<Rig & { client: OpenAI }> {
  const rig = await startRig(options)
  rigs.push(rig)
  return { ...rig, client: new OpenAI({ baseURL: `${rig.gateway.address}/v1`, apiKey: 'none', maxRetries: 0 }) }
}

const ASK = { model: '', messages: [{ role: 'user' as const, content: 'Say hello.' }] }
const HELLO = [{ text: 'Hel' }, { text: 'lo' }, { usage: { input: 9, output: 2 } }, { final: 'stop' as const }]

describe.each(APIS)('an unmodified openai client, answered over %s', (api) => {
  const profile: RigProfile = { ...FIRST, id: 'x.a', api }

  test('a whole answer', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [{ ok: 'Hello', usage: { input: 9, output: 2 } }] } } })
    const { data, response, request_id } = await client.chat.completions.create(ASK).withResponse()
    expect(request_id).toMatch(/./)
    expect(request_id).toBe(response.headers.get('x-relevo-turn'))
    expect(data.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } })
    expect(data.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 2 })
    expect(response.headers.get('x-relevo-served')).toBe('x.a/m1')
    expect(response.headers.get('x-relevo-attempts')).toBe('1')
  })

  test('a streamed answer, with its usage in the last chunk', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ events: HELLO }] } } })
    const stream = client.chat.completions.stream({ ...ASK, stream_options: { include_usage: true } })
    const whole = await stream.finalChatCompletion()
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Hello' } })
    expect(whole.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 2 })
  })

  test('no chunk without a choice for a client that did not ask for usage', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ events: HELLO }] } } })
    const chunks = []
    for await (const chunk of await client.chat.completions.create({ ...ASK, stream: true })) chunks.push(chunk)
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ relevo: { served: 'x.a/m1', usage: { input: 9, output: 2 }, attempts: [{ n: 1, result: 'ok' }] } })
  })

  test('a tool is called, and its result goes back', async () => {
    const call = { id: 'call_1', name: 'add', arguments: '{"a":1}' }
    const events = [{ toolCall: call }, { usage: { input: 3, output: 4 } }, { final: 'tool_calls' as const }]
    const { client, provider } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ events }], call: [{ ok: '1' }] } } })
    const tools = [{ type: 'function' as const, function: { name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' } } } } }]
    const stream = client.chat.completions.stream({ ...ASK, tools })
    const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {}
    expect(finish_reason).toBe('tool_calls')
    const [made] = message?.tool_calls ?? []
    expect(made).toMatchObject({ type: 'function', function: { name: 'add', arguments: expect.stringMatching(/^\{"a":\s*1\}$/) } })
    const result = { role: 'tool' as const, tool_call_id: made?.id ?? '', content: 'one' }
    const again = await client.chat.completions.create({ ...ASK, tools, messages: [...ASK.messages, message as never, result] })
    expect(again.choices[0]?.message.content).toBe('1')
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('one')
  })

  test('R27 failure before content: another entry answers, and the client sees one whole answer', async () => {
    const spare: RigProfile = { id: 'y.b', api: 'anthropic-messages', model: 'm2' }
    const { client } = await started({
      profiles: [profile, spare],
      script: { 'x.a/m1': { stream: [{ http: 500 }] }, 'y.b/m2': { call: [{ ok: 'From the spare.', usage: { input: 1, output: 2 } }] } },
    })
    const { data, response } = await client.chat.completions.create({ ...ASK, stream: true }).withResponse()
    let text = ''
    for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('From the spare.')
    expect(response.headers.get('x-relevo-requested')).toBe('x.a/m1')
    expect(response.headers.get('x-relevo-served')).toBe('y.b/m2')
    expect(response.headers.get('x-relevo-attempts')).toBe('2')
  })

  test('R28 cut behind content: the client raises, and nobody is asked again', async () => {
    const cut = { events: [{ text: 'Half of ' }, { text: 'it' }, { eof: true as const }] }
    const { client, provider } = await started({
      profiles: [profile, { id: 'y.b', api: 'openai-chat', model: 'm2' }],
      script: { 'x.a/m1': { stream: [cut] } },
    })
    let text = ''
    const read = (async () => {
      for await (const chunk of await client.chat.completions.create({ ...ASK, stream: true })) text += chunk.choices[0]?.delta.content ?? ''
    })()
    await expect(read).rejects.toBeInstanceOf(APIError)
    expect(text).toBe('Half of it')
    expect(provider.requests).toHaveLength(1)
  })

  test('R18 all held: 429 with Retry-After and every entry in the body', async () => {
    const limited = { http: 429, headers: { 'retry-after': '60' } }
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [limited] } } })
    const error = await client.chat.completions.create(ASK).catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(RateLimitError)
    expect(Number((error as APIError).headers?.get('retry-after'))).toBeGreaterThan(50)
    expect((error as APIError).error).toMatchObject({ code: 'all_held', entries: [{ entry: 'x.a/m1', heldUntil: expect.any(String) }] })
  })

  test('exhausted is 502, and says who was asked', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [{ http: 500 }] } } })
    const error = await client.chat.completions.create(ASK).catch((raised: unknown) => raised)
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({ status: 502, error: { code: 'exhausted', entries: [{ entry: 'x.a/m1', why: 'server_error' }] } })
  })

  test('GW-05 R30 an abort of the client reaches the provider, and nobody is asked again', async () => {
    const { client, provider } = await started({
      profiles: [profile, { id: 'y.b', api: 'openai-chat', model: 'm2' }],
      script: { 'x.a/m1': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }] } },
    })
    const aborter = new AbortController()
    const read = (async () => {
      for await (const _ of await client.chat.completions.create({ ...ASK, stream: true }, { signal: aborter.signal })) aborter.abort()
    })()
    await read.catch(() => {})
    const request = await provider.requested(1)
    await request.ended
    expect(request.abortedByClient).toBe(true)
    expect(provider.requests).toHaveLength(1)
  })
})

describe('what a client may ask for', () => {
  test('the client retries a 429 after Retry-After by itself', async () => {
    const { gateway } = await started({
      profiles: [FIRST],
      script: { 'openai.a/m1': { call: [{ http: 429, headers: { 'retry-after': '0.05' } }, { ok: 'There.' }] } },
      config: { reliability: { providerRetries: 0, jitter: 0, onAllHeld: 'fail', defaultCooldownMs: 50 } },
    })
    const patient = new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: 'none', maxRetries: 2 })
    const { choices } = await patient.chat.completions.create(ASK)
    expect(choices[0]?.message.content).toBe('There.')
  })

  test.each([
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'oracle', content: '' }] }, 'messages[0].role'],
    [{ messages: ASK.messages, n: 2 }, 'n'],
    [{ messages: ASK.messages, temperature: 'hot' }, 'temperature'],
    [{ messages: ASK.messages, models: ['nobody.knows/m'] }, 'models[0]'],
  ])('a bad request is 400 and names the field: %j', async (body, param) => {
    const { gateway } = await started({ profiles: [FIRST], script: {} })
    const response = await fetch(`${gateway.address}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param, message: expect.stringContaining(param) } })
  })

  test('structured output goes to the provider, and images too', async () => {
    const { client, provider } = await started({ profiles: [FIRST], script: { 'openai.a/m1': { call: [{ ok: '{"a":1}' }] } } })
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }
    await client.chat.completions.create({
      model: '',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
          ],
        },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } },
      seed: 7,
    })
    expect(provider.requests[0]?.body).toMatchObject({ model: 'm1', seed: 7, response_format: { type: 'json_schema' } })
    expect(JSON.stringify(provider.requests[0]?.body)).toContain('data:image/png;base64,aGk=')
  })

  test.each([
    ['y.b', 'y.b/m2'],
    ['y.b/other', 'y.b/other'],
    ['hint:spare', 'y.b/m2'],
  ])('model %s is served by %s', async (model, served) => {
    const script = { 'y.b/m2': { call: [{ ok: 'b' }] }, 'y.b/other': { call: [{ ok: 'b' }] } }
    const { client } = await started({
      profiles: [FIRST, { id: 'y.b', api: 'openai-chat', model: 'm2' }],
      script,
      config: { modelRoutes: [{ hint: 'spare', modelProvider: 'y.b', model: 'm2' }] },
    })
    const { response } = await client.chat.completions.create({ ...ASK, model }).withResponse()
    expect(response.headers.get('x-relevo-served')).toBe(served)
  })

  test('`models` are tried in order, and nobody else is', async () => {
    const { client, provider } = await started({
      profiles: [FIRST, { id: 'y.b', api: 'openai-chat', model: 'm2' }, { id: 'z.c', api: 'openai-chat', model: 'm3' }],
      script: { 'z.c/m3': { call: [{ http: 500 }] }, 'openai.a/m1': { call: [{ http: 500 }] } },
    })
    const body = { ...ASK, model: 'z.c', models: ['openai.a'] }
    const error = await client.chat.completions.create(body).catch((raised: unknown) => raised)
    expect(error).toMatchObject({ status: 502 })
    expect(provider.requests.map(({ body }) => (body as { model?: string }).model)).toEqual(['m3', 'm1'])
  })
})
