import { describe, expect, it } from 'vitest'
import { fromAiSdk, guardedFetch } from '../../../src/ai-sdk.ts'
import { Recording } from '../../../src/engines/conformance/recording.ts'
import { MAX_STREAM_BYTES } from '../../../src/engines/http/decoder.ts'
import { virtualClock } from '../../../src/testing.ts'
import { model, requestOf, STOP, text, told } from './stub-model.ts'

/** Models are other people's code, and what they give is looked at as what comes over any wire is. */
const unprintable = Object.create(null) as object
const trap = new Proxy(
  {},
  {
    get: () => {
      throw new Error('trapped')
    },
  },
)
const toldBadly = {
  toString: () => {
    throw new Error('no words')
  },
}

describe('contract 2: whatever a model throws is one failed', () => {
  it.each([
    ['an object without a prototype', unprintable],
    ['an object that cannot be read', trap],
    ['an object that throws when it is printed', toldBadly],
    ['a symbol', Symbol('s')],
    ['nothing', undefined],
    ['null', null],
    [
      'an error whose fields throw',
      Object.defineProperty(new Error('x'), 'code', {
        get: () => {
          throw new Error('y')
        },
      }),
    ],
    [
      'an error that is its own cause',
      Object.assign(new Error('x'), {
        self: 1,
        get cause() {
          return this
        },
      }),
    ],
  ])('%s', async (_, thrown) => {
    const byCall = await told(model([], { doStream: () => Promise.reject(thrown) }).made)
    expect(byCall.failure('unknown').message).not.toBe('')
    const byPart = await told(model([text('a'), { type: 'error', error: thrown }]).made)
    expect(byPart.failure('unknown').message).not.toBe('')
  })

  it.each([
    ['a part that cannot be read', trap],
    [
      'a part whose value is a circle',
      Object.assign({ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} as object }, { input: circle() }),
    ],
    ['a part with an integer too big for JSON', { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { n: 1n } }],
  ])('%s', async (_, part) => {
    const recording = await told(model([part, STOP]).made)
    recording.failure('unknown')
  })
})

describe('R25 a finish in a word of Object.prototype', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is no reason: the stream was cut', async (word) => {
    const flat = await told(model([text('a'), { ...STOP, finishReason: word }]).made)
    flat.failure('truncated')
    const unified = await told(model([text('a'), { ...STOP, finishReason: { unified: word } }]).made)
    unified.failure('truncated')
    const own = await told(model([text('a'), { ...STOP, finishReason: { unified: word, raw: 'done' } }]).made)
    expect(own.final()?.finish).toBe('done')
  })
})

describe('R30 a cancel reaches the stream of a model that does not listen to its signal', () => {
  it.each([
    ['while its next part is waited for', false],
    ['while the reader is full', true],
  ])('%s', async (_, full) => {
    let cancelled = false
    const stream = new ReadableStream({
      start: (controller) => controller.enqueue(text('a')),
      cancel: () => {
        cancelled = true
      },
    })
    const flow = { full, onDrain: () => {} }
    const request = { ...requestOf(), flow }
    const recording = new Recording(fromAiSdk(model([], { doStream: async () => ({ stream }) }).made), request)
    await rounds()
    recording.stop()
    await rounds()
    expect(cancelled).toBe(true)
  })

  it('and so does a deadline', async () => {
    let cancelled = false
    const stream = new ReadableStream({
      cancel: () => {
        cancelled = true
      },
    })
    const clock = virtualClock(0)
    const request = requestOf({ timeouts: { totalMs: 1000 } }, clock)
    const recording = new Recording(fromAiSdk(model([], { doStream: async () => ({ stream }) }).made), request)
    await rounds()
    clock.moveTo(1000)
    await recording.over
    recording.failure('timeout')
    await rounds()
    expect(cancelled).toBe(true)
  })
})

describe('issue 3, bad input: memory is bounded', () => {
  const PIECE = 'x'.repeat(1 << 20)

  it.each([
    ['text', text(PIECE)],
    ['reasoning', { type: 'reasoning-delta', id: '1', delta: PIECE }],
    ['calls', { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: PIECE }],
    ['results', { type: 'tool-result', toolCallId: 'c', toolName: 'f', result: PIECE }],
  ])('although a model never ends its %s', async (_, part) => {
    let parts = 0
    const stream = new ReadableStream(
      {
        pull: (controller) => {
          parts += 1
          controller.enqueue(part)
        },
      },
      { highWaterMark: 0 },
    )
    const recording = await told(model([], { doStream: async () => ({ stream }) }).made)
    expect(recording.failure('protocol').message).toContain(String(MAX_STREAM_BYTES))
    expect(parts).toBeLessThanOrEqual(MAX_STREAM_BYTES / PIECE.length + 2)
  })

  it('although an answer that is no stream never ends', async () => {
    let bytes = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        bytes += PIECE.length
        controller.enqueue(new Uint8Array(PIECE.length))
      },
    })
    const fetch = guardedFetch({ api: 'openai-chat', fetch: async () => new Response(body, { headers: { 'content-type': 'application/json' } }) })
    const read = async ({ abortSignal: signal }: { abortSignal: AbortSignal }) => {
      const response = await fetch('http://127.0.0.1:9/v1/chat/completions', { method: 'POST', signal })
      return JSON.parse(await response.text()) as object
    }
    const recording = await told(model([], { doGenerate: read }).made, { mode: 'call' })
    expect(recording.failure('protocol').phase).toBe('call')
    expect(bytes).toBeLessThan(32 * PIECE.length)
  })
})

function circle(): object {
  const made: { in?: object } = {}
  made.in = made
  return made
}

/** Promises that are already settled run within a few turns of the event loop. */
async function rounds(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => void setImmediate(resolve))
}
