import { describe, expect, test } from 'vitest'
import { readChat } from '../../../../src/faces/gateway/openai-chat/read.ts'
import { ChatVoice } from '../../../../src/faces/gateway/openai-chat/voice.ts'
import type { Outcome } from '../../../../src/index.ts'

const request = readChat({ messages: [{ role: 'user', content: 'hi' }], stream: true })
const RELEVO = { turn: 't', requested: null, served: null, attempts: [], notice: null, cost: null, usage: null }
const OUTCOME = { kind: 'ok', attempts: [], toolCalls: [] } as unknown as Outcome
const FINISH = { event: null, data: '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}' }
const USAGE = { event: null, data: '{"choices":[],"usage":{}}' }
const DONE = { event: null, data: '[DONE]' }

function ended(frames: readonly { event: null; data: string }[]): string[] {
  const voice = new ChatVoice({ turn: 't', model: 'm', at: 0, request })
  voice.content({ type: 'bytes', bytes: new Uint8Array(1) })
  voice.content({ type: 'ending', frames })
  return voice.end(OUTCOME, RELEVO).split('\n\n').slice(0, -1)
}

describe('the end of a passed stream', () => {
  test('R25 one that its provider ended without [DONE] is whole, and says so: a client takes its absence for a break', () => {
    expect(ended([FINISH]).at(-1)).toBe('data: [DONE]')
    expect(ended([FINISH, USAGE])).toEqual([expect.stringContaining('"relevo"'), 'data: [DONE]'])
    expect(ended([FINISH, DONE])).toEqual([expect.stringContaining('"relevo"'), 'data: [DONE]'])
  })

  test('an event that is no JSON breaks nothing', () => {
    expect(ended([FINISH, { event: null, data: '' }, DONE]).at(-1)).toBe('data: [DONE]')
  })
})
