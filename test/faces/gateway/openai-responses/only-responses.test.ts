import OpenAI from 'openai'
import { zodResponsesFunction } from 'openai/helpers/zod'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RigProfile } from '../rig.ts'
import { APIS, ASK, SPARE, started } from './started.ts'

describe('what only this protocol has', () => {
  const FIRST: RigProfile = { id: 'openai.a', api: 'openai-responses', model: 'm1' }

  test('R18 the client comes back by itself after Retry-After', async () => {
    const { gateway, provider } = await started({
      profiles: [FIRST],
      script: { 'openai.a/m1': { call: [{ http: 429, headers: { 'retry-after': '0.05' } }, { ok: 'There.' }] } },
    })
    const waits: unknown[] = []
    const seen: typeof fetch = async (...asked) => {
      const response = await fetch(...asked)
      waits.push(response.headers.get('retry-after'))
      return response
    }
    const patient = new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: 'none', fetch: seen })
    expect((await patient.responses.create(ASK)).output_text).toBe('There.')
    expect(waits).toEqual(['1', null])
    expect(provider.requests).toHaveLength(2)
  })

  test('an entry of this protocol is sent what the client wrote', async () => {
    const { client, provider } = await started({ profiles: [FIRST], script: { 'openai.a/m1': { call: [{ ok: 'Hello' }] } } })
    const search = { type: 'web_search' as const }
    await client.responses.create({ ...ASK, metadata: { trace: 't1' }, tools: [search], text: { verbosity: 'low' }, models: ['openai.a'] } as never)
    expect(provider.requests[0]?.body).toMatchObject({
      model: 'm1',
      input: 'Say hello.',
      metadata: { trace: 't1' },
      tools: [search],
      text: { verbosity: 'low' },
    })
    expect(provider.requests[0]?.body).not.toHaveProperty('models')
  })

  test.each(APIS)(
    'R28 the end of a broken answer stands on the wire as of one provider: one id, numbers in a row, the pair, and no terminator (%s)',
    async (api) => {
      const cut = { events: [{ text: 'Half of ' }, { text: 'it' }, { eof: true as const }] }
      const { gateway } = await started({ profiles: [{ id: 'x.a', api, model: 'm1' }], script: { 'x.a/m1': { stream: [cut] } } })
      const response = await fetch(`${gateway.address}/v1/responses`, { method: 'POST', body: JSON.stringify({ ...ASK, stream: true }) })
      const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '')
      const events = frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)))
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
      expect(new Set(events.flatMap(({ response }) => (response === undefined ? [] : [response.id]))).size).toBe(1)
      expect(events.slice(-2)).toMatchObject([
        { type: 'error', error: { code: 'interrupted' } },
        { type: 'response.failed', relevo: { served: null, attempts: [{ n: 1, entry: 'x.a/m1', result: 'truncated' }] } },
      ])
      expect(JSON.stringify(events)).not.toMatch(/response\.(completed|incomplete)|DONE/)
    },
  )

  test('R20 too long for every entry is 400, and names the field as this protocol does', async () => {
    const { client } = await started({
      profiles: [FIRST],
      script: { 'openai.a/m1': { call: [{ http: 400, body: 'prompt is too long' }] } },
    })
    const error = await client.responses.create(ASK).catch((raised: unknown) => raised)
    expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'input' })
  })

  test('tools by the zod helper are parsed', async () => {
    const call = { id: 'call_1', name: 'add', arguments: '{"a":1}' }
    const { client } = await started({ profiles: [SPARE], script: { 'y.b/m2': { call: [{ ok: '', toolCalls: [call] }] } } })
    const tools = [zodResponsesFunction({ name: 'add', parameters: z.object({ a: z.number() }) })]
    const { output } = await client.responses.parse({ ...ASK, tools, tool_choice: 'required' })
    expect(output).toMatchObject([{ type: 'function_call', call_id: 'call_1', parsed_arguments: { a: 1 } }])
  })

  test('images reach an entry of any protocol', async () => {
    const { client, provider } = await started({
      profiles: [FIRST, SPARE],
      script: { 'openai.a/m1': { call: [{ http: 500 }] }, 'y.b/m2': { call: [{ ok: 'A cat.' }] } },
    })
    const image = { type: 'input_image' as const, image_url: 'data:image/png;base64,aGk=', detail: 'auto' as const }
    await client.responses.create({ model: '', input: [{ role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, image] }] })
    for (const { body } of provider.requests) expect(JSON.stringify(body)).toContain('aGk=')
    expect(JSON.stringify(provider.requests[1]?.body)).toContain('image/png')
  })

  test('R22 a model that declines: the client is told by a refusal, not by words of the model', async () => {
    const { client } = await started({
      profiles: [SPARE],
      script: { 'y.b/m2': { call: [{ refusal: 'I will not.' }], stream: [{ events: [{ text: 'Well' }, { final: 'content_filter' }] }] } },
    })
    const refused = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
    const whole = await client.responses.create(ASK)
    expect(whole).toMatchObject(refused)
    const content = whole.output.flatMap((item) => (item.type === 'message' ? item.content : []))
    expect(content.at(-1)).toEqual({ type: 'refusal', refusal: expect.any(String), parsed: undefined })
    const streamed = await client.responses.stream(ASK).finalResponse()
    expect(streamed).toMatchObject({ ...refused, output_text: 'Well', output: [{ content: [{ text: 'Well' }, { type: 'refusal' }] }] })
  })
})
