import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MAX_BODY_BYTES, MAX_BODY_VALUES } from '../../src/faces/gateway/json-body.ts'
import { LIMITS } from '../../src/faces/gateway/listener.ts'
import { type Rig, startRig } from '../faces/gateway/rig.ts'
import { chat, head, type Spoken, spoken, statusOf } from '../faces/gateway/wire.ts'
import { held } from '../tools/memory.ts'

const rigs: Rig[] = []
const clients: Spoken[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy()
  for (const rig of rigs.splice(0)) await rig.close()
})

const MAIN = { id: 'openai.main', api: 'openai-chat', model: 'm1' } as const

async function rig(gateway: Parameters<typeof startRig>[0]['gateway'] = {}): Promise<Rig> {
  const calls = Array.from({ length: 50 }, () => ({ ok: 'hello' }))
  const made = await startRig({ profiles: [MAIN], script: { 'openai.main/m1': { call: calls } }, gateway })
  rigs.push(made)
  return made
}

function client(port: number, says: string | Uint8Array = ''): Spoken {
  const one = spoken(port, says)
  clients.push(one)
  return one
}

async function isServed(port: number): Promise<boolean> {
  const answer = await client(port, chat(port, {}, { connection: 'close' })).ended
  return statusOf(answer) === 200 && answer.includes('hello')
}

describe('GW-04 clients that are slow, idle or many', () => {
  test('a head has 10 s at the most, a body a time of its own, and an answer as much as it takes', () => {
    expect(LIMITS).toMatchObject({ headersMs: 10_000, bodyMs: 120_000 })
    expect(LIMITS.headersMs).toBeLessThanOrEqual(10_000)
  })

  test('a head that comes letter by letter is ended with 408, and others are served meanwhile', async () => {
    const { gateway } = await rig({ limits: { headersMs: 300 } })
    const slow = client(gateway.port, 'GET /healthz HTTP/1.1\r\nhost: 127.0')
    const drip = setInterval(() => slow.socket.write('0'), 50)
    expect(await isServed(gateway.port)).toBe(true)
    const answer = await slow.ended
    clearInterval(drip)
    expect(statusOf(answer)).toBe(408)
  })

  test('a connection that never says anything is ended', async () => {
    const { gateway } = await rig({ limits: { headersMs: 300 } })
    await client(gateway.port).ended
  })

  test('a body that stops coming is ended with 408, and its turn never begins', async () => {
    const { gateway, provider } = await rig({ limits: { headersMs: 200, bodyMs: 200 } })
    const start = head('/v1/chat/completions', { host: `127.0.0.1:${gateway.port}`, 'content-length': '400' }, 'POST')
    expect(statusOf(await client(gateway.port, `${start}{"messages":`).ended)).toBe(408)
    expect(provider.requests).toHaveLength(0)
  })

  test('an answer may take longer than a request', async () => {
    const made = await startRig({
      profiles: [MAIN],
      script: { 'openai.main/m1': { stream: [{ events: [{ text: 'a' }, { afterMs: 1_500, text: 'b' }, { final: 'stop' }] }] } },
      gateway: { limits: { headersMs: 100, bodyMs: 100 } },
    })
    rigs.push(made)
    const answer = await client(made.gateway.port, chat(made.gateway.port, { stream: true }, { connection: 'close' })).ended
    expect(answer).toContain('[DONE]')
  })

  test('1 000 idle connections: others are served, and the one that waited longest makes room', async () => {
    const { gateway } = await rig({ limits: { connections: 1_000 } })
    const idle: Spoken[] = []
    for (let at = 0; at < 1_000; at++) {
      const one = client(gateway.port)
      idle.push(one)
      if (at % 100 === 99) await Promise.all(idle.slice(-100).map(({ socket }) => opened(socket)))
    }
    expect(await isServed(gateway.port)).toBe(true)
    await idle[0]?.ended
    expect(idle.filter(({ socket }) => socket.destroyed).length).toBeLessThanOrEqual(2)
  })

  test('where every connection is at work the new one is told to come back, and none at work is harmed', async () => {
    const made = await startRig({
      profiles: [MAIN],
      script: { 'openai.main/m1': { stream: [{ events: [{ text: 'a' }, { stall: true }] }, { events: [{ text: 'a' }, { stall: true }] }] } },
      gateway: { limits: { connections: 2 } },
    })
    rigs.push(made)
    const { port } = made.gateway
    const busy = [client(port, chat(port, { stream: true })), client(port, chat(port, { stream: true }))]
    for (const one of busy) await one.until('"content":"a"')
    const refused = await client(port, head('/healthz', { host: `127.0.0.1:${port}` })).ended
    expect([statusOf(refused), /\r\nretry-after: 1\r\n/.test(refused)]).toEqual([503, true])
    expect(busy.map(({ socket }) => socket.destroyed)).toEqual([false, false])
  })

  test('one connection has so many requests under way: what it sends beyond that begins no turn, is told to come back, and ends it', async () => {
    const made = await startRig({
      profiles: [MAIN],
      script: { 'openai.main/m1': { call: Array.from({ length: 50 }, () => ({ afterMs: 100, ok: 'hello' })) } },
      gateway: { limits: { pipelined: 3 } },
    })
    rigs.push(made)
    const { port } = made.gateway
    const answers = await client(port, chat(port).repeat(6)).ended
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 503'])
    expect(answers.split('HTTP/1.1 503')[1]).toMatch(/\r\nretry-after: 1\r\n(.*\r\n)*connection: close\r\n/i)
    expect(made.provider.requests).toHaveLength(3)
  })

  test('a connection that goes on beyond that is cut, with all that was under way on it', async () => {
    const made = await startRig({
      profiles: [MAIN],
      script: { 'openai.main/m1': { call: Array.from({ length: 3 }, () => ({ pending: true })) } },
      gateway: { limits: { pipelined: 3 } },
    })
    rigs.push(made)
    const { port } = made.gateway
    const flooding = client(port, chat(port).repeat(3))
    await vi.waitUntil(() => made.provider.requests.length === 3)
    flooding.socket.write(chat(port).repeat(1_000))
    await flooding.ended
    expect(await Promise.all(made.provider.requests.map(({ ended }) => ended))).toEqual(['client_gone', 'client_gone', 'client_gone'])
  })

  test('what is answered at once may be asked on one connection as often as a client likes', async () => {
    const { gateway } = await rig({ limits: { pipelined: 3 } })
    const { port } = gateway
    const host = `127.0.0.1:${port}`
    const answers = await client(port, head('/healthz', { host }).repeat(200) + head('/healthz', { host, connection: 'close' })).ended
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(201)
  })

  test('a body that says it has 100 MB is refused unread with 413; one that is sent as it comes, at 10 MB', async () => {
    const { gateway, provider } = await rig()
    const { port } = gateway
    const host = `127.0.0.1:${port}`
    const announced = client(port, head('/v1/chat/completions', { host, 'content-length': '100000000' }, 'POST'))
    const refused = await announced.until('}}')
    expect([statusOf(refused), /\r\nconnection: close\r\n/i.test(refused)]).toEqual([413, true])
    expect(JSON.parse(refused.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'request_too_large' } })
    announced.socket.destroy()

    const before = held()
    // A client in mid-sentence is told why, and of no broken connection.
    expect(await pour(port, 100)).toBe(413)
    expect(held() - before).toBeLessThan(2 * MAX_BODY_BYTES)
    expect(provider.requests).toHaveLength(0)
    expect(await isServed(port)).toBe(true)
  })

  test('a body of more values than any conversation has is refused before it is read as JSON; one with as many commas in its texts is none', async () => {
    const { gateway, provider } = await rig()
    const { port } = gateway
    const own = { connection: 'close' }
    const many = await client(port, chat(port, { messages: Array.from({ length: MAX_BODY_VALUES }, () => 0) }, own)).ended
    expect([statusOf(many), JSON.parse(many.split('\r\n\r\n')[1] ?? '').error.message]).toEqual([413, 'the body has more than 250000 values'])
    expect(provider.requests).toHaveLength(0)
    const text = { messages: [{ role: 'user', content: ',[{'.repeat(MAX_BODY_VALUES) }] }
    expect(statusOf(await client(port, chat(port, text, own)).ended)).toBe(200)
  })

  test('who asks first whether to go on is told 413 in place of it, and 100 where it may', async () => {
    const { gateway } = await rig()
    const { port } = gateway
    const own = { host: `127.0.0.1:${port}`, expect: '100-continue', connection: 'close' }
    const large = await client(port, head('/v1/chat/completions', { ...own, 'content-length': '100000000' }, 'POST')).until('}}')
    expect(large).toMatch(/^HTTP\/1\.1 413 /)
    const [start = '', body = ''] = chat(port, {}, own).split('\r\n\r\n')
    const fit = client(port, `${start}\r\n\r\n`)
    await fit.until('HTTP/1.1 100 Continue')
    fit.socket.write(body)
    expect(await fit.until('hello')).toContain('HTTP/1.1 200 ')
    expect(await client(port, head('/healthz', { ...own, expect: 'miracles' })).ended).toMatch(/^HTTP\/1\.1 417 /)
  })

  test('bodies of all requests together have so much room; who sends more comes back, and nobody is kept out by what was only announced', async () => {
    const { gateway } = await rig({ limits: { bodiesBytes: 1_000_000 } })
    const { port } = gateway
    const own = { host: `127.0.0.1:${port}` }
    for (let at = 0; at < 5; at++) client(port, head('/v1/chat/completions', { ...own, 'content-length': '9000000' }, 'POST'))
    const large = { messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }] }
    const answer = await client(port, chat(port, large, { connection: 'close' })).ended
    expect([statusOf(answer), /\r\nretry-after: 1\r\n/.test(answer), answer.includes('"code":"no_room"')]).toEqual([503, true, true])
    // Its room is free again, time after time.
    const half = { messages: [{ role: 'user', content: 'x'.repeat(600_000) }] }
    for (let at = 0; at < 3; at++) expect(statusOf(await client(port, chat(port, half, { connection: 'close' })).ended)).toBe(200)
  })

  test('a body that is packed is not unpacked: 415', async () => {
    const { gateway, provider } = await rig()
    const answer = await client(gateway.port, chat(gateway.port, {}, { 'content-encoding': 'gzip', connection: 'close' })).ended
    expect([statusOf(answer), provider.requests.length]).toEqual([415, 0])
  })

  test('a head of more than 16 KB is 431', async () => {
    const { gateway } = await rig()
    const answer = await client(gateway.port, head('/healthz', { host: `127.0.0.1:${gateway.port}`, cookie: 'x'.repeat(20_000) })).ended
    expect(statusOf(answer)).toBe(431)
  })
})

function opened(socket: Spoken['socket']): Promise<void> {
  return socket.connecting ? new Promise((resolve) => socket.once('connect', () => resolve())) : Promise.resolve()
}

/** Sends so many MB in pieces, without saying beforehand how many there are. */
function pour(port: number, megabytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const piece = Buffer.alloc(1_000_000, 0x20)
    let sent = 0
    let status = 0
    const request = httpRequest({ port, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST' }, (response) => {
      status = response.statusCode ?? 0
      response.resume()
    })
    request.on('error', reject)
    request.on('close', () => resolve(status))
    const next = (): void => {
      if (sent === megabytes) return void request.end()
      sent++
      request.write(piece, next)
    }
    next()
  })
}

describe('GW-07 requests that can be read in two ways', () => {
  const smuggled: readonly [string, string][] = [
    ['Content-Length and Transfer-Encoding', 'content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two Content-Length', 'content-length: 4\r\ncontent-length: 5\r\n\r\n{}  '],
    ['a Content-Length that is none', 'content-length: 4x\r\n\r\n{}  '],
    ['a transfer coding that is unknown', 'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a name with a blank behind it', 'content-length : 4\r\n\r\n{}  '],
    ['a line that ends without CR', 'x-a: b\ncontent-length: 2\r\n\r\n{}'],
    ['a chunk size that is none', 'transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
  ]
  test.each(smuggled)('%s: 400, and the connection is closed', async (_what, rest) => {
    const { gateway, provider } = await rig()
    const start = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${gateway.port}\r\n`
    expect(statusOf(await client(gateway.port, start + rest).ended)).toBe(400)
    expect(provider.requests).toHaveLength(0)
  })

  test('nonsense behind an answer under way ends its own connection, and no other', async () => {
    const made = await startRig({
      profiles: [MAIN],
      script: {
        'openai.main/m1': { stream: [{ events: [{ text: 'a' }, { stall: true }] }, { events: [{ text: 'b' }, { afterMs: 300, final: 'stop' }] }] },
      },
    })
    rigs.push(made)
    const { port } = made.gateway
    const garbled = client(port, chat(port, { stream: true }))
    await garbled.until('"content":"a"')
    const other = client(port, chat(port, { stream: true }, { connection: 'close' }))
    await other.until('"content":"b"')
    garbled.socket.write('\x00\x01 nonsense\r\n\r\n')
    const heard = await garbled.ended
    // Nothing was written into the stream.
    expect(heard.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(heard).not.toContain('[DONE]')
    expect(await other.ended).toContain('[DONE]')
    await (await made.provider.requested(1)).ended
    expect(made.provider.requests[0]?.abortedByClient).toBe(true)
  })

  test('of a field that stands twice the last one counts, for us and for the entry', async () => {
    const { gateway, provider } = await rig()
    const json = '{"messages":[{"role":"user","content":"hi"}],"model":"m1","temperature":0,"model":"openai.main/m1","temperature":1}'
    const own = { host: `127.0.0.1:${gateway.port}`, 'content-length': String(json.length), connection: 'close' }
    expect(statusOf(await client(gateway.port, head('/v1/chat/completions', own, 'POST') + json).ended)).toBe(200)
    expect(provider.requests.map(({ body }) => body)).toEqual([expect.objectContaining({ model: 'm1', temperature: 1 })])
  })

  const named = [
    '{"__proto__":{"polluted":true},"messages":[{"role":"user","content":"hi"}]}',
    '{"messages":[{"role":"user","content":"hi","\\u005f_proto__":{"polluted":true}}]}',
  ]
  test.each(named)('%s: 400, and no prototype changes', async (json) => {
    const { gateway, provider } = await rig()
    const own = { host: `127.0.0.1:${gateway.port}`, 'content-length': String(json.length), connection: 'close' }
    const answer = await client(gateway.port, head('/v1/chat/completions', own, 'POST') + json).ended
    expect([statusOf(answer), answer.includes('"param":"__proto__"')]).toEqual([400, true])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(provider.requests).toHaveLength(0)
  })

  test('the words may stand in a text', async () => {
    const { gateway } = await rig()
    const asked = { messages: [{ role: 'user', content: 'what is {"__proto__": 1}?' }] }
    expect(statusOf(await client(gateway.port, chat(gateway.port, asked, { connection: 'close' })).ended)).toBe(200)
  })

  test.each([
    ['depth', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)},"messages":[{"role":"user","content":"hi"}]}`],
    ['a list', '[1]'],
    ['a text', '"hi"'],
    ['null', 'null'],
    ['nothing', ''],
    ['half of it', '{"messages":'],
    ['bytes that are no text', '\xff\xfe{}'],
  ])('a body of %s: 400', async (_what, json) => {
    const { gateway, provider } = await rig()
    const own = { host: `127.0.0.1:${gateway.port}`, 'content-length': String(Buffer.byteLength(json)), connection: 'close' }
    const answer = await client(gateway.port, head('/v1/chat/completions', own, 'POST') + json).ended
    expect(statusOf(answer)).toBe(400)
    expect(provider.requests).toHaveLength(0)
  })
})
