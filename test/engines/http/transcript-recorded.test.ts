import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../../../src/engines/http/anthropic-messages/protocol.ts'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { Message } from '../../../src/model/message.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bodyOf, present, type Recording, recordingsOf } from './recordings.ts'
import { profileOf, requestOf } from './request.ts'

type Json = Record<string, unknown>
const APIS: Readonly<Record<string, string>> = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  anthropic: 'anthropic-messages',
  gemini: 'gemini',
  ollama: 'ollama',
  bedrock: 'bedrock-converse',
}

interface Event {
  readonly type: string
  readonly index: number
  readonly content_block: Json
  readonly delta: Json
}

/** The blocks of a recorded answer, put together by hand: the deltas of each in their order. */
function blocksOf(body: string): Json[] {
  const events = body.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Event] : []))
  const blocks = events.filter(({ type }) => type === 'content_block_start').map(({ content_block: block }) => ({ ...block }))
  const joined = (index: number, field: string) =>
    events.map(({ type, index: at, delta }) => (type === 'content_block_delta' && at === index ? (delta[field] ?? '') : '')).join('')
  for (const [index, block] of blocks.entries()) {
    for (const field of ['text', 'thinking', 'signature']) if (field in block) block[field] = `${block[field]}${joined(index, field)}`
    const input = joined(index, 'partial_json')
    if (input !== '') block.input = JSON.parse(input)
  }
  return blocks
}

/** What is sent back of them: text that follows text is one, without its citations; a call as any other; no block of a fallback. */
function expectedOf(blocks: readonly Json[]): Json[] {
  const expected: Json[] = []
  for (const block of blocks) {
    const last = expected.at(-1)
    if (block.type === 'fallback') continue
    if (block.type === 'tool_use') expected.push({ type: 'tool_use', id: block.id, name: block.name, input: block.input })
    else if (block.type !== 'text') expected.push(block)
    else if (last?.type === 'text') last.text = `${last.text}${block.text}`
    else expected.push({ type: 'text', text: block.text })
  }
  return expected
}

const whole = (one: Recording) => one.expect_failed === undefined && one.in_stream_error === null

describe.skipIf(!present)('R1 a recorded answer of Anthropic goes back as it came', () => {
  it.each(
    recordingsOf('anthropic')
      .filter(whole)
      .map((one) => [one.file, one] as const),
  )('%s', (_, one) => {
    const events: ProviderEvent[] = []
    anthropicMessages.decoder({ issued: true, now: () => 0 }).push(bodyOf(one), (event) => events.push(event))
    const message: Message = {
      role: 'assistant',
      content: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
      toolCalls: events.flatMap((event) => (event.type === 'toolCall' ? [{ id: event.id, name: event.name, arguments: event.arguments }] : [])),
      issued: { profile: 'anthropic.x', model: 'm1', data: events.flatMap((event) => (event.type === 'issued' ? [event.data] : [])) },
    }
    const profile = profileOf({ id: 'anthropic.x', family: 'anthropic' })
    const [sent] = anthropicMessages.encode(requestOf({ profile, entry: 'anthropic.x/m1', messages: [message] })).messages as { content: Json[] }[]
    expect(sent?.content ?? []).toEqual(expectedOf(blocksOf(new TextDecoder().decode(bodyOf(one)))))
  })
})

describe.skipIf(!present)('R1 the reasoning of a recorded chat answer is kept whole for its issuer', () => {
  const DIALECTS = ['openrouter', 'mistral', 'deepseek', 'groq', 'xai']
  const dialectIn = ({ file }: Recording) => (file.includes('-zai-') ? 'zai' : DIALECTS.find((name) => file.startsWith(`${name}/`)))
  const kept = recordingsOf('chat').filter((one) => whole(one) && one.reasoning && dialectIn(one) !== undefined)

  it.each(kept.map((one) => [one.file, one] as const))('%s', (_, one) => {
    const profile = profileOf({ id: 'a.x', family: 'a', dialect: dialectIn(one) ?? null })
    const events: ProviderEvent[] = []
    openaiChat.decoder({ issued: true, profile, now: () => 0 }).push(bodyOf(one), (event) => events.push(event))
    const told = events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')
    const data = events.flatMap((event) => (event.type === 'issued' ? [event.data] : []))
    const messages: Message[] = [{ role: 'assistant', content: 'x', issued: { profile: 'a.x', model: 'm1', data } }]
    const [sent] = openaiChat.encode(requestOf({ profile, entry: 'a.x/m1', messages })).messages as Json[]
    const { reasoning_content: field, reasoning, reasoning_details: details = [], content } = sent as { reasoning_details?: Json[] } & Json
    const inDetails = details.map((one) => one.text ?? one.summary ?? '').join('')
    const inParts = Array.isArray(content)
      ? content.flatMap((part: { thinking?: { text: string }[] }) => part.thinking?.map(({ text }) => text) ?? []).join('')
      : ''
    expect(data).toHaveLength(profile.dialect === 'xai' ? 0 : 1)
    if (profile.dialect !== 'xai' && told !== '') expect([field, reasoning, inDetails, inParts]).toContain(told)
    expect(JSON.stringify(details).match(/"signature":"\w/g)?.length ?? 0).toBe(signaturesIn(one))
  })
})

/** Signed pieces of a recorded answer: each signature comes in one piece. */
function signaturesIn(one: Recording): number {
  return new TextDecoder().decode(bodyOf(one)).match(/"signature":"\w/g)?.length ?? 0
}

describe.skipIf(!present)('no tool call leaves before the finish marker', () => {
  const withCalls = recordingsOf(...Object.keys(APIS)).filter((one) => whole(one) && one.tool_calls > 0 && one.finish_marker_at_byte !== null)
  it.each(withCalls.map((one) => [one.file, one] as const))('%s', (_, one) => {
    const protocol = httpProtocol(APIS[one.family] ?? '')
    const body = bodyOf(one)
    const marker = one.finish_marker_at_byte ?? 0
    const cuts = Array.from({ length: 60 }, (_cut, number) => Math.floor((marker * number) / 60))
    for (const completion of ['strict', 'lenient'] as const) {
      for (const cut of [...cuts, marker - 1]) {
        const events: ProviderEvent[] = []
        const emit = (event: ProviderEvent) => events.push(event)
        const decoder = protocol?.decoder({ completion, now: () => 0 })
        decoder?.push(body.subarray(0, cut), emit)
        decoder?.end(emit)
        expect(events.filter(({ type }) => type === 'toolCall')).toEqual([])
        expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'truncated' } })
      }
    }
    const events: ProviderEvent[] = []
    protocol?.decoder({ now: () => 0 }).push(body, (event) => events.push(event))
    expect(events.filter(({ type }) => type === 'toolCall')).toHaveLength(one.tool_calls)
  })
})
