import { APICallError } from 'ai'
import { describe, expect, it } from 'vitest'
import { relevoModel } from '../../../src/ai-sdk.ts'
import { RefusedError, StreamInterruptedAfterOutput, TurnExhaustedError } from '../../../src/index.ts'
import { drained, field, relay } from './kit.ts'

const PROMPT = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]

async function partsOf(...relayed: Parameters<typeof relay>) {
  const { kernel, provider } = await relay(...relayed)
  const { stream, response } = await relevoModel(kernel).doStream({ prompt: PROMPT })
  return { parts: await drained(stream), response, provider }
}

describe('a turn as stream parts', () => {
  it('R33: stands in order, with the served model in front and who was asked at the end', async () => {
    const { parts } = await partsOf({
      'openai.main/gpt-a': { stream: [{ http: 503 }], call: [{ http: 503 }] },
      'anthropic.spare/claude-b': {
        stream: [{ events: [{ text: 'unused' }, { final: 'stop' }] }],
        call: [{ ok: 'The spare one.', usage: { input: 12, output: 3, cachedInput: 4 } }],
      },
    })
    expect(parts.map((part) => part.type)).toEqual(['stream-start', 'response-metadata', 'text-start', 'text-delta', 'text-end', 'finish'])
    expect(parts[1]).toMatchObject({ modelId: 'claude-b' })
    expect(parts[3]).toMatchObject({ delta: 'The spare one.' })
    const finish = parts.at(-1)
    expect(finish).toMatchObject({
      finishReason: { unified: 'stop', raw: undefined },
      usage: { inputTokens: { total: 12, noCache: 8, cacheRead: 4, cacheWrite: undefined }, outputTokens: { total: 3 } },
    })
    const relevo = field(finish, 'providerMetadata', 'relevo')
    expect(relevo).toMatchObject({
      kind: 'ok',
      requested: { profile: 'openai.main', model: 'gpt-a' },
      served: { profile: 'anthropic.spare', model: 'claude-b' },
      notice: 'Another model or provider answered.',
      recoveredFrom: 'stream_error',
      attempts: [
        { n: 1, entry: 'openai.main/gpt-a', mode: 'stream', result: 'server_error', accepted: false },
        { n: 2, entry: 'anthropic.spare/claude-b', mode: 'call', result: 'ok', accepted: true },
      ],
    })
    expect(JSON.parse(JSON.stringify(relevo))).toEqual(relevo)
  })

  it('R27: reasoning and text stand in blocks of their own, one open at a time', async () => {
    const { parts } = await partsOf({
      'openai.main/gpt-a': {
        stream: [{ events: [{ reasoning: 'let ' }, { reasoning: 'me' }, { text: 'so' }, { text: ' it is' }, { final: 'length' }] }],
      },
    })
    expect(parts.slice(2, -1)).toEqual([
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'let ' },
      { type: 'reasoning-delta', id: '1', delta: 'me' },
      { type: 'reasoning-end', id: '1' },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '2', delta: 'so' },
      { type: 'text-delta', id: '2', delta: ' it is' },
      { type: 'text-end', id: '2' },
    ])
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'length' } })
  })

  it('wire.md §12.4: tool calls come whole behind the text, each with its input parts', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Vigo"}' }
    const { parts } = await partsOf({
      'openai.main/gpt-a': {
        stream: [
          { events: [{ text: 'Looking.' }, { toolCall: call }, { toolCall: { ...call, id: 'call_2', arguments: '{}' } }, { final: 'tool_calls' }] },
        ],
      },
    })
    expect(parts.slice(4, -1)).toEqual([
      { type: 'text-end', id: '1' },
      { type: 'tool-input-start', id: 'call_1', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"city":"Vigo"}' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Vigo"}' },
      { type: 'tool-input-start', id: 'call_2', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'call_2', delta: '{}' },
      { type: 'tool-input-end', id: 'call_2' },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'weather', input: '{}' },
    ])
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } })
  })

  it('C31: tool calls of an answer that did not stream come without an empty text', async () => {
    const { parts } = await partsOf({
      'openai.main/gpt-a': { stream: [{ http: 503 }] },
      'anthropic.spare/claude-b': { call: [{ ok: '', toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{}' }] }] },
    })
    expect(parts.map((part) => part.type)).toEqual([
      'stream-start',
      'response-metadata',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'finish',
    ])
    expect(parts[1]).toMatchObject({ modelId: 'claude-b' })
  })

  it('R28: tools that ran at the provider are told as executed, with their result', async () => {
    const { parts } = await partsOf(
      {
        'anthropic.spare/claude-b': {
          stream: [
            {
              events: [
                { providerToolCall: { name: 'search', arguments: '{"q":"x"}' } },
                { providerToolResult: { name: 'search', output: 'found' } },
                { text: 'a' },
                { final: 'stop' },
              ],
            },
          ],
        },
      },
      { primary: 'anthropic.spare' },
    )
    const [start, call, result] = ['tool-input-start', 'tool-call', 'tool-result'].map((type) => parts.find((part) => part.type === type))
    expect(start).toMatchObject({ toolName: 'search', providerExecuted: true, dynamic: true })
    expect(call).toMatchObject({ toolName: 'search', providerExecuted: true, dynamic: true })
    expect(result).toMatchObject({ toolName: 'search', toolCallId: field(call, 'toolCallId'), dynamic: true })
    expect(JSON.stringify(field(result, 'result'))).toContain('found')
    expect(parts.map((part) => part.type).slice(-4)).toEqual(['text-start', 'text-delta', 'text-end', 'finish'])
  })

  it('R29: reasoning that was shown stays, and the model that answered instead is named', async () => {
    const { parts } = await partsOf(
      {
        'openai.main/gpt-a': { stream: [{ events: [{ reasoning: 'hm' }, { final: 'stop' }] }], call: [{ http: 500 }] },
        'anthropic.spare/claude-b': { call: [{ ok: 'Here.' }] },
      },
      { reliability: { providerRetries: 0 } },
    )
    expect(parts.filter((part) => part.type === 'response-metadata').map((part) => field(part, 'modelId'))).toEqual(['gpt-a', 'claude-b'])
    expect(parts.filter((part) => part.type === 'reasoning-delta' || part.type === 'text-delta').map((part) => field(part, 'delta'))).toEqual([
      'hm',
      'Here.',
    ])
  })

  it('R22: a refusal is a finish of its own, as the AI SDK says it', async () => {
    const { parts } = await partsOf({ 'openai.main/gpt-a': { stream: [{ events: [{ text: 'I ' }, { final: 'content_filter' }] }] } })
    expect(parts.map((part) => part.type)).toEqual(['stream-start', 'response-metadata', 'text-start', 'text-delta', 'text-end', 'finish'])
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'content-filter' }, providerMetadata: { relevo: { kind: 'refused' } } })
    // Nothing of a refusal is an error here; its class is for hosts of the kernel itself.
    expect(parts.some((part) => part.type === 'error' && RefusedError.isInstance(field(part, 'error', 'cause')))).toBe(false)
  })
})

describe('what goes wrong', () => {
  it('R28: behind content a broken stream is an error part, and nothing is asked again', async () => {
    const { parts, provider } = await partsOf({
      'openai.main/gpt-a': {
        stream: [{ events: [{ text: 'Half of ' }, { usage: { input: 5, output: 2 } }, { text: 'it' }, { eof: true }] }],
        call: [{ ok: 'again' }],
      },
    })
    expect(parts.map((part) => part.type)).toEqual([
      'stream-start',
      'response-metadata',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'error',
      'finish',
    ])
    const error = field(parts.at(-2), 'error')
    expect(APICallError.isInstance(error) && error.isRetryable).toBe(false)
    expect(StreamInterruptedAfterOutput.isInstance(field(error, 'cause'))).toBe(true)
    expect(field(error, 'statusCode')).toBe(502)
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'error' }, usage: { outputTokens: { total: 2 } } })
    expect(provider.requests).toHaveLength(1)
  })

  it('R21: a turn that fails before content rejects the call, and names nobody', async () => {
    const { kernel } = await relay({
      'openai.main/gpt-a': { stream: [{ http: 401 }], call: [{ http: 401 }] },
      'anthropic.spare/claude-b': { stream: [{ http: 500 }], call: [{ http: 500 }] },
    })
    const error = await relevoModel(kernel)
      .doStream({ prompt: PROMPT })
      .then(
        () => undefined,
        (rejected: unknown) => rejected,
      )
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ isRetryable: false, statusCode: 502, url: 'relevo:default', requestBodyValues: {} })
    expect(TurnExhaustedError.isInstance(field(error, 'cause'))).toBe(true)
    expect(field(error, 'message')).not.toMatch(/openai|anthropic|gpt-a|claude-b/)
    expect(field(error, 'data', 'relevo', 'attempts')).toHaveLength(2)
  })

  it('R18: when everything is held the error says how long', async () => {
    const limit = { http: 429, headers: { 'retry-after': '120' } }
    const { kernel } = await relay({
      'openai.main/gpt-a': { call: [limit] },
      'anthropic.spare/claude-b': { call: [{ http: 429, headers: { 'retry-after': '90' } }] },
    })
    const failing = () => relevoModel(kernel).doGenerate({ prompt: PROMPT })
    await expect(failing()).rejects.toMatchObject({ isRetryable: false })
    await expect(failing()).rejects.toMatchObject({ statusCode: 429, responseHeaders: { 'retry-after': '90' } })
  })

  it('R9: a model that cannot be planned is told as the fault of the request', async () => {
    const { kernel, provider } = await relay({}, { unknownHint: 'reject' })
    for (const method of ['doGenerate', 'doStream'] as const) {
      const call = relevoModel(kernel, 'hint:nobody')[method]({ prompt: PROMPT })
      await expect(call).rejects.toMatchObject({ statusCode: 400, url: 'relevo:hint:nobody', cause: { name: 'ConfigError', code: 'unknown_hint' } })
    }
    expect(provider.requests).toHaveLength(0)
  })

  it.each(['doGenerate', 'doStream'] as const)('a request that cannot be used is told by %s, with the field', async (method) => {
    const { kernel, provider } = await relay({})
    const error = await relevoModel(kernel)
      [method]({ prompt: PROMPT, temperature: -1 })
      .then(
        () => undefined,
        (rejected: unknown) => rejected,
      )
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false })
    expect(field(error, 'message')).toContain('options.temperature')
    expect(provider.requests).toHaveLength(0)
  })
})

describe('R30: cancelling', () => {
  const endless = { 'openai.main/gpt-a': { stream: [{ events: [{ text: 'on' }, { stall: true as const }] }] } }

  it('an abort errors the stream and cuts the provider off, whatever is still unread', async () => {
    const { kernel, provider } = await relay(endless)
    const stop = new AbortController()
    const { stream } = await relevoModel(kernel).doStream({ prompt: PROMPT, abortSignal: stop.signal })
    const reader = stream.getReader()
    expect((await reader.read()).value?.type).toBe('stream-start')
    stop.abort()
    await expect(reader.read()).rejects.toMatchObject({ name: 'AbortError' })
    await provider.requests[0]?.ended
    expect(provider.requests).toHaveLength(1)
    expect(provider.requests[0]?.abortedByClient).toBe(true)
  })

  it('an abort while a part is awaited rejects the read', async () => {
    const { kernel } = await relay(endless)
    const stop = new AbortController()
    const { stream } = await relevoModel(kernel).doStream({ prompt: PROMPT, abortSignal: stop.signal })
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== 'text-delta');
    const next = reader.read()
    stop.abort(new DOMException('too long', 'TimeoutError'))
    await expect(next).rejects.toMatchObject({ name: 'TimeoutError', message: 'too long' })
  })

  it('an abort before any content rejects the call', async () => {
    const { kernel, provider } = await relay({ 'openai.main/gpt-a': { stream: [{ pending: true }], call: [{ pending: true }] } })
    for (const method of ['doStream', 'doGenerate'] as const) {
      const stop = new AbortController()
      const call = relevoModel(kernel)[method]({ prompt: PROMPT, abortSignal: stop.signal })
      await provider.requested(provider.requests.length + 1)
      stop.abort('enough')
      await expect(call).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' })
    }
    for (const request of provider.requests) await request.ended
    expect(provider.requests.map((request) => request.abortedByClient)).toEqual([true, true])
  })

  it('a reader that leaves cancels the turn', async () => {
    const { kernel, provider } = await relay(endless)
    const { stream } = await relevoModel(kernel).doStream({ prompt: PROMPT })
    await stream.cancel()
    await provider.requests[0]?.ended
    expect(provider.requests[0]?.abortedByClient).toBe(true)
  })

  it('a stopped kernel ends the stream by an AbortError, and takes no further call', async () => {
    const { kernel } = await relay(endless)
    const { stream } = await relevoModel(kernel).doStream({ prompt: PROMPT })
    await kernel.stop()
    const parts = await drained(stream)
    expect(parts.at(-2)).toMatchObject({ type: 'error', error: { name: 'AbortError' } })
    await expect(relevoModel(kernel).doGenerate({ prompt: PROMPT })).rejects.toMatchObject({ statusCode: 500, cause: { code: 'kernel_stopped' } })
  })
})

describe('speed.md: demand', () => {
  const CHUNKS = 2000
  const text = 'x'.repeat(4000)

  it('a slow reader pauses the provider, and loses nothing by it', async () => {
    const events = [...Array.from({ length: CHUNKS }, (_, at) => ({ text: `${at}${text}` })), { final: 'stop' as const }]
    const { kernel, provider } = await relay({ 'openai.main/gpt-a': { stream: [{ events }] } })
    const { stream } = await relevoModel(kernel).doStream({ prompt: PROMPT })
    const reader = stream.getReader()
    let read = ''
    const take = async (): Promise<boolean> => {
      const { value, done } = await reader.read()
      if (value?.type === 'text-delta') read += value.delta
      return !done
    }
    for (let at = 0; at < 10; at += 1) await take()
    // Sockets on this machine take some megabytes in; the provider has as long as it takes to fill them.
    let before = -1
    for (let sent = provider.requests[0]?.bytesSent ?? 0; sent !== before; sent = provider.requests[0]?.bytesSent ?? 0) {
      before = sent
      for (let round = 0; round < 200; round += 1) await new Promise((resolve) => void setImmediate(resolve))
    }
    expect(provider.requests[0]?.end).toBeNull()
    while (await take());
    expect(read).toBe(Array.from({ length: CHUNKS }, (_, at) => `${at}${text}`).join(''))
  })
})
