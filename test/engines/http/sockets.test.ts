import { afterEach, describe, expect, it } from 'vitest'
import { MAX_ANSWER_BYTES } from '../../../src/engines/http/attempt.ts'
import { resolveHttpEngine } from '../../../src/engines/http/registry.ts'
import { virtualClock } from '../../../src/simulate/virtual-clock.ts'
import { noTimeouts, profileOf, requestOf } from './request.ts'
import { attempt, deferred, failureOf, httpServer, type Loopback, run, SSE, socketServer } from './server.ts'

const delta = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
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

  it('inside a stream is truncated by an end, and network by a reset', async () => {
    const cut = await serve(httpServer((response) => response.writeHead(200, SSE).end(delta('par'))))
    expect(failureOf(await attempt(cut))).toMatchObject({ kind: 'truncated', phase: 'stream' })
    // The reset follows once the text has arrived: together with data the platform reports it as an end of bytes.
    let tearOff = () => {}
    const reset = await serve(
      httpServer((response) => {
        tearOff = () => response.socket?.resetAndDestroy()
        response.writeHead(200, SSE).write(delta('par'))
      }),
    )
    const resolver = resolveHttpEngine()
    const profile = profileOf({ endpoint: reset.endpoint })
    const { events, done } = run(resolver(profile) ?? expect.fail(), requestOf({ profile }), (event) => event.type === 'text' && tearOff())
    await done
    await resolver.close()
    expect(failureOf(events)).toMatchObject({ kind: 'network', code: 'ECONNRESET', phase: 'stream' })
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
    const events = await attempt(server, within({ idleMs: 400 }))
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
    expect(failureOf(await attempt(server, { ...within({ totalMs: 400 }), mode: 'call' }))).toMatchObject({
      kind: 'timeout',
      code: 'total',
      phase: 'call',
    })
  })

  it('a status that is known is not lost to a body that stalls', async () => {
    const server = await serve(httpServer((response) => response.writeHead(429, { 'retry-after': '9' }).write('{')))
    expect(failureOf(await attempt(server, within({ idleMs: 400 })))).toMatchObject({ kind: 'rate_limited', retryAfterMs: 9000 })
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

  it('LIMIT-02 an endless answer ends as a protocol failure, in bounded memory', async () => {
    const server = await serve(flood('{"choices":"', 'x'.repeat(65_536), { 'content-type': 'application/json' }))
    expect(failureOf(await attempt(server, { mode: 'call' }))).toMatchObject({ kind: 'protocol', offset: MAX_ANSWER_BYTES })
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
              response.once('drain', more)
              return
            }
          }
          if (sent >= 50_000_000) response.end(`${delta('', 'stop')}data: [DONE]\n\n`)
        }
        more()
      }),
    )
    let drain: (() => void) | null = null
    const flow = {
      full: false,
      onDrain: (resume: () => void) => {
        drain = resume
        stalled.resolve(undefined)
      },
    }
    const clock = virtualClock()
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint, timeouts: { ...noTimeouts, idleMs: 100 } }), flow, clock })
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
    // Room for whatever the buffers of this machine still take, and for a limit that should not run.
    for (let turns = 0; turns < 500; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    clock.moveTo(10_000)
    expect(end).toBe('text')
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
