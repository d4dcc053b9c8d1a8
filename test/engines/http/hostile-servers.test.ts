import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { AttemptRequest } from '../../../src/engines/contract.ts'
import { engineOver, httpEngine } from '../../../src/engines/http/engine.ts'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import { resolveHttpEngine } from '../../../src/engines/http/registry.ts'
import type { Transport } from '../../../src/engines/http/transport.ts'
import { virtualClock } from '../../../src/simulate/virtual-clock.ts'
import { held as heldNow } from '../../tools/memory.ts'
import { noTimeouts, profileOf, requestOf } from './request.ts'
import { attempt, deferred, failureOf, httpServer, type Loopback, run, SSE, socketServer } from './server.ts'

const open: Loopback[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function serve(starting: Promise<Loopback>): Promise<Loopback> {
  const server = await starting
  open.push(server)
  return server
}

describe('R17 a status decides, whatever its body is written in', () => {
  it.each([
    [429, 'rate_limited', 7000],
    [401, 'auth', null],
    [503, 'server_error', 7000],
  ])('%i with a compressed body is %s', async (status, kind, retryAfterMs) => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json', ...(status === 401 ? {} : { 'retry-after': '7' }) }
    const server = await serve(httpServer((response) => response.writeHead(status, headers).end(gzipSync('{"error":{"message":"no"}}'))))
    const told = failureOf(await attempt(server))
    expect(told).toMatchObject({ kind, status, retryAfterMs })
    expect(told?.message).toBe(`HTTP ${status}`)
  })
})

describe('R31 the body of an error has as long as one silence', () => {
  it('although it dribbles on', async () => {
    const clock = virtualClock(0)
    let dribble = (): void => {}
    const transport: Transport = {
      open: (_, listener) => {
        listener.onConnected()
        listener.onHead({ status: 429, headers: { 'retry-after': '9' }, decoded: false })
        dribble = () => listener.onData(Buffer.from('x'))
        return { pause() {}, resume() {}, destroy() {} }
      },
      close: () => Promise.resolve(),
    }
    const { events } = run(engineOver(openaiChat, transport), requestOf({ clock, profile: profileOf({ timeouts: { ...noTimeouts, idleMs: 1000 } }) }))
    for (let at = 100; at <= 900; at += 100) {
      clock.moveTo(at)
      dribble()
    }
    expect(events).toEqual([])
    clock.moveTo(1000)
    expect(failureOf(events)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 9000 })
  })
})

describe('issue 2, bad input: memory is bounded by the bytes of a body, not by its pieces', () => {
  it('an answer in 50 000 pieces, each of which keeps a page alive', () => {
    const before = heldNow()
    let held = 0
    const transport: Transport = {
      open: (_, listener) => {
        listener.onHead({ status: 200, headers: { 'content-type': 'application/json' }, decoded: false })
        for (let piece = 0; piece < 50_000; piece++) listener.onData(new Uint8Array(4096).subarray(0, 1))
        held = heldNow() - before
        listener.onEnd()
        return { pause() {}, resume() {}, destroy() {} }
      },
      close: () => Promise.resolve(),
    }
    const { events } = run(engineOver(openaiChat, transport), requestOf({ mode: 'call' }))
    expect(failureOf(events)?.kind).toBe('protocol')
    // All of the pages would be 200 MiB; the collector gives some back late.
    expect(held / 2 ** 20).toBeLessThan(100)
  })
})

describe('R31 a deadline is kept', () => {
  it('although the body of an injected fetch always has more', async () => {
    const comment = new TextEncoder().encode(`: ${'x'.repeat(10_000)}\n\n`)
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(comment) })
    const fetch = async () => new Response(body, { headers: SSE })
    const request = requestOf({ profile: profileOf({ timeouts: { ...noTimeouts, totalMs: 50 } }) })
    const { events, done } = run(httpEngine(openaiChat, { fetch }), request)
    await done
    expect(failureOf(events)).toMatchObject({ kind: 'timeout', code: 'total' })
  })
})

describe('R30 a cancel leaves nothing behind', () => {
  it.each([
    ['before the answer', false],
    ['inside the answer', true],
  ])('%s: no connection is opened in place of the one that was cut', async (_, answering) => {
    const asked = deferred()
    const closed = deferred()
    const server = await serve(
      httpServer((response) => {
        response.on('close', () => closed.resolve(undefined))
        if (answering) response.writeHead(200, SSE).write(': hi\n\n')
        asked.resolve(undefined)
      }),
    )
    const resolver = resolveHttpEngine()
    const request: AttemptRequest = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const begun = deferred()
    const { subscription } = run(resolver(request.profile) ?? expect.fail(), request, (event) => event.type === 'opened' && begun.resolve(undefined))
    await asked.promise
    if (answering) await begun.promise
    subscription.unsubscribe()
    await closed.promise
    await rounds()
    expect(server.connections()).toBe(1)
    await resolver.close()
  })

  it('while the end of the answer is still unread: no other call loses its connection', async () => {
    const text = 'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n'
    const done = 'data: [DONE]\n\n'
    const secondAsked = deferred()
    let answerSecond = (): void => {}
    let asked = 0
    const server = await serve(
      socketServer((socket) => {
        const begin = () =>
          socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${text.length + done.length}\r\n\r\n${text}`)
        socket.on('data', () => {
          asked++
          if (asked === 1) return begin()
          answerSecond = () => begin() && socket.write(done)
          return secondAsked.resolve(undefined)
        })
        finishFirst = () => socket.write(done)
      }),
    )
    let finishFirst: () => void = () => {}
    const resolver = resolveHttpEngine()
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const engine = resolver(request.profile) ?? expect.fail()
    const begun = deferred()
    // A reader that is full from the first piece on: the end of the answer comes in and is not read.
    const slow = { ...request, flow: { full: true, onDrain: () => {} } }
    const first = run(engine, slow, (event) => event.type === 'text' && begun.resolve(undefined))
    await begun.promise
    finishFirst()
    await rounds()
    const second = run(engine, request)
    await secondAsked.promise
    first.subscription.unsubscribe()
    answerSecond()
    await second.done
    expect(second.events.at(-1)).toMatchObject({ type: 'final' })
    // That of the first is not read to its end, so that it serves nobody else.
    expect(server.connections()).toBe(2)
    await resolver.close()
  })
})

/** What is on the way between two sockets of this machine arrives within a few turns of the event loop. */
async function rounds(): Promise<void> {
  for (let round = 0; round < 60; round++) await new Promise((resolve) => void setImmediate(resolve))
}
