import { onTestFinished } from 'vitest'
import type { Outcome } from '../../src/model/outcome.ts'
import type { StreamFrame } from '../../src/model/provider-event.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import type { TurnRequest } from '../../src/runtime/request.ts'

/** A kernel whose provider is a `fetch` that answers with bytes of the test's own, cut as the test cuts them. */
export interface Answer {
  readonly status?: number
  readonly type?: string
  readonly chunks: readonly (Uint8Array | string)[]
  /** The connection breaks behind the last chunk. */
  readonly breaks?: boolean
}

export interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Record<string, unknown>
}

export interface Passed {
  readonly events: readonly TurnEvent[]
  readonly outcome: Outcome
  readonly sent: readonly Sent[]
  /** All bytes that were told, as one. */
  readonly bytes: Uint8Array
  readonly ending: readonly StreamFrame[] | null
}

export const API_OF = { chat: 'openai-chat', responses: 'openai-responses', anthropic: 'anthropic-messages' } as const
export type Spoken = keyof typeof API_OF

const FAMILIES: Readonly<Record<Spoken, string>> = { chat: 'openai', responses: 'openai', anthropic: 'anthropic' }

/** One profile that speaks the protocol, or `more` of them as a chain. */
export function configOf(spoken: Spoken, more: Partial<KernelConfig> = {}): KernelConfig {
  const id = `${FAMILIES[spoken]}.main`
  return {
    primary: id,
    profiles: { [id]: { model: 'm1', apiKey: 'k-secret', api: API_OF[spoken], endpoint: 'http://127.0.0.1:9/v1' } },
    reliability: { jitter: 0, providerRetries: 0 },
    ...more,
  }
}

/** Runs one turn that passes through; `answers` in the order of the attempts. */
export async function pass(spoken: Spoken, answers: readonly Answer[], more: { config?: KernelConfig; request?: TurnRequest } = {}): Promise<Passed> {
  const sent: Sent[] = []
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push({
      url: String(url),
      headers: Object.fromEntries(new Headers(init.headers)),
      body: JSON.parse(String(init.body)) as Record<string, unknown>,
    })
    const answer = answers[sent.length - 1]
    if (answer === undefined) throw new Error('one attempt more than was played')
    return responseOf(answer)
  }
  const kernel = createKernel(more.config ?? configOf(spoken), { fetch: fetch as typeof globalThis.fetch })
  onTestFinished(() => kernel.stop())
  const events: TurnEvent[] = []
  const turn = kernel.turn({
    prompt: 'hi',
    passThrough: { api: API_OF[spoken], body: { model: 'whatever', stream: true } },
    sinks: { event: (event) => events.push(event) },
    ...more.request,
  })
  const outcome = await turn.outcome
  return { events, outcome, sent, bytes: toldBytes(events), ending: toldEnding(events) }
}

function responseOf({ status = 200, type = 'text/event-stream', chunks, breaks }: Answer): Response {
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[at]
      at += 1
      if (chunk !== undefined) controller.enqueue(bytesOf(chunk))
      else if (breaks === true) controller.error(new TypeError('terminated'))
      else controller.close()
    },
  })
  return new Response(body, { status, headers: { 'content-type': type } })
}

export function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
}

function toldBytes(events: readonly TurnEvent[]): Uint8Array {
  return Buffer.concat(events.flatMap((event) => (event.type === 'bytes' ? [event.bytes] : [])))
}

function toldEnding(events: readonly TurnEvent[]): readonly StreamFrame[] | null {
  const told = events.flatMap((event) => (event.type === 'ending' ? [event.frames] : []))
  return told[0] ?? null
}

/** Frames as a stream of our own would write them. */
export function written(frames: readonly StreamFrame[]): string {
  return frames.map(({ event, data }) => `${event === null ? '' : `event: ${event}\n`}data: ${data}\n\n`).join('')
}

/** What a client of server-sent events reads, comments and keep-alives left out. */
export function framesIn(text: string): StreamFrame[] {
  const blocks = text.replace(/\r\n?/g, '\n').split('\n\n')
  return blocks.flatMap((block) => {
    const lines = block.split('\n')
    const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, ''))
    const event =
      lines
        .findLast((line) => line.startsWith('event:'))
        ?.slice(6)
        .trim() ?? null
    return data.length === 0 ? [] : [{ event, data: data.join('\n') }]
  })
}

export const chunk = (delta: unknown, finish: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
export const DONE = 'data: [DONE]\n\n'
