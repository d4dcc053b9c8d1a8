import { describe, expect, it } from 'vitest'
import { fromAiSdk } from '../../../src/ai-sdk.ts'
import { Recording } from '../../../src/engines/conformance/recording.ts'
import type { Message } from '../../../src/index.ts'
import { model, requestOf, STOP, text, told } from './stub-model.ts'

describe('R25: a model whose bytes nobody sees', () => {
  const finish = (finishReason: unknown, usage: unknown = {}) => told(model([text('Half'), { type: 'finish', finishReason, usage }]).made)

  it.each([
    ['other, without a word of the provider', { unified: 'other', raw: undefined }],
    ['unknown, as version 2 says it', 'unknown'],
    ['interrupted, as version 4 says it', { unified: 'interrupted', raw: undefined }],
    ['nothing', undefined],
  ])('was cut when it finishes by %s', async (_name, reason) => {
    const recording = await finish(reason)
    recording.failure('truncated')
    expect(recording.text).toBe('Half')
  })

  it('was cut when it ends without a finish', async () => {
    ;(await told(model([text('Half')]).made)).failure('truncated')
  })

  it('is whole with a reason, be it one of the provider alone', async () => {
    expect((await finish({ unified: 'other', raw: 'pause_turn' })).final().finish).toBe('pause_turn')
    expect((await finish('stop')).final().finish).toBe('stop')
  })

  it('of which no reason is expected is taken under lenient, where output was counted', async () => {
    const lenient = async (usage: unknown): Promise<Recording> => {
      const request = requestOf()
      const parts = [text('a'), { type: 'finish', finishReason: 'unknown', usage }]
      const recording = new Recording(fromAiSdk(model(parts).made), { ...request, profile: { ...request.profile, completion: 'lenient' } })
      await recording.over
      return recording
    }
    expect((await lenient({ outputTokens: 4 })).final().finish).toBeNull()
    ;(await lenient({})).failure('truncated')
  })
})

describe('what a model says', () => {
  it('wire.md §12.4: tool calls are held until the finish, those of the provider are told at once', async () => {
    const { made } = model([
      { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"Vigo"}' },
      { type: 'tool-call', toolCallId: 'p1', toolName: 'search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: 'soon', preliminary: true },
      { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { found: 1 } },
      text('So.'),
      STOP,
    ])
    const recording = await told(made)
    expect(recording.events.map((event) => event.type)).toEqual([
      'opened',
      'providerToolCall',
      'providerToolResult',
      'text',
      'toolCall',
      'usage',
      'final',
    ])
    expect(recording.of('providerToolResult')[0]).toMatchObject({ id: 'p1', output: '{"found":1}' })
    expect(recording.final().finish).toBe('tool_calls')
  })

  it('a whole answer, version 3', async () => {
    const { made } = model([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'So.' },
      { type: 'source', id: 's1' },
    ])
    const recording = await told(made, { mode: 'call' })
    expect([recording.reasoning, recording.text]).toEqual(['hm', 'So.'])
    expect(recording.of('usage')).toEqual([{ type: 'usage', input: 3, output: 2 }])
  })

  it('R34: counts of version 2, and no zero that nobody told', async () => {
    const usage = { inputTokens: 9, outputTokens: 4, totalTokens: 13, cachedInputTokens: 5, reasoningTokens: undefined }
    const v2 = await told(model([text('a'), { type: 'finish', finishReason: 'stop', usage }]).made)
    expect(v2.of('usage')).toEqual([{ type: 'usage', input: 9, output: 4, cachedInput: 5 }])
    const zeros = { inputTokens: { total: 9, cacheRead: 0 }, outputTokens: { total: undefined } }
    const v3 = await told(model([text('a'), { ...STOP, usage: zeros }]).made)
    expect(v3.of('usage')).toEqual([{ type: 'usage', input: 9 }])
  })

  it('nothing that is no part breaks it', async () => {
    const odd = [
      null,
      7,
      'text',
      [],
      {},
      { type: 7 },
      { type: 'text-delta', delta: 7 },
      { type: 'tool-call' },
      { type: 'from-the-future' },
      text('ok'),
      STOP,
    ]
    const recording = await told(model(odd).made)
    expect(recording.text).toBe('ok')
    expect(recording.of('toolCall')).toEqual([{ type: 'toolCall', id: null, name: '', arguments: '{}' }])
  })

  it('an error part ends the attempt, classified by the frame it carries', async () => {
    const overloaded = await told(
      model([text('par'), { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }, text('late'), STOP]).made,
    )
    expect(overloaded.failure('overloaded').phase).toBe('stream')
    expect(overloaded.text).toBe('par')
    ;(await told(model([{ type: 'error', error: { message: 'slow down', code: 'rate_limit_exceeded' } }]).made)).failure('rate_limited')
  })
})

describe('what an issuer wants back', () => {
  it('is told, and put back on the parts that it came with', async () => {
    const signature = { anthropic: { signature: 'sig' } }
    const thought = { google: { thoughtSignature: 'th' } }
    const item = { openai: { itemId: 'it' } }
    const { made, asked } = model([
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'let ' },
      { type: 'reasoning-delta', id: 'r', delta: 'me' },
      { type: 'reasoning-end', id: 'r', providerMetadata: signature },
      text('So.'),
      { type: 'text-end', id: '1', providerMetadata: item },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{}' },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'clock', input: '{}', providerMetadata: thought },
      STOP,
    ])
    const recording = await told(made)
    const data = recording.of('issued').map((event) => event.data)
    const request = requestOf()
    const calls = [
      { id: 'c1', name: 'weather', arguments: '{}' },
      { id: 'c2', name: 'clock', arguments: '{"zone":"UTC"}' },
    ]
    const answer: Message = { role: 'assistant', content: 'So.', toolCalls: calls, issued: { profile: request.profile.id, model: 'm1', data } }
    const promptFor = async (message: Message): Promise<unknown> => {
      const again = new Recording(fromAiSdk(made), { ...request, messages: [message] })
      await again.over
      return asked.at(-1)?.prompt
    }
    expect(await promptFor(answer)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'let me', providerOptions: signature },
          { type: 'text', text: 'So.', providerOptions: item },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: {} },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'clock', input: { zone: 'UTC' }, providerOptions: thought },
        ],
      },
    ])
    // Another model's, and a call that the host took out, are left out.
    const other = { ...answer, issued: { profile: 'other.x', model: 'm1', data } } as Message
    expect(JSON.stringify(await promptFor(other))).not.toMatch(/sig|"it"|"th"|let me/)
    expect(JSON.stringify(await promptFor({ ...answer, toolCalls: calls.slice(0, 1) } as Message))).not.toContain('"th"')
  })
})
