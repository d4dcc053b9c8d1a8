import { afterEach, describe, expect, it } from 'vitest'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { createKernel } from '../../../src/runtime/kernel.ts'
import { httpServer, type Loopback, SSE } from './server.ts'

const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const BEGUN =
  event('message_start', { message: { id: 'm1', role: 'assistant', content: [], usage: { input_tokens: 12, output_tokens: 1 } } }) +
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'begun' } })

let server: Loopback
afterEach(() => server.close())

describe('R34 usage of a stream that a host cancels', () => {
  it('is kept as a rejected row: what the provider told before is not lost with the rest', async () => {
    server = await httpServer((response) => response.writeHead(200, SSE).write(BEGUN))
    const kernel = createKernel({
      primary: 'anthropic.x',
      profiles: { 'anthropic.x': { model: 'm', apiKey: 'k', endpoint: server.endpoint, price: { m: { input: 1, output: 1 } } } },
    })
    const turn = kernel.turn({ prompt: 'hi' })
    const seen: ProviderEvent['type'][] = []
    for await (const each of turn) {
      if (each.type === 'text') turn.cancel()
      if (each.type === 'text' || each.type === 'reasoning') seen.push(each.type)
    }
    const outcome = await turn.outcome
    expect(seen).toEqual(['text'])
    expect(outcome.kind).toBe('cancelled')
    expect(outcome.partialText).toBe('begun')
    expect(kernel.ledger.rows()).toMatchObject([{ outcome: 'cancelled', accepted: false, usage: { input: 12, output: 1 }, cost: 0.000013 }])
    await kernel.stop()
  })
})

describe('wire.md §0 complete without its terminator', () => {
  it('is an answer, and says so', async () => {
    const chunk = (delta: object, finish: string | null) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    server = await httpServer((response) => response.writeHead(200, SSE).end(chunk({ content: 'whole' }, null) + chunk({}, 'stop')))
    const kernel = createKernel({ primary: 'openai.x', profiles: { 'openai.x': { model: 'm', apiKey: 'k', endpoint: server.endpoint } } })
    const outcome = await kernel.turn({ prompt: 'hi', sinks: ['event'] }).outcome
    expect(outcome).toMatchObject({ kind: 'ok', text: 'whole', unterminated: true })
    await kernel.stop()
  })
})
