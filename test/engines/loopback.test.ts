import { Agent, request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { openaiChatVoice } from '../../src/engines/loopback/openai-chat.ts'
import type { LoopbackScript } from '../../src/engines/loopback/script.ts'
import { startLoopbackProvider } from '../../src/engines/loopback/server.ts'
import { type Asked, ask, bodyOf, CHAT, closeAll, dataOf, dissect, exchange, hello, MESSAGES, provider } from './loopback/wire.ts'

afterEach(closeAll)

describe('the loopback provider', () => {
  test('serves entries of one server apart, in both protocols, from their own queues in order', async () => {
    const server = await provider({
      'a.x/m1': { call: [{ ok: 'one' }, { ok: 'two' }] },
      'a.x/m2': { call: [{ ok: 'other model' }] },
      'b.y/*': { call: [{ ok: 'unpinned' }], stream: [hello] },
    })
    const chat = async (asked: Asked): Promise<string> => JSON.parse(await (await ask(server, asked)).body.text()).choices[0].message.content
    expect([await chat({}), await chat({ model: 'm2' }), await chat({})]).toEqual(['one', 'other model', 'two'])
    const message = await ask(server, { profile: 'b.y', path: MESSAGES, model: 'anything' })
    expect(message.headers['content-type']).toBe('application/json')
    expect(JSON.parse(await message.body.text()).content).toEqual([{ type: 'text', text: 'unpinned' }])
    const stream = await ask(server, { profile: 'b.y', path: MESSAGES, model: 'anything', stream: true })
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(dataOf(await stream.body.text()).at(-1)).toBe('{"type":"message_stop"}')
    expect(server.requests.map((one) => [one.n, one.entry, one.mode, one.end])).toEqual([
      [1, 'a.x/m1', 'call', 'answered'],
      [2, 'a.x/m2', 'call', 'answered'],
      [3, 'a.x/m1', 'call', 'answered'],
      [4, 'b.y/*', 'call', 'answered'],
      [5, 'b.y/*', 'stream', 'answered'],
    ])
    expect(server.problems).toEqual([])
  })

  test('the frames on the wire are those of the voice, and what has no wait between leaves in one piece', async () => {
    const server = await provider({ 'a.x/m1': { stream: [hello, { events: [{ text: 'a' }, { text: 'b', afterMs: 2 }, { final: 'stop' }] }] } })
    const first = await exchange(server, { stream: true })
    const created = Math.floor((server.requests[0]?.startedAt ?? 0) / 1000)
    const expected = openaiChatVoice
      .stream('events' in hello ? hello.events : [], { n: 1, model: 'm1', created }, { usage: false })
      .map((step) => (step.do === 'write' ? step.bytes : ''))
      .join('')
    expect(first.body.toString()).toBe(expected)
    expect(first.chunks).toHaveLength(1)
    expect((await exchange(server, { stream: true })).chunks).toHaveLength(2)
  })

  test('records what was asked: method, path, headers, parsed body, when, and how it ended', async () => {
    const server = await provider({ 'a.x/m1': { call: [{ ok: 'a' }] } })
    const before = Date.now()
    await (await ask(server, { headers: { authorization: 'Bearer k-dummy', 'x-extra': '1' } })).body.text()
    const [one] = server.requests
    expect(one).toMatchObject({
      method: 'POST',
      path: `/a.x${CHAT}`,
      headers: { authorization: 'Bearer k-dummy', 'x-extra': '1' },
      body: { model: 'm1', messages: [{ role: 'user', content: 'hi' }] },
      unscripted: false,
      abortedByClient: false,
    })
    expect(one?.startedAt).toBeGreaterThanOrEqual(before)
    expect(await one?.ended).toBe('answered')
  })

  test('a pool shares an address; the credential says whose entry it is', async () => {
    const server = await provider(
      { 'a.x#1/m1': { call: [{ ok: 'first' }] }, 'a.x#2/m1': { call: [{ ok: 'second' }] } },
      { credentials: { k1: 'a.x#1', k2: 'a.x#2' } },
    )
    expect(server.url('a.x#2')).toBe(server.url('a.x/m1'))
    const second = await ask(server, { profile: 'a.x#2', headers: { 'x-api-key': 'k2' }, path: MESSAGES })
    expect(JSON.parse(await second.body.text()).content[0].text).toBe('second')
    const first = await ask(server, { headers: { authorization: 'Bearer k1' } })
    expect(JSON.parse(await first.body.text()).choices[0].message.content).toBe('first')
  })

  test('what is not scripted gets status 500 that says so, and is recorded', async () => {
    const server = await provider({ 'a.x/m1': { call: [{ ok: 'a' }] } }, { protocol: 'openai-chat' })
    await (await ask(server)).body.text()
    for (const asked of [{}, { stream: true }, { model: 'm9' }, { path: '/v1/embeddings' }, { path: MESSAGES }] satisfies Asked[]) {
      const answer = await ask(server, asked)
      expect(answer.statusCode).toBe(500)
      expect(JSON.parse(await answer.body.text()).error.message).toMatch(/^unscripted request/)
    }
    expect(server.requests.map((one) => one.unscripted)).toEqual([false, true, true, true, true, true])
    expect(server.problems).toHaveLength(5)
    expect(server.problems[0]).toContain('nothing is scripted for a.x/m1 (call)')
  })

  test('a queue of another name is refused: its items would never be asked for', async () => {
    const script = { 'a.x/m1': { streams: [{ http: 500 }] } } as unknown as LoopbackScript
    await expect(provider(script)).rejects.toThrow(/a\.x\/m1: has the queue `streams`; write call or stream/)
  })

  test.each([
    ['no script', undefined, /^script: give an object/m],
    ['a list for both queues', { 'a.x/m1': [{ ok: 'x' }] }, /^a\.x\/m1: give an object with the lists call and stream$/m],
    ['an item for a list', { 'a.x/m1': { call: { ok: 'x' } } }, /^a\.x\/m1 call: give a list/m],
    ['a text for an item', { 'a.x/m1': { call: ['x'] } }, /^a\.x\/m1 call\[0\]: needs exactly one of/m],
    ['nothing for an event', { 'a.x/m1': { stream: [{ events: [null] }] } }, /^a\.x\/m1 stream\[0\]\.events\[0\]: needs exactly one of/m],
    ['a text for events', { 'a.x/m1': { stream: [{ events: 'x' }] } }, /^a\.x\/m1 stream\[0\]\.events: give a list$/m],
    ['a finish beside events', { 'a.x/m1': { stream: [{ events: [], finish: 'stop' }] } }, /stream\[0\]: has finish, which mean/],
    ['a misspelt key', { 'a.x/m1': { call: [{ ok: 'x', toolcalls: [] }] } }, /call\[0\]: has toolcalls, which mean/],
    ['a key of an item in an event', { 'a.x/m1': { stream: [{ events: [{ text: 'a', reasons: 'b' }] }] } }, /events\[0\]: has reasons, which mean/],
  ])('what would be read otherwise than it was meant is refused: %s', async (_, script, problem) => {
    await expect(startLoopbackProvider({ script: script as unknown as LoopbackScript })).rejects.toThrow(problem)
  })

  test('a script that cannot be performed is refused at the start, every problem a line', async () => {
    const script: LoopbackScript = {
      'a.x/m1': { call: [{ network: 'ECONNREFUSED' }], stream: [{ events: [{ network: 'ENOTFOUND' }] }] },
    }
    await expect(startLoopbackProvider({ script })).rejects.toThrow(/a\.x\/m1 call\[0\].*\n.*a\.x\/m1 stream\[0\]\.events\[0\]/)
    const tools: LoopbackScript = { 'a.x/m1': { stream: [{ events: [{ providerToolCall: { name: 's', arguments: '{}' } }] }] } }
    await expect(startLoopbackProvider({ script: tools, protocol: 'openai-chat' })).rejects.toThrow(/no tools that run at the provider/)
    const late = await provider(tools)
    expect((await ask(late, { stream: true })).statusCode).toBe(500)
    expect(late.problems[0]).toContain('no tools that run at the provider')
  })
})

test('a dozen requests at once are no leak that Node would warn of in the output of a test', async () => {
  const warnings: Error[] = []
  const heard = (warning: Error): void => void warnings.push(warning)
  process.on('warning', heard)
  const server = await startLoopbackProvider({ script: { 'a.x/m1': { call: Array(12).fill({ pending: true }) } } })
  const asked = Array.from({ length: 12 }, () => exchange(server))
  await server.requested(12)
  await server.close()
  await Promise.allSettled(asked)
  process.off('warning', heard)
  expect(warnings).toEqual([])
})

describe('scripted failures on the socket', () => {
  test('status, headers and body as scripted; without a body, the error of the protocol', async () => {
    const server = await provider({
      'a.x/m1': {
        call: [
          { http: 429, headers: { 'retry-after': '2' }, body: { error: { code: 'insufficient_quota' } } },
          { http: 503, body: 'upstream busy' },
          { http: 401 },
        ],
        stream: [{ http: 529 }],
      },
    })
    const limited = await ask(server)
    expect([limited.statusCode, limited.headers['retry-after'], await limited.body.json()]).toEqual([
      429,
      '2',
      { error: { code: 'insufficient_quota' } },
    ])
    const busy = await ask(server)
    expect([busy.statusCode, busy.headers['content-type'], await busy.body.text()]).toEqual([503, 'text/plain; charset=utf-8', 'upstream busy'])
    expect(await (await ask(server)).body.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'invalid_api_key' } })
    expect(await (await ask(server, { path: MESSAGES, stream: true })).body.json()).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error' },
    })
  })

  test('ECONNRESET is a reset, before an answer and in the middle of one; what was said before arrives', async () => {
    const server = await provider({
      'a.x/m1': { call: [{ network: 'ECONNRESET' }], stream: [{ events: [{ text: 'par' }, { network: 'ECONNRESET' }] }] },
    })
    const opening = await exchange(server)
    expect([opening.by, opening.raw.length]).toEqual(['rst', 0])
    const middle = await exchange(server, { stream: true })
    expect([middle.by, middle.whole]).toEqual(['rst', false])
    expect(middle.body.toString()).toContain('"par"')
    expect(server.requests.map((one) => one.end)).toEqual(['broken_off', 'broken_off'])
  })

  test('eof is a clean end without the signal', async () => {
    const server = await provider({ 'a.x/m1': { stream: [{ events: [{ text: 'par' }, { eof: true }] }] } })
    const ended = await exchange(server, { stream: true })
    expect(ended.whole).toBe(true)
    expect(ended.body.toString()).not.toContain('[DONE]')
  })

  test('pending, stall and timeouts are silent at their point, and the client that goes away is seen', async () => {
    const server = await provider({
      'a.x/m1': {
        call: [{ pending: true }, { timeout: 'first_byte' }, { timeout: 'idle' }, { timeout: 'total' }],
        stream: [{ events: [{ text: 'par' }, { stall: true }] }, { timeout: 'total' }],
      },
    })
    for (const n of [1, 2]) {
      const left = new AbortController()
      const silent = request(`${server.url('a.x')}${CHAT}`, { method: 'POST', body: bodyOf({}), signal: left.signal }).catch(
        (error: Error) => error.name,
      )
      await server.requested(n)
      left.abort()
      expect(await silent).toBe('AbortError')
      expect(await server.requests[n - 1]?.ended).toBe('client_gone')
      expect(server.requests[n - 1]?.bytesSent).toBe(0)
    }
    const bodyBegan = (raw: Buffer): boolean => dissect(raw, 'left').body.length > 0
    const idle = await exchange(server, {}, bodyBegan)
    expect([idle.body.toString(), idle.whole]).toEqual([' ', false])
    const total = await exchange(server, {}, (raw) => dissect(raw, 'left').chunks.length >= 3)
    expect(total.body.toString()).toBe('   ')
    const stall = await exchange(server, { stream: true }, (raw) => raw.includes('"par"'))
    expect(stall.whole).toBe(false)
    const ticking = await exchange(server, { stream: true }, (raw) => dissect(raw, 'left').chunks.length >= 3)
    expect(ticking.body.toString()).toMatch(/^(: keep-alive\n\n)+$/)
    for (const one of server.requests) expect([await one.ended, one.abortedByClient]).toEqual(['client_gone', true])
  })

  test('afterMs is scaled', async () => {
    const server = await provider({ 'a.x/m1': { call: [{ ok: 'late', afterMs: 3_600_000 }] } }, { timeScale: 1e-6 })
    expect((await ask(server)).statusCode).toBe(200)
  })
})

describe('close()', () => {
  test('ends every connection and timer, whatever is under way, and leaves no handle', async () => {
    const before = handles()
    const server = await startLoopbackProvider({
      script: {
        'a.x/m1': {
          call: [{ ok: 'late', afterMs: 600_000 }, { timeout: 'total' }, { fault: { kind: 'silence' } }, { ok: 'kept alive' }],
          stream: [{ events: [{ text: 'a' }, { stall: true }] }, { fault: { kind: 'oversizeLine' } }],
        },
      },
    })
    const agent = new Agent()
    const asking = [false, false, false, true, true].map((stream) =>
      request(`${server.url('a.x')}${CHAT}`, { method: 'POST', body: bodyOf({ stream }), dispatcher: agent }).then(
        (answer) => answer.body.text().catch(() => 'cut'),
        () => 'cut',
      ),
    )
    await server.requested(5)
    await server.close()
    expect(await Promise.all(asking)).toEqual(['cut', 'cut', 'cut', 'cut', 'cut'])
    for (const one of server.requests) expect(await one.ended).toBe('server_closed')
    await agent.destroy()
    expect(addedTo(before, handles())).toEqual([])
    await expect(request(`${server.url('a.x')}${CHAT}`, { method: 'POST', body: '{}' })).rejects.toThrow(/ECONNREFUSED/)
  })
})

function handles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => /TCP|Timeout/.test(kind))
    .sort()
}

/** Handles that are there now and were not before; those of earlier tests may have gone meanwhile. */
function addedTo(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before]
  return after.filter((kind) => {
    const at = left.indexOf(kind)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
