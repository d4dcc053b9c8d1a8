import { APIError, APIUserAbortError, InternalServerError, RateLimitError } from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RigProfile } from '../rig.ts'
import { APIS, ASK, raisedBy, SPARE, started } from './started.ts'

const USAGE = { input: 9, output: 2 }
const HELLO = [{ text: 'Hel' }, { text: 'lo' }, { usage: USAGE }, { final: 'stop' as const }]
const ADD = { name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' } } } }
const TOOLS = [{ type: 'function' as const, ...ADD, strict: false }]

describe.each(APIS)('an unmodified openai client of responses, answered over %s', (api) => {
  const profile: RigProfile = { id: 'x.a', api, model: 'm1' }

  test('a whole answer', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [{ ok: 'Hello', usage: USAGE }] } } })
    const { data, response, request_id } = await client.responses.create({ ...ASK, temperature: 0.5 }).withResponse()
    expect(data).toMatchObject({ object: 'response', status: 'completed', output_text: 'Hello', error: null, incomplete_details: null })
    expect(data.usage).toMatchObject({ input_tokens: 9, output_tokens: 2, total_tokens: 11 })
    expect(response.headers.get('x-relevo-served')).toBe('x.a/m1')
    expect(request_id).toBe(response.headers.get('x-relevo-turn'))
  })

  test('a streamed answer: every event is numbered, and the last one carries `relevo`', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ events: HELLO }] } } })
    const events = []
    for await (const event of await client.responses.create({ ...ASK, stream: true })) events.push(event)
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
    expect(events.at(-1)).toMatchObject({
      response: { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }] },
      relevo: { requested: 'x.a/m1', served: 'x.a/m1', usage: USAGE, attempts: [{ n: 1, result: 'ok' }] },
    })
  })

  test('the stream helper comes to the same response', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ events: HELLO }] } } })
    let text = ''
    const stream = client.responses.stream(ASK).on('response.output_text.delta', ({ delta, snapshot }) => {
      text += delta
      expect(snapshot).toBe(text)
    })
    const whole = await stream.finalResponse()
    expect(text).toBe('Hello')
    expect(whole).toMatchObject({ status: 'completed', output_text: 'Hello', usage: { input_tokens: 9, output_tokens: 2 } })
  })

  test('thoughts are told as a summary, before the text', async () => {
    const events = [{ reasoning: 'Hm, ' }, { reasoning: 'so.' }, ...HELLO]
    const { client } = await started({
      profiles: [profile],
      script: { 'x.a/m1': { stream: [{ events }], call: [{ ok: 'Hello', reasoning: 'Hm, so.', usage: USAGE }] } },
    })
    let summary = ''
    const stream = client.responses.stream(ASK).on('response.reasoning_summary_text.delta', ({ delta }) => {
      summary += delta
    })
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm, so.' }] }
    expect((await stream.finalResponse()).output).toMatchObject([thought, { type: 'message' }])
    expect(summary).toBe('Hm, so.')
    expect((await client.responses.create(ASK)).output).toMatchObject([thought, { type: 'message' }])
  })

  test.each(['stream', 'call'] as const)('a tool is called, and its result goes back (%s)', async (how) => {
    const call = { id: 'call_1', name: 'add', arguments: '{"a":1}' }
    const events = [{ text: 'Adding.' }, { toolCall: call }, { usage: USAGE }, { final: 'tool_calls' as const }]
    const { client, provider } = await started({
      profiles: [profile],
      script: {
        'x.a/m1': {
          stream: how === 'stream' ? [{ events }, { events: HELLO }] : [],
          call: how === 'call' ? [{ ok: 'Adding.', toolCalls: [call] }, { ok: 'Hello' }] : [],
        },
      },
    })
    const input: ResponseInputItem[] = [{ role: 'user', content: 'Add.' }]
    const ask = async () => {
      const body = { model: '', input, tools: TOOLS, store: false }
      return how === 'stream' ? await client.responses.stream(body).finalResponse() : await client.responses.create(body)
    }
    const first = await ask()
    const [made] = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
    expect(made).toMatchObject({ name: 'add', arguments: expect.stringMatching(/^\{"a":\s*1\}$/), call_id: expect.stringMatching(/./) })
    input.push(...(first.output as ResponseInputItem[]))
    input.push({ type: 'function_call_output', call_id: made?.call_id ?? '', output: 'exactly one' })
    expect((await ask()).output_text).toBe('Hello')
    const asked = JSON.stringify(provider.requests[1]?.body)
    expect(asked).toContain('exactly one')
    expect(asked).toContain('Adding.')
  })

  test('R24 structured output, by the zod helpers: what is asked for, and what is parsed', async () => {
    const answer = '{"city":"Vigo","rain":true}'
    const { client, provider } = await started({
      profiles: [profile],
      script: {
        'x.a/m1': { call: [{ ok: answer }], stream: [{ events: [{ text: answer.slice(0, 9) }, { text: answer.slice(9) }, { final: 'stop' }] }] },
      },
    })
    const text = { format: zodTextFormat(z.object({ city: z.string(), rain: z.boolean() }), 'forecast') }
    expect((await client.responses.parse({ ...ASK, text })).output_parsed).toEqual({ city: 'Vigo', rain: true })
    expect((await client.responses.stream({ ...ASK, text }).finalResponse()).output_parsed).toEqual({ city: 'Vigo', rain: true })
    for (const { body } of provider.requests) expect(JSON.stringify(body)).toContain('rain')
  })

  test('an answer that was cut by its bound of tokens is incomplete, and says why', async () => {
    const { client } = await started({
      profiles: [profile],
      script: {
        'x.a/m1': { call: [{ length: 'Hel', usage: USAGE }], stream: [{ events: [{ text: 'Hel' }, { usage: USAGE }, { final: 'length' }] }] },
      },
    })
    const incomplete = { status: 'incomplete', output_text: 'Hel', incomplete_details: { reason: 'max_output_tokens' } }
    expect(await client.responses.create({ ...ASK, max_output_tokens: 2 })).toMatchObject(incomplete)
    expect(await client.responses.stream({ ...ASK, max_output_tokens: 2 }).finalResponse()).toMatchObject(incomplete)
  })

  test.each([
    { http: 500 },
    { http: 429 },
    { fault: { kind: 'cut', at: { beforeEvent: 1 }, by: 'rst' } as const },
    { events: [{ eof: true as const }] },
  ])('R27 failure before content (%j): another entry answers, and the client sees one whole answer', async (failing) => {
    const refusing = 'fault' in failing ? { ...failing, answer: { events: [{ usage: USAGE }, { text: 'No' }, { final: 'stop' as const }] } } : failing
    const { client } = await started({
      profiles: [profile, SPARE],
      script: { 'x.a/m1': { stream: [refusing] }, 'y.b/m2': { call: [{ ok: 'From the spare.', usage: USAGE }] } },
    })
    const { data, response } = await client.responses.create({ ...ASK, stream: true }).withResponse()
    const events = []
    for await (const event of data) events.push(event)
    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { model: 'm2', output: [{ content: [{ text: 'From the spare.' }] }] },
    })
    expect(response.headers.get('x-relevo-requested')).toBe('x.a/m1')
    expect(response.headers.get('x-relevo-served')).toBe('y.b/m2')
    expect(response.headers.get('x-relevo-attempts')).toBe('2')
  })

  test.each(['create', 'stream'] as const)('R28 cut behind content: the client raises, and nobody is asked again (%s)', async (how) => {
    const cut = { events: [{ text: 'Half of ' }, { text: 'it' }, { eof: true as const }] }
    const { client, provider } = await started({ profiles: [profile, SPARE], script: { 'x.a/m1': { stream: [cut] } } })
    let text = ''
    const read = async (): Promise<void> => {
      const events = how === 'stream' ? client.responses.stream(ASK) : await client.responses.create({ ...ASK, stream: true })
      for await (const event of events) {
        expect(event.type).not.toMatch(/completed|incomplete/)
        if (event.type === 'response.output_text.delta') text += event.delta
      }
    }
    const error = await raisedBy(read())
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({
      code: 'interrupted',
      type: 'upstream_error',
      error: { entries: [{ entry: 'x.a/m1', why: 'truncated' }, { entry: 'y.b/m2' }] },
    })
    expect(text).toBe('Half of it')
    expect(provider.requests).toHaveLength(1)
  })

  test('R18 all held: 429 with Retry-After and every entry in the body', async () => {
    const limited = { http: 429, headers: { 'retry-after': '60' } }
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [limited] } } })
    for (const stream of [false, true]) {
      const error = await raisedBy(client.responses.create({ ...ASK, stream }))
      expect(error).toBeInstanceOf(RateLimitError)
      expect(Number((error as APIError).headers?.get('retry-after'))).toBeGreaterThan(50)
      expect((error as APIError).error).toMatchObject({ code: 'all_held', entries: [{ entry: 'x.a/m1', heldUntil: expect.any(String) }] })
    }
  })

  test('exhausted is 502, and says who was asked', async () => {
    const { client } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [{ http: 500 }] } } })
    const error = await raisedBy(client.responses.create(ASK))
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({ status: 502, error: { code: 'exhausted', entries: [{ entry: 'x.a/m1', why: 'server_error' }] } })
  })

  test.each(['create', 'stream', 'call'] as const)(
    'GW-05 R30 an abort of the client reaches the provider, and nobody is asked again (%s)',
    async (how) => {
      const { client, provider } = await started({
        profiles: [profile, SPARE],
        script: { 'x.a/m1': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }], call: [{ pending: true }] } },
      })
      const aborter = new AbortController()
      const options = { signal: aborter.signal }
      const read = async (): Promise<void> => {
        if (how === 'call') return void (await client.responses.create(ASK, options))
        const events = how === 'stream' ? client.responses.stream(ASK, options) : await client.responses.create({ ...ASK, stream: true }, options)
        for await (const event of events) if (event.type === 'response.output_text.delta') aborter.abort()
      }
      const raised = raisedBy(read())
      const request = await provider.requested(1)
      if (how === 'call') aborter.abort()
      await request.ended
      expect(request.abortedByClient).toBe(true)
      if (how !== 'create') expect(await raised).toBeInstanceOf(APIUserAbortError)
      expect(provider.requests).toHaveLength(1)
    },
  )
})

test.each(['stream', 'call'] as const)('thoughts of another provider, sent back, are not passed to one that looks them up (%s)', async (how) => {
  const events = [{ reasoning: 'Hm.' }, ...HELLO]
  const { client, provider } = await started({
    profiles: [{ id: 'x.a', api: 'openai-responses', model: 'm1' }, SPARE],
    script: {
      'x.a/m1': { call: [{ ok: 'Well.' }] },
      'y.b/m2': { stream: [{ events }], call: [{ ok: 'Hello', reasoning: 'Hm.', usage: USAGE }] },
    },
  })
  const asked = { ...ASK, model: 'y.b' }
  const { output } = how === 'stream' ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked)
  expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  // Of its own the provider knows.
  const own = { type: 'reasoning' as const, id: 'rs_68f0a1', summary: [], encrypted_content: 'x' }
  const input = [own, ...output, { role: 'user' as const, content: 'And?' }] as ResponseInputItem[]
  await client.responses.create({ model: 'x.a', input })
  const sent = provider.requests.at(-1)?.body as { input: { type?: string; id?: string }[] }
  expect(sent.input.map(({ type, id }) => (type === 'reasoning' ? id : type))).toEqual(['rs_68f0a1', 'message', undefined])
})
