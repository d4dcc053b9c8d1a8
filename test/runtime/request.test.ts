import { describe, expect, test } from 'vitest'
import type { Message, ToolDefinition } from '../../src/model/message.ts'
import { ConfigError } from '../../src/runtime/errors.ts'
import type { TurnRequest } from '../../src/runtime/request.ts'
import { LONE, rig, settle, TWO, watch } from './rig.ts'

const failing = { ...TWO, reliability: { jitter: 0, providerRetries: 0 } }

describe('what an engine is asked', () => {
  test('has every default of the request filled in', async () => {
    const { kernel, last } = rig()
    const tools = [{ name: 'find' }] as ToolDefinition[]
    const messages = [{ role: 'user', content: [{ type: 'image', data: 'AA==' }] }] as Message[]
    void kernel.turn({ messages, tools })
    await settle()
    expect(last().request.tools).toEqual([{ name: 'find', description: '', parameters: { type: 'object', properties: {} } }])
    expect(last().request.messages).toEqual([{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: 'AA==' }] }])
    await kernel.stop()
  })

  test.each([
    ['a plain conversation', {}],
    ['one that passed the schema', { options: { maxTokens: 5 } }],
  ])('R12 is what was handed over, whatever becomes of it later: %s', async (_, more: TurnRequest) => {
    const { kernel, attempts } = rig({ config: failing })
    const messages: Message[] = [{ role: 'user', content: 'as asked' }]
    void kernel.turn({ messages, ...more })
    messages.push({ role: 'assistant', content: 'added in the same task' })
    await settle()
    const first = messages[0]
    if (first !== undefined) first.content = 'changed during the turn'
    attempts[0]?.fail('auth')
    expect(attempts.map(({ request }) => request.messages)).toEqual([
      [{ role: 'user', content: 'as asked' }],
      [{ role: 'user', content: 'as asked' }],
    ])
    await kernel.stop()
  })

  test('R12 a prompt too: the object of the host is its own again once the turn is made', async () => {
    const { kernel, last } = rig()
    const request: Record<string, unknown> = { prompt: 'as asked' }
    void kernel.turn(request)
    Object.assign(request, { prompt: 5, messages: 5, tools: 7 })
    await settle()
    expect(last().request.messages).toEqual([{ role: 'user', content: 'as asked' }])
    await kernel.stop()
  })
})

describe('a conversation', () => {
  test.each([[[{ role: 'user', content: 'a' }]], [[]]])('and a prompt beside it are refused, since one of them would be lost', (messages) => {
    const asked = { messages, prompt: 'b' } as TurnRequest
    expect(() => rig().kernel.turn(asked)).toThrow(/^prompt: .+ \(invalid_request\)/)
  })
})

describe('R34 an unknown price', () => {
  test('is said once for a model, and a kernel asked for ever more models remembers a bounded number', async () => {
    const config = { ...LONE, profiles: { 'a.x': { apiKey: 'k' } } }
    const { kernel } = rig({ config, onAttempt: (attempt) => attempt.text('x').say({ type: 'usage', input: 1, output: 1 }).final() })
    const warned = async (model: string): Promise<number> => {
      const { turn, events } = watch(kernel, { model, sinks: [] })
      await turn.outcome
      return events.filter((event) => event.type === 'warning.raised').length
    }
    expect([await warned('first'), await warned('first')]).toEqual([1, 0])
    for (let model = 0; model < 1_000; model++) await warned(`m${model}`)
    expect([await warned('m999'), await warned('first')]).toEqual([0, 1])
  })
})

describe('a request that stands beside the usual one', () => {
  test.each([
    ['id', { id: '' }],
    ['id', { id: 7 }],
    ['signal', { signal: { aborted: false } }],
    ['stream', { stream: 'yes' }],
    ['model', { model: 7 }],
    ['sinks', { sinks: { event: () => {}, draft: 'stdout' } }],
    ['sinks', { sinks: null }],
  ])('is refused by the name of its field: %s', (field, part) => {
    const ask = () => rig().kernel.turn({ prompt: 'hi', ...part } as TurnRequest)
    expect(ask).toThrow(ConfigError)
    expect(ask).toThrow(field)
  })
})

describe('sinks', () => {
  test.each([
    ['a name that is no sink', { events: () => {} }],
    ['a sink that cannot be called', { event: 'stdout' }],
  ])('%s is refused, so that no answer is lost in silence', (_, sinks) => {
    expect(() => rig().kernel.turn({ prompt: 'hi', sinks: sinks as TurnRequest['sinks'] })).toThrow(ConfigError)
  })

  test('may stand on an object of the host that holds more', async () => {
    const drafts: string[] = []
    const page = { title: 'mine', draft: (text: string) => drafts.push(text) }
    const { kernel, last } = rig()
    const turn = kernel.turn({ prompt: 'hi', sinks: page })
    await settle()
    last().opened().text('all').final()
    await turn.outcome
    expect(drafts).toEqual(['all'])
  })

  test('R27 a draft is replaced by the answer of a recovery', async () => {
    const drafts: string[] = []
    const { kernel, attempts } = rig()
    const turn = kernel.turn({ prompt: 'hi', sinks: { draft: (text) => drafts.push(text) } })
    await settle()
    attempts[0]?.opened().text('par').fail('network')
    attempts[1]?.text('whole').final()
    expect(await turn.outcome).toMatchObject({ kind: 'ok', recoveredFrom: 'stream_error' })
    expect(drafts).toEqual(['par', 'whole'])
  })

  test('R27 reasoning without a word is no output', async () => {
    const { kernel, attempts } = rig()
    const turn = kernel.turn({ prompt: 'hi', sinks: ['event'] })
    await settle()
    attempts[0]?.opened().say({ type: 'reasoning', text: '' }).fail('network')
    attempts[1]?.text('whole').final()
    expect(await turn.outcome).toMatchObject({ kind: 'ok', text: 'whole' })
  })
})

describe('HDR-01 a name that breaks a line', () => {
  const EVIL = 'a\r\nset-cookie: x'
  test.each<[string, object]>([
    ['a turn', { id: EVIL, prompt: 'hi' }],
    ['a model', { model: EVIL, prompt: 'hi' }],
    ['a turn with tools', { id: EVIL, prompt: 'hi', tools: [] }],
    ['a scope', { scope: EVIL, prompt: 'hi' }],
    ['one scope of several', { scope: ['s', EVIL], prompt: 'hi' }],
  ])('of %s is refused before anybody is asked', (_, request) => {
    const { kernel, attempts } = rig()
    expect(() => kernel.turn(request)).toThrow(/control characters/)
    expect(attempts).toEqual([])
  })
})
