import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startRig } from '../rig.ts'
import { chat, spoken } from '../wire.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A gateway before a server that streams these bytes, whoever asks. */
async function before(bytes: string): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const main = { api: 'openai-chat', model: 'm1', endpoint, apiKey: 'any-key' } as const
  const rig = await startRig({ profiles: [], script: {}, config: { primary: 'openai.main', profiles: { 'openai.main': main } } })
  ends.push(rig.close)
  return rig.gateway.port
}

const TEXT = 'data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}]}\n\n'
const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'

test.each(['data:\n\n', 'data: \n\n', 'data: {}\n\n', ': still here\n\n', 'event: ping\n\n'])(
  '%j behind the finish: the answer ends as it came, with `relevo` and its terminator',
  async (odd) => {
    const port = await before(`${TEXT}${FINISH}${odd}data: [DONE]\n\n`)
    const answer = await spoken(port, chat(port, { stream: true }, { connection: 'close' })).ended
    expect([answer.includes('hello'), answer.includes('"relevo":{"turn"'), answer.includes('data: [DONE]\n\n')]).toEqual([true, true, true])
  },
)
