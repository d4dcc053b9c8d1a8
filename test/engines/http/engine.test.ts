import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { take } from 'rxjs'
import { afterEach, describe, expect, it } from 'vitest'
import { MAX_ANSWER_BYTES } from '../../../src/engines/http/attempt.ts'
import { HTTP_APIS, resolveHttpEngine } from '../../../src/engines/http/registry.ts'
import { Secret } from '../../../src/model/secret.ts'
import { noTimeouts, profileOf, requestOf } from './request.ts'
import { attempt, failureOf, httpServer, type Loopback, run, SSE, socketServer } from './server.ts'

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

  it('a redirect is never followed', async () => {
    const target = await serve(httpServer((response) => response.writeHead(200, SSE).end(ANSWER)))
    const server = await serve(httpServer((response) => response.writeHead(307, { location: `${target.endpoint}/chat/completions` }).end()))
    expect(failureOf(await attempt(server, { secret: new Secret('sk-1') }))).toMatchObject({ kind: 'invalid_request', status: 307 })
    expect(target.requests).toHaveLength(0)
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

describe('R25 a connection that breaks', () => {
  it('before any answer is a network failure', async () => {
    const server = await serve(socketServer((socket) => socket.once('data', () => socket.destroy())))
    expect(await attempt(server)).toEqual([{ type: 'failed', failure: expect.objectContaining({ kind: 'network', phase: 'connect', status: null }) }])
    const reset = await serve(socketServer((socket) => socket.once('data', () => socket.resetAndDestroy())))
    expect(failureOf(await attempt(reset))).toMatchObject({ kind: 'network', code: 'ECONNRESET' })
  })

  it('with nobody listening', async () => {
    const server = await serve(httpServer(() => {}))
    await server.close()
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'network', code: 'ECONNREFUSED' })
  })

  it('inside a stream is truncated, by an end as by a reset', async () => {
    const cut = await serve(httpServer((response) => response.writeHead(200, SSE).end(delta('par'))))
    expect(failureOf(await attempt(cut))).toMatchObject({ kind: 'truncated', phase: 'stream' })
    const reset = await serve(
      httpServer((response) => response.writeHead(200, SSE).write(delta('par'), () => setImmediate(() => response.socket?.resetAndDestroy()))),
    )
    expect(failureOf(await attempt(reset))).toMatchObject({ kind: 'truncated', phase: 'stream' })
  })

  it('behind a finish reason is whole, without its terminator', async () => {
    const server = await serve(
      httpServer((response) => response.writeHead(200, SSE).write(delta('hi', 'stop'), () => setImmediate(() => response.destroy()))),
    )
    expect((await attempt(server)).at(-1)).toEqual({ type: 'final', finish: 'stop', terminated: false })
  })

  it('inside a whole answer is truncated', async () => {
    const server = await serve(
      httpServer((response) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '999' })
          .write(WHOLE.slice(0, 20), () => setImmediate(() => response.destroy())),
      ),
    )
    expect(failureOf(await attempt(server, { mode: 'call' }))).toMatchObject({ kind: 'truncated', phase: 'call' })
  })

  it('what is no HTTP at all is a protocol failure', async () => {
    const server = await serve(socketServer((socket) => socket.once('data', () => socket.end('SSH-2.0-nope\r\n\r\n'))))
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'protocol' })
  })
})

describe('R31 deadlines reach real sockets', () => {
  const within = (timeouts: Partial<typeof noTimeouts>) => ({ profile: profileOf({ timeouts: { ...noTimeouts, ...timeouts } }) })

  it('first byte', async () => {
    const server = await serve(httpServer(() => {}))
    expect(failureOf(await attempt(server, within({ connectMs: 5000, firstByteMs: 40 })))).toMatchObject({
      kind: 'timeout',
      code: 'first_byte',
      phase: 'connect',
    })
  })

  it('idle, after text', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, SSE).write(delta('par'))))
    const events = await attempt(server, within({ idleMs: 40 }))
    expect(events.map((event) => event.type)).toEqual(['opened', 'text', 'failed'])
    expect(failureOf(events)).toMatchObject({ kind: 'timeout', code: 'idle', phase: 'stream' })
  })

  it('first output: comments count for idle, not for output', async () => {
    const server = await serve(
      httpServer((response) => {
        response.writeHead(200, SSE).write(': keep-alive\n\n')
        const timer = setInterval(() => response.write(': keep-alive\n\n'), 10)
        response.on('close', () => clearInterval(timer))
      }),
    )
    expect(failureOf(await attempt(server, within({ idleMs: 1000, firstOutputMs: 50 })))).toMatchObject({ kind: 'timeout', code: 'first_output' })
  })

  it('total', async () => {
    const server = await serve(httpServer((response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{')))
    expect(failureOf(await attempt(server, { ...within({ totalMs: 40 }), mode: 'call' }))).toMatchObject({
      kind: 'timeout',
      code: 'total',
      phase: 'call',
    })
  })

  it('a status that is known is not lost to a body that stalls', async () => {
    const server = await serve(httpServer((response) => response.writeHead(429, { 'retry-after': '9' }).write('{')))
    expect(failureOf(await attempt(server, within({ idleMs: 40 })))).toMatchObject({ kind: 'rate_limited', retryAfterMs: 9000 })
  })
})

describe('R30 cancel reaches the socket', () => {
  it('while the server is silent', async () => {
    const heard = deferred()
    const server = await serve(
      httpServer((response) => {
        response.on('close', () => heard.resolve(undefined))
        started.resolve(undefined)
      }),
    )
    const started = deferred()
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const { events, subscription } = run(resolver(request.profile) ?? expect.fail(), request)
    await started.promise
    subscription.unsubscribe()
    await heard.promise
    expect(events).toEqual([])
    await resolver.close()
  })

  it('inside the callback of the first chunk, and nothing is told afterwards', async () => {
    const closed = deferred()
    const server = await serve(
      httpServer((response) => {
        response.on('close', () => closed.resolve(undefined))
        response.writeHead(200, SSE).write(`${delta('a')}${delta('b')}${delta('c')}`)
      }),
    )
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const { events, subscription } = run(resolver(request.profile) ?? expect.fail(), request, (event) => {
      if (event.type === 'text') subscription.unsubscribe()
    })
    await closed.promise
    expect(events).toEqual([{ type: 'opened' }, { type: 'text', text: 'a' }])
    await resolver.close()
  })

  it('while it is still connecting', async () => {
    const net = await import('node:net')
    const connecting: InstanceType<typeof net.Socket>[] = []
    const original = net.Socket.prototype.connect
    // A loopback connect cannot be made to hang; this one never begins.
    net.Socket.prototype.connect = function (this: InstanceType<typeof net.Socket>) {
      connecting.push(this)
      return this
    } as typeof original
    try {
      const resolver = resolveHttpEngine()
      const request = requestOf({ profile: profileOf({ endpoint: 'http://127.0.0.1:9/v1' }) })
      const { events, subscription } = run(resolver(request.profile) ?? expect.fail(), request)
      expect(connecting).toHaveLength(1)
      expect(connecting[0]?.destroyed).toBe(false)
      subscription.unsubscribe()
      expect(connecting[0]?.destroyed).toBe(true)
      expect(events).toEqual([])
      const limited = requestOf({ profile: profileOf({ endpoint: 'http://127.0.0.1:9/v1', timeouts: { ...noTimeouts, connectMs: 30 } }) })
      const second = run(resolver(limited.profile) ?? expect.fail(), limited)
      await second.done
      expect(failureOf(second.events)).toMatchObject({ kind: 'timeout', code: 'connect', phase: 'connect' })
      expect(connecting.every((socket) => socket.destroyed)).toBe(true)
    } finally {
      net.Socket.prototype.connect = original
    }
  })
})

function deferred() {
  let resolve: (value: unknown) => void = () => {}
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('bounds', () => {
  const flood = (head: string, chunk: string, headers: Record<string, string>) =>
    httpServer((response) => {
      response.writeHead(200, headers).write(head)
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })

  it('an endless line ends as a protocol failure', async () => {
    const server = await serve(flood(`${delta('a')}data: `, 'x'.repeat(65_536), SSE))
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'protocol', offset: delta('a').length })
  })

  it('an endless answer ends as a protocol failure, in bounded memory', async () => {
    const server = await serve(flood('{"choices":"', 'x'.repeat(65_536), { 'content-type': 'application/json' }))
    expect(failureOf(await attempt(server, { mode: 'call' }))).toMatchObject({ kind: 'protocol', offset: MAX_ANSWER_BYTES })
  })

  it('an endless stream of events ends as a protocol failure', async () => {
    const server = await serve(flood('', delta('y'.repeat(60_000)).repeat(4), SSE))
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const resolver = resolveHttpEngine()
    const failures: unknown[] = []
    await new Promise<void>((complete) =>
      resolver(request.profile)
        ?.attempt(request)
        .subscribe({ next: (event) => event.type === 'failed' && failures.push(event.failure), complete }),
    )
    expect(failures).toEqual([expect.objectContaining({ kind: 'protocol' })])
    await resolver.close()
  })

  it('while the reader is full the socket is not read', async () => {
    let sent = 0
    const stalled = deferred()
    const server = await serve(
      httpServer((response) => {
        response.writeHead(200, SSE)
        const chunk = delta('z'.repeat(10_000)).repeat(10)
        const more = () => {
          while (!response.destroyed && sent < 50_000_000) {
            sent += chunk.length
            if (!response.write(chunk)) {
              // Not drained in a while: the reader stalls us.
              const timer = setTimeout(() => stalled.resolve(undefined), 150)
              response.once('drain', () => {
                clearTimeout(timer)
                more()
              })
              return
            }
          }
          if (sent >= 50_000_000) response.end(`${delta('', 'stop')}data: [DONE]\n\n`)
        }
        more()
      }),
    )
    let drain: (() => void) | null = null
    const flow = { full: false, onDrain: (resume: () => void) => (drain = resume) }
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint, timeouts: { ...noTimeouts, idleMs: 100 } }), flow })
    let received = 0
    let end = ''
    const done = new Promise<void>((complete) =>
      resolver(request.profile)
        ?.attempt(request)
        .subscribe({
          next: (event) => {
            end = event.type
            if (event.type !== 'text') return
            received += event.text.length
            if (received >= 100_000 && drain === null) flow.full = true
          },
          complete,
        }),
    )
    await stalled.promise
    expect(received).toBeLessThan(1_000_000)
    expect(sent).toBeLessThan(30_000_000)
    flow.full = false
    ;(drain as (() => void) | null)?.()
    await done
    // The idle limit of 100 ms did not run while the reader was slow.
    expect(end).toBe('final')
    expect(received).toBeGreaterThan(45_000_000)
    await resolver.close()
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
    expect(failureOf(await attempt(server, {}, fetching()(profileOf())))).toMatchObject({ kind: 'invalid_request', status: 302 })
    await server.close()
    expect(failureOf(await attempt(server, {}, fetching()(profileOf())))).toMatchObject({ kind: 'network', code: 'ECONNREFUSED' })
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

describe('R5 which profile has an engine', () => {
  it('one that names a known api and an endpoint', () => {
    expect(HTTP_APIS).toEqual(['openai-chat', 'anthropic-messages'])
    const resolver = resolveHttpEngine()
    expect(resolver(profileOf())).toBeDefined()
    expect(resolver(profileOf({ api: 'gopher' }))).toBeUndefined()
    expect(resolver(profileOf({ api: null }))).toBeUndefined()
    expect(resolver(profileOf({ endpoint: null }))).toBeUndefined()
  })
})
