import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../../../src/engines/http/anthropic-messages/protocol.ts'
import type { Message } from '../../../src/model/message.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes } from './kit.ts'
import { profileOf, requestOf } from './request.ts'

/** What an answer of Anthropic becomes in the next request: to itself, with all it wants back, and to another, without. */
type Json = Record<string, unknown>
const family = { id: 'anthropic.x', family: 'anthropic' }

const thinking = (text: string, signature = `sig ${text}`) => ({ type: 'thinking', thinking: text, signature })
const redacted = { type: 'redacted_thinking', data: 'AAAA' }
const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: { id } })
const search = { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { q: 'a' }, caller: { type: 'direct' } }
const found = { type: 'web_search_tool_result', tool_use_id: 'srv1', content: [{ url: 'u', encrypted_content: 'E' }] }
const mcp = { type: 'mcp_tool_use', id: 'mcp1', name: 'ask', server_name: 's', input: {} }
const answered = { type: 'mcp_tool_result', tool_use_id: 'mcp1', content: 'yes' }

function deltasOf(block: Json): Json[] {
  switch (block.type) {
    case 'text':
      return [...String(block.text)].map((letter) => ({ type: 'text_delta', text: letter }))
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
    default:
      return []
  }
}

const EMPTY: Json = { text: '', thinking: '', signature: '', input: {} }

function streamOf(content: readonly Json[], stop = 'tool_use'): Uint8Array {
  const blocks = content.flatMap((block, index) => [
    {
      type: 'content_block_start',
      index,
      content_block:
        deltasOf(block).length === 0 ? block : Object.fromEntries(Object.entries(block).map(([key, value]) => [key, EMPTY[key] ?? value])),
    },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ])
  const events = [
    { type: 'message_start', message: {} },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: stop } },
    { type: 'message_stop' },
  ]
  return bytes(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}

function read(content: readonly Json[], mode: 'stream' | 'call', stop?: string): ProviderEvent[] {
  const events: ProviderEvent[] = []
  const emit = (event: ProviderEvent) => events.push(event)
  const options = { issued: true, now: () => 0 }
  if (mode === 'stream') anthropicMessages.decoder(options).push(streamOf(content, stop), emit)
  else anthropicMessages.decodeAnswer(JSON.stringify({ content, stop_reason: stop ?? 'tool_use' }), options, emit)
  return events
}

/** The answer as a host keeps it in the history. */
function messageOf(events: readonly ProviderEvent[]): Extract<Message, { role: 'assistant' }> {
  return {
    role: 'assistant',
    content: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    toolCalls: events.flatMap((event) => (event.type === 'toolCall' ? [{ id: event.id, name: event.name, arguments: event.arguments }] : [])),
    issued: { profile: 'anthropic.x', model: 'm1', data: events.flatMap((event) => (event.type === 'issued' ? [event.data] : [])) },
  }
}

function encoded(messages: readonly Message[], profile = profileOf(family)): Json[] {
  return anthropicMessages.encode(requestOf({ profile, entry: profile.id, messages })).messages as Json[]
}
const back = (message: Message, profile = profileOf(family)) => encoded([message], profile)[0]?.content

const ANSWERS: Readonly<Record<string, Json[]>> = {
  'thoughts in front of a call': [thinking('a'), redacted, text('I look.'), call('t1'), call('t2')],
  'thoughts between what they led to': [thinking('a'), text('One, '), thinking('b', 's2'), text('two.'), call('t1'), thinking('c'), call('t2')],
  'tools of the provider among text': [text('I search. '), search, found, text('Found. '), mcp, answered, thinking('d'), text('So: x')],
  'characters of two halves': [text('😀'), redacted, text('😀😀')],
  'a thought that is not shown': [thinking('', 'only a signature'), call('t1')],
}

describe('R1 what Anthropic gave goes back to it as it was', () => {
  for (const mode of ['stream', 'call'] as const) {
    it.each(Object.entries(ANSWERS))(`${mode}: %s`, (_, content) => expect(back(messageOf(read(content, mode)))).toEqual(content))

    it(`${mode}: and an answer that paused goes on from where it stood`, () => {
      const events = read([text('Wait. '), search], mode, 'pause_turn')
      expect(events.at(-1)).toMatchObject({ type: 'final', finish: 'pause_turn' })
      expect(back(messageOf(events))).toEqual([text('Wait. '), search])
    })
  }

  it('is told before usage and final, and only to who asks for it', () => {
    expect(read(ANSWERS['thoughts in front of a call'] ?? [], 'call').map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'toolCall',
      'toolCall',
      'issued',
      'issued',
      'final',
    ])
    const events: ProviderEvent[] = []
    const whole = JSON.stringify({ content: [thinking('a'), text('x')], stop_reason: 'end_turn' })
    anthropicMessages.decodeAnswer(whole, { now: () => 0 }, (event) => events.push(event))
    expect(events.map(({ type }) => type)).toEqual(['reasoning', 'text', 'final'])
  })

  it.each([
    ['another profile', profileOf({ ...family, id: 'anthropic.y' })],
    ['another family', profileOf({ id: 'bedrock.x', family: 'bedrock' })],
  ])('is left out for %s, and the calls are the same', (_, profile) => {
    expect(back(messageOf(read(ANSWERS['thoughts between what they led to'] ?? [], 'stream')), profile)).toEqual([
      text('One, two.'),
      call('t1'),
      call('t2'),
    ])
  })

  it('a thought without a signature is not kept, and none ends a message', () => {
    expect(back(messageOf(read([thinking('a', ''), text('x')], 'stream')))).toEqual([text('x')])
    expect(encoded([messageOf(read([thinking('a')], 'stream', 'max_tokens')), { role: 'user', content: 'go on' }])).toEqual([
      { role: 'user', content: [text('go on')] },
    ])
  })

  it('white space alone is no block: it goes in front of the next text', () => {
    const answer = [text('One. '), thinking('a'), text(' \n'), redacted, text('Two.')]
    expect(back(messageOf(read(answer, 'stream')))).toEqual([text('One. '), thinking('a'), redacted, text(' \nTwo.')])
  })

  it('property: what the message says is whole and in order, whatever a host made of it', () => {
    const edited = fc.record({
      content: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constant('One, two.'), fc.constant('')),
      ids: fc.subarray(['t1', 't2', 't3']),
      answer: fc.constantFrom(...Object.values(ANSWERS)),
    })
    fc.assert(
      fc.property(edited, ({ content, ids, answer }) => {
        const toolCalls = ids.map((id) => ({ id, name: 'f', arguments: JSON.stringify({ id }) }))
        const blocks = (back({ ...messageOf(read(answer, 'call')), content, toolCalls }) ?? []) as Json[]
        const said = blocks.map((block) => (block.type === 'text' ? String(block.text) : '')).join('')
        expect(content.startsWith(said) && content.slice(said.length).trim() === '').toBe(true)
        expect(blocks.every((block) => block.type !== 'text' || /\S/.test(String(block.text)))).toBe(true)
        expect(blocks.filter((block) => block.type === 'tool_use')).toEqual(ids.map(call))
        expect(JSON.stringify(blocks)).not.toMatch(/\\ud[89a-f]/)
      }),
      { numRuns: 500 },
    )
  })

  it('what nests too deep to be written is not kept, and is no crash', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const events: ProviderEvent[] = []
    const whole = `{"content":[{"type":"redacted_thinking","data":"x","nest":${deep}},{"type":"text","text":"x"}],"stop_reason":"end_turn"}`
    anthropicMessages.decodeAnswer(whole, { issued: true, now: () => 0 }, (event) => events.push(event))
    expect(events.map(({ type }) => type)).toEqual(['text', 'final'])
  })
})

describe('R1 options of a message', () => {
  const cached = { anthropic: { cache_control: { type: 'ephemeral' } } }
  const cache_control = { type: 'ephemeral' }

  it('stand on its last block, also of an answer, a result and the system', () => {
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.', providerOptions: cached },
      { role: 'system', content: 'In English.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        providerOptions: cached,
      },
      { ...messageOf(read([redacted, text('x'), call('t1')], 'call')), providerOptions: cached },
      { role: 'tool', toolCallId: 't1', content: 'r', providerOptions: cached },
      { role: 'user', content: 'c' },
    ]
    const request = requestOf({ profile: profileOf(family), entry: 'anthropic.x', messages })
    expect(anthropicMessages.encode(request)).toMatchObject({
      system: [
        { type: 'text', text: 'Be brief.', cache_control },
        { type: 'text', text: 'In English.' },
      ],
      messages: [
        { role: 'user', content: [text('a'), { ...text('b'), cache_control }] },
        { role: 'assistant', content: [redacted, text('x'), { ...call('t1'), cache_control }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', cache_control }, text('c')] },
      ],
    })
  })

  it('displace nothing, are the profile’s own before its family’s, and reach nobody else', () => {
    const providerOptions = { anthropic: { type: 'image', citations: 1, x: 1 }, 'anthropic.x': { x: 2 }, openai: { y: 1 } }
    expect(encoded([{ role: 'user', content: 'a', providerOptions }])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a', citations: 1, x: 2 }] },
    ])
    expect(encoded([{ role: 'user', content: 'a', providerOptions }], profileOf({ id: 'b.y', family: 'b' }))).toEqual([
      { role: 'user', content: [text('a')] },
    ])
  })
})

describe('what the protocol demands of a history', () => {
  it('results come directly behind their calls, whoever spoke in between; images of an answer are the user’s', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AA' }
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'text', text: 'see' }, image], toolCalls: [{ id: 't1', name: 'f', arguments: '{"id":"t1"}' }] },
      { role: 'user', content: 'hurry' },
      { role: 'tool', toolCallId: 't1', content: 'r' },
    ]
    expect(encoded(messages)).toEqual([
      { role: 'assistant', content: [text('see'), call('t1')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [text('r')] },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
          text('hurry'),
        ],
      },
    ])
  })

  it('text of white space alone is refused, and left out', () => {
    const messages: Message[] = [
      { role: 'system', content: ' ' },
      { role: 'user', content: ' \n' },
      { role: 'user', content: 'a' },
    ]
    const body = anthropicMessages.encode(requestOf({ messages }))
    expect(body.messages).toEqual([{ role: 'user', content: [text('a')] }])
    expect(body).not.toHaveProperty('system')
  })
})
