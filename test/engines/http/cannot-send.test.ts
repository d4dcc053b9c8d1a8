import { afterEach, describe, expect, it } from 'vitest'
import { createKernel } from '../../../src/runtime/kernel.ts'
import { httpServer, type Loopback } from './server.ts'

const image = { type: 'image' as const, mediaType: 'image/png', url: 'https://example.org/a.png' }
const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'What is this?' }, image] }]

let server: Loopback
afterEach(() => server.close())

/** A turn whose first entry speaks `api`, with one behind it that takes addresses. */
async function turnOver(api: string, apiKey: string) {
  const asked: string[] = []
  server = await httpServer((response, request) => {
    asked.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message":{"content":"a cat"},"finish_reason":"stop"}]}')
  })
  const kernel = createKernel({
    primary: 'first.x',
    profiles: {
      'first.x': { api, model: 'm', apiKey, endpoint: server.endpoint, fallback: ['openai.y'] },
      'openai.y': { model: 'm', apiKey: 'k', endpoint: server.endpoint },
    },
  })
  const outcome = await kernel.turn({ messages }).outcome
  await kernel.stop()
  return { asked, outcome }
}

describe('R17 what a protocol has no words for is not sent, and the walk goes on to an entry that can say it', () => {
  it.each(['ollama', 'bedrock-converse'])('an image at an address, first for %s', async (api) => {
    const { asked, outcome } = await turnOver(api, 'k')
    expect(asked).toEqual(['/v1/chat/completions'])
    expect(outcome).toMatchObject({ kind: 'ok', text: 'a cat', served: { profile: 'openai.y' } })
    expect(outcome.attempts.map(({ entry, result }) => [entry, result])).toEqual([
      ['first.x/m', 'invalid_request'],
      ['openai.y/m', 'ok'],
    ])
  })
})
