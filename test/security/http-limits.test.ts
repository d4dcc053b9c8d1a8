import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { guardedFetch } from '../../src/ai-sdk.ts'
import { fromAiSdk } from '../../src/engines/ai-sdk/from-ai-sdk.ts'
import type { AttemptRequest, Engine } from '../../src/engines/contract.ts'
import { MAX_ANSWER_BYTES } from '../../src/engines/http/attempt.ts'
import { MAX_STREAM_BYTES } from '../../src/engines/http/decoder.ts'
import { engineOver, httpEngine } from '../../src/engines/http/engine.ts'
import { MAX_EVENT_BYTES } from '../../src/engines/http/framing.ts'
import { HTTP_APIS, httpProtocol, resolveHttpEngine } from '../../src/engines/http/registry.ts'
import { EventFrames } from '../../src/engines/http/sse.ts'
import type { Transport, WireListener } from '../../src/engines/http/transport.ts'
import { createKernel, readFailure, readStream } from '../../src/index.ts'
import { virtualClock } from '../../src/testing.ts'
import { PROVIDERS } from '../engines/ai-sdk/subject.ts'
import { bytes, decodeAll } from '../engines/http/kit.ts'
import { noTimeouts, profileOf, requestOf } from '../engines/http/request.ts'
import { attempt, deferred, failureOf, httpServer, run, SSE, served, socketServer } from '../engines/http/server.ts'
import { held } from '../tools/memory.ts'

const MIB = 1024 * 1024
const chatEvent = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const CHAT_EVENT = chatEvent('hello there '.repeat(40))
const protocol = (api: string) => httpProtocol(api) ?? expect.fail()

/** Says the chunk again and again, until so many bytes are out or nobody listens. */
function pour(response: ServerResponse, chunk: Buffer, total: number): void {
  for (let sent = 0; sent < total && !response.destroyed; sent += chunk.length) {
    if (response.write(chunk)) continue
    response.once('drain', () => pour(response, chunk, total - sent - chunk.length))
    return
  }
  if (!response.destroyed) response.end()
}

/** An attempt of which its text is counted and not kept. */
async function drained(engine: Engine, request: AttemptRequest, onEvent: (count: number) => void = () => {}) {
  let count = 0
  const last: unknown[] = []
  await new Promise<void>((complete) =>
    engine.attempt(request).subscribe({
      next: (event) => {
        if (event.type !== 'text') last.push(event)
        else onEvent(++count)
      },
      complete,
    }),
  )
  return { count, told: last }
}

describe('LIMIT-02 a stream of 200 MB of valid small events', () => {
  const START = `data: ${JSON.stringify({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } })}\n\n`
  const DELTA = `data: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello there, and so on '.repeat(20) } })}\n\n`

  test('is ended at 64 MiB, its connection is closed, and the row keeps the usage so far', async () => {
    const closed = deferred()
    const chunk = Buffer.from(DELTA.repeat(500))
    const server = await served(
      httpServer((response) => {
        response.on('close', () => closed.resolve(response.writableFinished))
        response.writeHead(200, SSE).write(START)
        pour(response, chunk, 200_000_000)
      }),
    )
    const kernel = createKernel({
      primary: 'acme.main',
      profiles: { 'acme.main': { model: 'm1', apiKey: 'k-dummy', api: 'anthropic-messages', endpoint: server.endpoint } },
      reliability: { providerRetries: 0 },
    })
    const { kind, attempts } = await kernel.turn({ prompt: 'hi', sinks: { event: () => {} } }).outcome
    await kernel.stop()
    expect([kind, attempts.map((one) => one.result), attempts[0]?.usage]).toEqual(['interrupted', ['protocol'], { input: 9, output: 1 }])
    expect(kernel.ledger.rows().map((row) => row.usage)).toEqual([{ input: 9, output: 1 }])
    expect(await closed.promise).toBe(false)
  })

  test('the longest answer of a model is no such stream: 128 000 tokens, each an event of the 335 bytes that OpenAI sends', () => {
    expect(128_000 * 335).toBeLessThan(MAX_STREAM_BYTES)
  })
})

describe('LIMIT-03 an oversize line or event', () => {
  const OK = 'data: ok\n\n'
  function frames(chunks: Iterable<Uint8Array>) {
    const seen: string[] = []
    const reader = new EventFrames((event) => seen.push(event.data))
    let fed = 0
    for (const chunk of chunks) {
      reader.push(chunk)
      fed += chunk.length
      if (reader.fault !== null) break
    }
    return { seen, fed, fault: reader.fault }
  }
  function* pieces(body: Uint8Array, size: number) {
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
  }
  const line = bytes(`${OK}data: ${'x'.repeat(50_000_000)}\n\n${OK}`)
  const lines = bytes(`${OK}${`data: ${'x'.repeat(1000)}\n`.repeat(10_000)}\n${OK}`)

  test.each([
    ['one data line of 50 MB', line],
    ['10 000 data lines in one event', lines],
  ])('%s: the reader stops at 1 MiB and parses no part of it', (_what, body) => {
    const fault = { at: OK.length, what: 'exceeds the bound' }
    expect(frames([body])).toMatchObject({ seen: ['ok'], fault })
    const { seen, fed, fault: found } = frames(pieces(body, 65_536))
    expect([seen, found]).toEqual([['ok'], fault])
    expect(fed).toBeLessThanOrEqual(MAX_EVENT_BYTES + 2 * 65_536)
  })

  test('10 000 short data lines are one event, which is no JSON', () => {
    const told = decodeAll('openai-chat', [bytes(`${'data: {\n'.repeat(10_000)}\n`)])
    expect(told).toEqual([{ type: 'failed', failure: expect.objectContaining({ kind: 'protocol', offset: 0 }) }])
  })

  test.each(['openai-chat', 'anthropic-messages', 'gemini', 'ollama'])(
    '%s: the failure is of the protocol, and the connection is closed',
    async (api) => {
      const closed = deferred()
      const server = await served(
        httpServer((response) => {
          response.on('close', () => closed.resolve(response.writableFinished))
          response.writeHead(200, { 'content-type': protocol(api).streamType }).write(api === 'ollama' ? '{"message":{"content":"' : 'data: ')
          pour(response, Buffer.from('x'.repeat(65_536)), 50_000_000)
        }),
      )
      const events = await attempt(server, { profile: profileOf({ api }) })
      expect(events.map((event) => event.type)).toEqual(['opened', 'failed'])
      expect(failureOf(events)).toMatchObject({ kind: 'protocol', offset: 0 })
      expect(await closed.promise).toBe(false)
    },
  )
})

describe('LIMIT-04 a body that unpacks to 200 MB', () => {
  /** A file of gzip is as many of them as one likes, one behind the other. */
  const bombOf = (event: string) => {
    const part = gzipSync(event.repeat(Math.ceil(MIB / event.length)), { level: 9 })
    return Buffer.concat(Array.from({ length: 200 }, () => part))
  }
  const BOMB = bombOf(CHAT_EVENT)
  const GZIP = { 'content-encoding': 'gzip' }
  const bomb = (headers: Record<string, string>, status = 200, body = BOMB) =>
    served(httpServer((response) => response.writeHead(status, { ...headers, ...GZIP }).end(body)))
  const fetching = () => httpEngine(protocol('openai-chat'), { fetch: globalThis.fetch })

  test('is not asked for and not unpacked on connections of our own', async () => {
    const server = await bomb(SSE)
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'protocol', message: 'content-encoding gzip was not asked for' })
    expect(server.requests[0]?.headers['accept-encoding']).toBeUndefined()
  })

  test('a stream that a fetch unpacks is ended at its decoded bytes, and little of it is held', async () => {
    expect(BOMB.length).toBeLessThan(2 * MIB)
    const server = await bomb(SSE)
    const before = held()
    const samples: number[] = []
    const request = requestOf({ profile: profileOf({ endpoint: server.endpoint }) })
    const { count, told } = await drained(fetching(), request, (seen) => {
      if (seen % 50_000 === 0) samples.push(held() - before)
    })
    expect(told.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: MAX_STREAM_BYTES } })
    expect(count * CHAT_EVENT.length).toBeLessThan(MAX_STREAM_BYTES + MIB)
    expect(samples.length).toBeGreaterThan(0)
    expect(Math.max(...samples) / MIB).toBeLessThan(64)
  })

  test('a whole answer that a fetch unpacks is ended at its decoded bytes', async () => {
    const server = await bomb({ 'content-type': 'application/json' })
    const { told } = await drained(fetching(), requestOf({ mode: 'call', profile: profileOf({ endpoint: server.endpoint }) }))
    expect(told.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: MAX_ANSWER_BYTES } })
  })

  test('an error body that a fetch unpacks is read for 64 KiB', async () => {
    const server = await bomb({ 'content-type': 'application/json' }, 503)
    const { told } = await drained(fetching(), requestOf({ profile: profileOf({ endpoint: server.endpoint }) }))
    expect(told).toEqual([{ type: 'failed', failure: expect.objectContaining({ kind: 'server_error', status: 503 }) }])
  })

  test('nor does it get through the guard of the AI SDK', async () => {
    const server = await bomb(SSE, 200, bombOf(chatEvent('x'.repeat(100_000))))
    const body =
      (await guardedFetch({ api: 'openai-chat' })(`${server.endpoint}/chat/completions`, { method: 'POST', body: '{}' })).body ?? expect.fail()
    let passed = 0
    const read = async () => {
      for await (const chunk of body) passed += chunk.length
    }
    await expect(read()).rejects.toMatchObject({ code: 'ERR_RELEVO_INCOMPLETE', failure: { kind: 'protocol' } })
    expect(passed).toBeLessThan(MAX_STREAM_BYTES + MIB)
  })
})

describe('LIMIT-05 a drip of comments', () => {
  /** A provider that is there and says nothing but comments, on a clock that the test moves. */
  async function dripping(timeouts: Partial<typeof noTimeouts>) {
    const clock = virtualClock(0)
    const told: { listener?: WireListener; destroyed: boolean } = { destroyed: false }
    const transport: Transport = {
      open: (_request, listener) => {
        told.listener = listener
        return { pause() {}, resume() {}, destroy: () => (told.destroyed = true) }
      },
      close: () => Promise.resolve(),
    }
    const profile = profileOf({ timeouts: { ...noTimeouts, ...timeouts } })
    const { events } = run(engineOver(protocol('openai-chat'), transport), requestOf({ profile, clock }))
    told.listener?.onConnected()
    told.listener?.onHead({ status: 200, headers: SSE, decoded: false })
    const drip = (until: number) => {
      for (let at = clock.now() + 200; at <= until; at += 200) {
        clock.moveTo(at)
        told.listener?.onData(bytes(':\n'))
      }
    }
    return { events, drip, clock, told }
  }

  test('each 200 ms ends as a timeout of the first output, not of silence, and the connection is closed', async () => {
    const { events, drip, clock, told } = await dripping({ idleMs: 1000, firstOutputMs: 30_000 })
    drip(29_800)
    expect([events, told.destroyed]).toEqual([[{ type: 'opened' }], false])
    clock.moveTo(30_000)
    expect(failureOf(events)).toMatchObject({ kind: 'timeout', code: 'first_output' })
    expect(told.destroyed).toBe(true)
  })

  test('counts as bytes: what is silent for as long ends as idle', async () => {
    const { events, drip, clock } = await dripping({ idleMs: 1000, firstOutputMs: 30_000 })
    drip(10_000)
    clock.moveTo(11_000)
    expect(failureOf(events)).toMatchObject({ kind: 'timeout', code: 'idle' })
  })
})

describe('LIMIT-06 a provider that accepts and says nothing', () => {
  const ENGINES: readonly (readonly [string, string, () => Engine])[] = [
    ...HTTP_APIS.map((api) => [api, api, () => resolveHttpEngine()(profileOf({ api })) ?? expect.fail()] as const),
    ['a fetch of the host', 'openai-chat', () => httpEngine(protocol('openai-chat'), { fetch: globalThis.fetch })],
    ...Object.entries(PROVIDERS).map(([name, source]) => [name, 'openai-chat', () => fromAiSdk(source)] as const),
  ]

  test.each(ENGINES)('%s: the first byte is not waited for longer than is allowed', async (_name, api, engine) => {
    for (const mode of ['stream', 'call'] as const) {
      const closed = deferred()
      const server = await served(socketServer((socket) => void socket.on('data', () => {}).on('close', closed.resolve)))
      const profile = profileOf({ api, timeouts: { ...noTimeouts, connectMs: 5000, firstByteMs: 60 } })
      expect(failureOf(await attempt(server, { mode, profile }, engine()))).toMatchObject({ kind: 'timeout', code: 'first_byte' })
      await closed.promise
    }
  })

  test.each(['stream', 'call'] as const)('without a limit of its own a %s still ends, by those that are there by default', async (mode) => {
    const clock = virtualClock(0)
    const transport: Transport = {
      open: (_request, listener) => {
        listener.onConnected()
        return { pause() {}, resume() {}, destroy() {} }
      },
      close: () => Promise.resolve(),
    }
    const defaults = { connectMs: 10_000, firstByteMs: null, firstOutputMs: null, idleMs: 90_000, totalMs: null }
    const { events } = run(engineOver(protocol('openai-chat'), transport), requestOf({ mode, clock, profile: profileOf({ timeouts: defaults }) }))
    clock.moveTo(mode === 'stream' ? 90_000 : 600_000)
    expect(failureOf(events)).toMatchObject({ kind: 'timeout', code: mode === 'stream' ? 'idle' : 'first_byte' })
  })
})

describe('LIMIT-08 JSON that nests 100 000 deep', () => {
  const DEEP = '['.repeat(100_000)
  const CLOSED = `${DEEP}${']'.repeat(100_000)}`
  const TEXTS = [DEEP, `{"error":${CLOSED},"choices":${CLOSED},"message":${CLOSED},"candidates":${CLOSED},"type":"message_start"}`]

  test.each(HTTP_APIS)('%s: a chunk of it is a failure of the protocol or said nothing, a whole answer of it is one too', (api) => {
    for (const text of TEXTS) {
      const chunk = api === 'ollama' ? `${text}\n` : `data: ${text}\n\n`
      const read = readStream(api, bytes(chunk))
      expect('failed' in read ? read.failed.kind : 'served').toMatch(/^(?:protocol|truncated|unknown)$/)
      const whole: unknown[] = []
      protocol(api).decodeAnswer(text, { now: () => 0 }, (event) => whole.push(event))
      expect(whole.at(-1)).toMatchObject({ type: 'failed' })
    }
  })

  test('as the check has it, in a chunk of a provider', () => {
    const told = decodeAll('openai-chat', [bytes(CHAT_EVENT), bytes(`data: ${DEEP}\n\n`)])
    expect(told.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: CHAT_EVENT.length } })
  })

  test('in the body of an error the status decides', () => {
    for (const body of TEXTS) expect(readFailure({ api: 'openai-chat', status: 503, body }, 0).failure.kind).toBe('server_error')
  })
})
