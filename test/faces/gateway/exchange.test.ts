import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Dialect } from '../../../src/faces/gateway/dialect.ts'
import { type Over, startExchange } from '../../../src/faces/gateway/exchange.ts'
import { openaiChatDialect } from '../../../src/faces/gateway/openai-chat/dialect.ts'
import { startRig } from './rig.ts'
import { chat, spoken, statusOf } from './wire.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const fault = (): never => {
  throw new Error('a fault of ours')
}

/** What a client hears whose dialect fails there, and how its exchange ended. */
async function heard(stream: boolean, broken: (dialect: Dialect) => Dialect): Promise<[text: string, statuses: number[]]> {
  const events = [{ text: 'hello' }, { final: 'stop' as const }]
  const script = { 'anthropic.main/m1': { call: [{ ok: 'hello' }], stream: [{ events }] } }
  const { kernel, close } = await startRig({ profiles: [{ id: 'anthropic.main', api: 'anthropic-messages', model: 'm1' }], script })
  const overs: Over[] = []
  const server = createServer((request, response) => {
    const body = { messages: [{ role: 'user', content: 'hi' }], stream }
    const onOver = (over: Over): void => void overs.push(over)
    const context = {
      kernel,
      dialect: broken(openaiChatDialect),
      body,
      aim: () => ({}),
      caller: null,
      headers: {},
      firstByteMs: 0,
      timeoutMs: 0,
      onOver,
    }
    startExchange(context, request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  ends.push(
    close,
    () => server.close(),
    () => server.closeAllConnections(),
  )
  const { port } = server.address() as AddressInfo
  const text = await spoken(port, chat(port, {}, { connection: 'close' })).ended
  return [text, overs.map(({ status }) => status)]
}

test('a whole answer that cannot be said is 500', async () => {
  const [text, statuses] = await heard(false, (dialect) => ({ ...dialect, answer: fault }))
  expect([statusOf(text), text.includes('a fault of ours'), statuses]).toEqual([500, false, [500]])
})

test.each(['content', 'end'] as const)(
  'a stream whose %s cannot be said ends with the error of its protocol, and not as if it were whole',
  async (part) => {
    const [text, statuses] = await heard(true, (dialect) => ({
      ...dialect,
      voice: (head) => {
        const voice = dialect.voice(head)
        const own = { content: voice.content.bind(voice), end: voice.end.bind(voice), broken: voice.broken.bind(voice) }
        return { ...own, [part]: fault }
      },
    }))
    expect([text.includes('"code":"internal"'), text.includes('[DONE]'), text.includes('a fault of ours'), statuses]).toEqual([
      true,
      false,
      false,
      [500],
    ])
  },
)
