import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { take } from 'rxjs'
import { Agent } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { httpEngine } from '../../../src/engines/http/engine.ts'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import { HTTP_APIS, resolveHttpEngine } from '../../../src/engines/http/registry.ts'
import { Secret } from '../../../src/model/secret.ts'
import { virtualClock } from '../../../src/simulate/virtual-clock.ts'
import { noTimeouts, profileOf, requestOf } from './request.ts'
import { attempt, deferred, failureOf, httpServer, type Loopback, run, SSE } from './server.ts'

const delta = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
const ANSWER = `${delta('hi')}${delta('', 'stop')}data: [DONE]\n\n`
const WHOLE = JSON.stringify({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] })

const open: Loopback[] = []
async function serve(make: Promise<Loopback>): Promise<Loopback> {
  const server = await make
  open.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

describe('an answer', () => {
  it('streams: opened, text, final', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).end(ANSWER)))
    expect(await attempt(server)).toEqual([{ type: 'opened' }, { type: 'text', text: 'hi' }, { type: 'final', finish: 'stop', terminated: true }])
  })

  it('comes whole', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(WHOLE)))
    expect(await attempt(server, { mode: 'call' })).toEqual([
      { type: 'opened' },
      { type: 'text', text: 'hi' },
      { type: 'final', finish: 'stop', terminated: true },
    ])
  })

  it('is asked for as the protocol wants it, signed, with the headers of the profile', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).end('event: message_stop\ndata: {"type":"message_stop"}\n\n')))
    const profile = profileOf({
      id: 'anthropic.x',
      family: 'anthropic',
      api: 'anthropic-messages',
      headers: { 'X-Team': 'blue', 'x-api-key': 'no', 'Anthropic-Version': '2099-01-01' },
    })
    await attempt(server, { profile, secret: new Secret('sk-ant-1') })
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/messages',
      headers: {
        'x-api-key': 'sk-ant-1',
        'x-team': 'blue',
        'anthropic-version': '2099-01-01',
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
    })
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ model: 'm1', stream: true })
  })

  it('sends nothing before it is subscribed, and one request for each subscription', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).end(ANSWER)))
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const observable = resolver(request.profile)?.attempt(request)
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.connections()).toBe(0)
    await Promise.all([1, 2].map(() => new Promise<void>((resolve) => observable?.subscribe({ complete: resolve }))))
    expect(server.requests).toHaveLength(2)
    await resolver.close()
  })
})

describe('§12.3 the terminator ends the attempt', () => {
  it('without waiting for the end of bytes, and the socket of a server that holds it is given up', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve(
      httpServer((response) => {
        closed = once(response, 'close')
        response.writeHead(200, SSE).write(ANSWER)
      }),
    )
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const { events, done } = run(resolver(request.profile) ?? expect.fail(), request)
    await done
    expect(events.at(-1)).toMatchObject({ type: 'final', terminated: true })
    await closed
    await resolver.close()
  })

  it('and the connection serves again when the server ends its body', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).end(ANSWER)))
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    for (let n = 0; n < 5; n += 1) {
      await run(resolver(request.profile) ?? expect.fail(), request).done
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(server.connections()).toBe(1)
    await resolver.close()
  })

  it('a subscriber that leaves on the last event does not cut the connection', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).end(ANSWER)))
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    for (let n = 0; n < 3; n += 1) {
      await new Promise<void>((complete) => resolver(request.profile)?.attempt(request).pipe(take(3)).subscribe({ complete }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(server.connections()).toBe(1)
    await resolver.close()
  })
})

describe('R17 what is no answer', () => {
  it('a status is classified with its headers and body', async () => {
    const body = JSON.stringify({ error: { code: 'rate_limit_exceeded', message: 'slow down' } })
    const server = await serve(
      httpServer((response) => response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).end(body)),
    )
    expect(await attempt(server)).toEqual([
      { type: 'failed', failure: expect.objectContaining({ kind: 'rate_limited', status: 429, retryAfterMs: 7000, phase: 'opening' }) },
    ])
    expect(failureOf(await attempt(server, { mode: 'call' }))).toMatchObject({ kind: 'rate_limited', phase: 'call' })
  })

  it.each(['stream', 'call'] as const)('HTML with 200 is a protocol failure (%s)', async (mode) => {
    const server = await serve(
      httpServer((response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>captive portal</html>')),
    )
    expect(await attempt(server, { mode })).toEqual([{ type: 'failed', failure: expect.objectContaining({ kind: 'protocol', status: 200 }) }])
  })

  it('JSON with 200 for a stream keeps the kind of its error', async () => {
    const server = await serve(
      httpServer((response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":{"type":"overloaded_error","message":"x"}}'),
      ),
    )
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'overloaded' })
  })

  it('a compressed body that was not asked for', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, { ...SSE, 'content-encoding': 'gzip' }).end(gzipSync(ANSWER))))
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'protocol' })
  })

  it('reads 64 KiB of an error body that never ends, and closes', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await serve(
      httpServer((response) => {
        closed = once(response, 'close')
        response.writeHead(500, { 'content-type': 'text/plain' })
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      }),
    )
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'server_error', status: 500 })
    await closed
  })

  it('a body that breaks does not lose the status', async () => {
    const server = await serve(
      httpServer((response) => {
        response.writeHead(503, { 'retry-after': '3', 'content-length': '100' })
        response.write('part', () => response.destroy())
      }),
    )
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'server_error', retryAfterMs: 3000 })
  })
})

describe('secrets', () => {
  it('an echoed credential is taken out of the failure, also where the message is cut', async () => {
    const secret = 'sk-live-0123456789abcdef'
    for (const filler of [0, 470]) {
      const body = JSON.stringify({ error: { message: `${'m'.repeat(filler)} bad key ${secret}`, code: secret } })
      const server = await serve(httpServer((response) => response.writeHead(401, { 'content-type': 'application/json' }).end(body)))
      const text = JSON.stringify(await attempt(server, { secret: new Secret(secret) }))
      expect(text).not.toContain('sk-live')
      expect(text).toContain('[redacted]')
    }
  })

  it('a credential that no header can carry is refused without being named', async () => {
    const server = await serve(httpServer((response) => response.end()))
    const events = await attempt(server, { secret: new Secret('sk-\nsecret') })
    expect(failureOf(events)).toMatchObject({ kind: 'invalid_request' })
    expect(JSON.stringify(events)).not.toContain('secret"')
    expect(server.connections()).toBe(0)
  })
})

describe('an injected fetch', () => {
  const fetching = () => resolveHttpEngine({ fetch: globalThis.fetch })
  it('does the same', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).end(ANSWER)))
    expect(await attempt(server, {}, fetching()(profileOf()))).toEqual([
      { type: 'opened' },
      { type: 'text', text: 'hi' },
      { type: 'final', finish: 'stop', terminated: true },
    ])
  })
  it('follows no redirect and maps errors by code', async () => {
    const server = await serve(httpServer((response) => response.writeHead(302, { location: '/x' }).end()))
    expect(failureOf(await attempt(server, {}, fetching()(profileOf())))).toMatchObject({ kind: 'protocol', status: 302 })
    await server.close()
    expect(failureOf(await attempt(server, {}, fetching()(profileOf())))).toMatchObject({ kind: 'network', code: 'ECONNREFUSED' })
  })
  it('R31 tells no connection, so a provider that takes its time is not taken for one that cannot be reached', async () => {
    const clock = virtualClock()
    const answered = deferred()
    const late = () => answered.promise.then(() => Response.json(JSON.parse(WHOLE)))
    const engine = resolveHttpEngine({ fetch: late })(profileOf()) ?? expect.fail()
    const profile = profileOf({ timeouts: { ...noTimeouts, connectMs: 10_000 } })
    const { events, done } = run(engine, requestOf({ mode: 'call', profile, clock }))
    clock.moveTo(60_000)
    answered.resolve(undefined)
    await done
    expect(events.at(-1)).toEqual({ type: 'final', finish: 'stop', terminated: true })
  })
  it('is cut by a cancel', async () => {
    const closed = deferred()
    const server = await serve(
      httpServer((response) => {
        response.on('close', () => closed.resolve(undefined))
        response.writeHead(200, SSE).write(delta('a'))
      }),
    )
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const { subscription } = run(fetching()(profileOf()) ?? expect.fail(), request, (event) => event.type === 'text' && subscription.unsubscribe())
    await closed.promise
  })
})

describe('an injected dispatcher', () => {
  it('carries the request, and is left open by close', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).end(ANSWER)))
    const dispatcher = new Agent()
    expect((await attempt(server, {}, httpEngine(openaiChat, { dispatcher }))).at(-1)).toMatchObject({ type: 'final' })
    await resolveHttpEngine({ dispatcher }).close()
    expect(dispatcher.destroyed).toBe(false)
    await dispatcher.close()
  })
})

describe('R5 which profile has an engine', () => {
  it('one that names a known api and an endpoint', () => {
    expect(HTTP_APIS).toEqual(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama', 'bedrock-converse'])
    const resolver = resolveHttpEngine()
    expect(resolver(profileOf())).toBeDefined()
    expect(resolver(profileOf({ api: 'gopher' }))).toBeUndefined()
    expect(resolver(profileOf({ api: null }))).toBeUndefined()
    expect(resolver(profileOf({ endpoint: null }))).toBeUndefined()
  })
})
