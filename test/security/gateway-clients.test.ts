import { afterEach, describe, expect, test } from 'vitest'
import { httpServer, served } from '../engines/http/server.ts'
import { type Rig, startRig } from '../faces/gateway/rig.ts'
import { chat, head, spoken, statusOf } from '../faces/gateway/wire.ts'
import { held } from '../tools/memory.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const MAIN = { id: 'openai.main', api: 'openai-chat', model: 'm1' } as const
const NEXT = { id: 'anthropic.next', api: 'anthropic-messages', model: 'm2' } as const

async function rig(over: Partial<Parameters<typeof startRig>[0]>): Promise<Rig> {
  const made = await startRig({ profiles: [MAIN, NEXT], script: {}, ...over })
  rigs.push(made)
  return made
}

describe('GW-05 a client that leaves ends its turn', () => {
  const HALF = { events: [{ text: 'a' }, { usage: { input: 7, output: 1 } }, { stall: true as const }] }

  test('in mid-stream: the provider is let go within a second, what was used is booked, and nobody is asked again', async () => {
    const { gateway, provider, kernel } = await rig({
      config: { gateway: { keys: [{ id: 'ana', key: 'k-ana' }] } },
      script: { 'openai.main/m1': { stream: [HALF], call: [{ ok: 'again' }] }, 'anthropic.next/m2': { stream: [HALF], call: [{ ok: 'again' }] } },
    })
    const one = spoken(gateway.port, chat(gateway.port, { stream: true }, { authorization: 'Bearer k-ana' }))
    await one.until('"content":"a"')
    const request = await provider.requested(1)
    one.socket.destroy()
    const leftAt = performance.now()
    expect(await request.ended).toBe('client_gone')
    expect(performance.now() - leftAt).toBeLessThan(1_000)
    // Whatever followed would have begun before a later request is answered.
    await spoken(gateway.port, head('/healthz', { host: `127.0.0.1:${gateway.port}`, connection: 'close' })).ended
    expect(provider.requests).toHaveLength(1)
    const [row, ...others] = kernel.ledger.rows()
    expect(others).toEqual([])
    expect(row).toMatchObject({ caller: 'ana', outcome: 'cancelled', usage: { input: 7, output: 1 } })
  })

  test('before an answer, of a call as of a stream', async () => {
    const { gateway, provider } = await rig({ script: { 'openai.main/m1': { call: [{ pending: true }], stream: [{ pending: true }] } } })
    for (const [index, stream] of [false, true].entries()) {
      const one = spoken(gateway.port, chat(gateway.port, { stream }))
      const request = await provider.requested(index + 1)
      one.socket.destroy()
      expect(await request.ended).toBe('client_gone')
    }
    expect(provider.requests).toHaveLength(2)
  })

  test('while a turn waits for its next attempt: there is none', async () => {
    const { gateway, provider, kernel } = await rig({
      profiles: [MAIN],
      config: { reliability: { providerRetries: 3, providerBackoffMs: 60_000, jitter: 0 } },
      script: { 'openai.main/m1': { call: [{ http: 503 }, { ok: 'again' }] } },
    })
    const one = spoken(gateway.port, chat(gateway.port))
    await (await provider.requested(1)).ended
    one.socket.destroy()
    await one.ended
    await gateway.close(0)
    expect(provider.requests).toHaveLength(1)
    expect(kernel.ledger.rows()).toHaveLength(1)
  })
})

describe('a client that does not read', () => {
  const PIECE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'hello there '.repeat(80) }, finish_reason: null }] })}\n\n`
  const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  const MOST = 20_000_000

  /** A provider that says as much as it is let, up to `MOST` bytes; how much that was, and when its client has left. */
  async function fountain(): Promise<{ endpoint: string; said: () => number; paused: () => Promise<void>; left: Promise<void> }> {
    let said = 0
    let leave: () => void = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const server = await served(
      httpServer((response) => {
        response.once('close', () => leave())
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const pour = (): void => {
          while (said < MOST && !response.destroyed) {
            said += PIECE.length
            if (!response.write(PIECE)) return void response.once('drain', pour)
          }
          if (!response.destroyed) response.end(END)
        }
        pour()
      }),
    )
    /**
     * Resolves once nothing more is said, as it is let no further: all three are in this process, so turns of its loop tell that nothing moves,
     * however slow the machine is, and the time beside them that no window of TCP is still to open.
     */
    const paused = async (): Promise<void> => {
      let before = 0
      for (let turns = 0, since = performance.now(); before === 0 || turns < 1_000 || performance.now() - since < 300; turns++) {
        await new Promise((resolve) => setImmediate(resolve))
        if (said === before) continue
        ;[before, turns, since] = [said, 0, performance.now()]
      }
    }
    return { endpoint: server.endpoint, said: () => said, paused, left }
  }

  test.each([
    ['passed through', 'openai-chat', '/v1/chat/completions'],
    ['told in another protocol', 'openai-chat', '/v1/messages'],
  ])('%s: its provider is read no further than the buffers between them hold, and goes on when it reads', async (_what, api, path) => {
    const source = await fountain()
    const { gateway } = await rig({
      profiles: [],
      config: {
        primary: 'openai.main',
        profiles: { 'openai.main': { api, model: 'm1', apiKey: 'k-dummy', endpoint: source.endpoint } },
      },
    })
    const before = held()
    const json = JSON.stringify({ stream: true, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] })
    const one = spoken(
      gateway.port,
      head(path, { host: `127.0.0.1:${gateway.port}`, 'content-length': String(json.length), connection: 'close' }, 'POST') + json,
    )
    one.socket.pause()
    await source.paused()
    // Sockets of the system hold a few MB of loopback; the rest would be ours.
    expect(source.said()).toBeLessThan(0.75 * MOST)
    expect(held() - before).toBeLessThan(10_000_000)
    one.socket.resume()
    const heard = await one.ended
    expect(source.said()).toBeGreaterThanOrEqual(MOST)
    expect(heard).toMatch(path === '/v1/messages' ? /event: message_stop\n/ : /data: \[DONE\]\n\n/)
    expect(statusOf(heard)).toBe(200)
  })

  test('for too long: its connection is ended and its provider let go, while one whose model thinks as long is served', async () => {
    const source = await fountain()
    const slow = { stream: [{ events: [{ text: 'a' }, { afterMs: 1_500, text: 'b' }, { final: 'stop' as const }] }] }
    const { gateway, provider } = await rig({
      profiles: [NEXT],
      script: { 'anthropic.next/m2': slow },
      config: {
        primary: 'openai.main',
        profiles: { 'openai.main': { api: 'openai-chat', model: 'm1', apiKey: 'k-dummy', endpoint: source.endpoint } },
      },
      gateway: { limits: { unreadMs: 500 } },
    })
    const { port } = gateway
    const thinking = spoken(port, chat(port, { stream: true, model: 'anthropic.next' }, { connection: 'close' }))
    const unread = spoken(port, chat(port, { stream: true }))
    unread.socket.pause()
    await source.left
    expect(source.said()).toBeLessThan(MOST)
    expect(await thinking.ended).toContain('[DONE]')
    expect(provider.requests.map(({ abortedByClient }) => abortedByClient)).toEqual([false])
    unread.socket.destroy()
  })
})
