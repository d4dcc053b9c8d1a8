import { type EndpointPolicy, hostProblem } from '../../model/address.ts'
import { type Failure, failure } from '../../model/failure.ts'
import type { ProviderEvent } from '../../model/provider-event.ts'
import type { CompletionPolicy } from '../../model/settings.ts'
import { MAX_ANSWER_BYTES } from '../http/attempt.ts'
import { MAX_STREAM_BYTES, type StreamDecoder } from '../http/decoder.ts'
import { classifyErrno } from '../http/failure.ts'
import { mediaType, readHeaders } from '../http/headers.ts'
import { httpProtocol } from '../http/registry.ts'
import { codeOf, HIDDEN_REDIRECT, refusedAddress } from '../http/transport.ts'

/**
 * A `fetch` that reads along, for providers that are not ours.
 *
 * Providers of the AI SDK take the end of bytes for the end of an answer. Under this fetch the bytes of a stream go through the decoder of
 * their protocol on the way, and the answer is whole only when the decoder says so (R25).
 *
 * 1. Bytes are passed on unchanged and in order, up to the terminator; what stands behind it is dropped (wire.md §12.2).
 * 2. To an attempt of `fromAiSdk`, which is known by its abort signal, the verdict is told on the side, and the body ends cleanly: an error in
 *    a body overtakes the text before it inside the AI SDK's pipes. For any other caller the body ends in an `IncompleteAnswer`.
 * 3. Nothing is read before it is asked for, so that a slow reader slows the provider down.
 * 4. A protocol that is not known, and an answer that is no stream, pass unwatched; to an attempt they have an end all the same, since the
 *    AI SDK collects what it is given.
 * 5. No redirect is followed, whatever a caller asks for: a platform's `fetch` carries `x-api-key` and the prompt along to any origin.
 * 6. Nothing is sent to a host that its address alone shows to be refused. Names are the platform's to resolve.
 */
export interface GuardOptions {
  /** Protocol of the streams, a name of `HTTP_APIS`. By default it is told by the address. */
  readonly api?: string | undefined
  /** Default: that of the profile in an engine, else `strict`. */
  readonly completion?: CompletionPolicy | undefined
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** What the owner of an abort signal is told about the exchange that runs under it. */
export interface Watch {
  readonly completion: CompletionPolicy
  readonly policy: EndpointPolicy
  now(): number
  /** The provider answers with a stream of the protocol. Some models of the AI SDK tell of one only with its first part. */
  onStream(): void
  /** Bytes came in: a head, or a piece of its body. */
  onBytes(): void
  /** The exchange broke with this code. */
  onBroken(code: string): void
  /** What the decoder made of the stream: usage, and its one end. */
  onEvent(event: ProviderEvent): void
}

const WATCHES = new WeakMap<AbortSignal, Watch>()

export function watch(signal: AbortSignal, told: Watch): void {
  WATCHES.set(signal, told)
}

/** The end of a body whose answer is not whole. */
export class IncompleteAnswer extends Error {
  readonly code = 'ERR_RELEVO_INCOMPLETE'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`The answer is not whole: ${failure.message}`)
    this.name = 'IncompleteAnswer'
    this.failure = failure
  }
}

/**
 * A `fetch` for models of the AI SDK that reads along with the decoder of the protocol: a stream that is cut off ends in an `IncompleteAnswer`
 * and no longer as if it were whole.
 */
export function guardedFetch(options: GuardOptions = {}): typeof globalThis.fetch {
  const inner = options.fetch ?? globalThis.fetch
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    const told = signal == null ? undefined : WATCHES.get(signal)
    const response = await sent(inner, input, init, told?.policy).catch((error: unknown) => {
      told?.onBroken(codeOf(error))
      throw error
    })
    told?.onBytes()
    const { body, ok, status, statusText, headers } = response
    const protocol = ok ? httpProtocol(options.api ?? apiOf(input) ?? '') : undefined
    const type = mediaType(readHeaders(Object.fromEntries(headers)))
    const streams = protocol !== undefined && type === protocol.streamType
    if (body === null || (told === undefined && !streams)) return response
    if (streams) told?.onStream()
    const completion = options.completion ?? told?.completion ?? 'strict'
    const now = () => told?.now() ?? Date.now()
    const decoder = streams ? protocol.decoder({ completion, earlyUsage: true, now }) : null
    return new Response(new ReadableStream(new GuardedBody(body, decoder, told, type === 'application/json'), { highWaterMark: 0 }), {
      status,
      statusText,
      headers,
    })
  }
}

type Fetch = typeof globalThis.fetch

async function sent(fetch: Fetch, input: Parameters<Fetch>[0], init: RequestInit | undefined, policy: EndpointPolicy = 'local-allowed') {
  const host = addressOf(input)?.hostname
  if (host !== undefined && hostProblem(host, policy) !== null) throw refusedAddress()
  const answer = await fetch(input, { ...init, redirect: 'manual' })
  // A page is not shown the status of a redirect that is not followed, and zero is no status.
  return answer.type === 'opaqueredirect' ? new Response(null, { status: HIDDEN_REDIRECT }) : answer
}

/** Ends of addresses by protocol; providers differ in what stands before. */
const PATHS: readonly (readonly [RegExp, string])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses$/, 'openai-responses'],
  [/\/messages$/, 'anthropic-messages'],
  [/:streamGenerateContent$/, 'gemini'],
  [/\/api\/chat$/, 'ollama'],
  [/\/converse-stream$/, 'bedrock-converse'],
]

function apiOf(input: Parameters<typeof globalThis.fetch>[0]): string | undefined {
  const address = addressOf(input)
  return address === undefined ? undefined : PATHS.find(([end]) => end.test(address.pathname))?.[1]
}

function addressOf(input: Parameters<typeof globalThis.fetch>[0]): URL | undefined {
  const address = input instanceof Request ? input.url : String(input)
  return URL.canParse(address) ? new URL(address) : undefined
}

/** How much of an ended answer's connection is waited for, so that it can serve again. */
const TAIL_BYTES = 64 * 1024
const TAIL_MS = 100

type Ended = Extract<ProviderEvent, { type: 'final' | 'failed' }>

class GuardedBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder: StreamDecoder | null
  readonly #watch: Watch | undefined
  readonly #isWhole: boolean
  #bytes = 0
  #ended: Ended | null = null

  constructor(body: ReadableStream<Uint8Array>, decoder: StreamDecoder | null, told: Watch | undefined, isWhole: boolean) {
    this.#isWhole = isWhole
    this.#reader = body.getReader()
    this.#decoder = decoder
    this.#watch = told
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    // What came with the last piece is with the reader by now, and an error overtakes nothing.
    if (this.#ended !== null) return this.#close(controller)
    let chunk: Uint8Array | undefined
    try {
      chunk = (await this.#reader.read()).value
    } catch (error) {
      return this.#broken(controller, error)
    }
    if (chunk === undefined) return this.#onEnd(controller)
    this.#watch?.onBytes()
    this.#bytes += chunk.length
    if (this.#decoder === null && this.#bytes > this.#bound) return this.#onTooLong(controller)
    const passed = this.#decoder === null ? chunk : this.#decoded(chunk, this.#decoder)
    if (passed.length > 0) controller.enqueue(passed)
    if (this.#ended !== null && this.#isQuiet(this.#ended)) this.#close(controller)
    else if (passed.length === 0) return this.pull(controller)
  }

  /** Bytes of a body that no decoder bounds. */
  get #bound(): number {
    return this.#isWhole ? MAX_ANSWER_BYTES : MAX_STREAM_BYTES
  }

  #onTooLong(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const tooLong = failure('protocol', this.#isWhole ? 'call' : 'stream', `an answer of more than ${this.#bound} bytes`, { offset: this.#bound })
    this.#watch?.onEvent({ type: 'failed', failure: tooLong })
    void this.#reader.cancel().catch(ignore)
    controller.error(new IncompleteAnswer(tooLong))
  }

  /** Whether this end is a clean one to the reader. */
  #isQuiet(ended: Ended): boolean {
    return this.#watch !== undefined || ended.type === 'final'
  }

  cancel(reason: unknown): Promise<void> {
    return this.#reader.cancel(reason)
  }

  /** The part of a chunk that belongs to the answer. It is read line by line, so that its end is found where it stands. */
  #decoded(chunk: Uint8Array, decoder: StreamDecoder): Uint8Array {
    let at = 0
    while (at < chunk.length && !decoder.done) {
      const newline = chunk.indexOf(NEWLINE, at)
      const next = newline < 0 ? chunk.length : newline + 1
      decoder.push(chunk.subarray(at, next), this.#tell)
      at = next
    }
    const ended = this.#ended as Ended | null
    if (ended === null) return chunk
    const more = hasContent(chunk.subarray(at))
    this.#ended = more && ended.type === 'final' ? { ...ended, contentAfter: true } : ended
    this.#watch?.onEvent(this.#ended)
    // The blank line behind the terminator is a part of it.
    return more ? chunk.subarray(0, at) : chunk
  }

  readonly #tell = (event: ProviderEvent): void => {
    if (event.type === 'final' || event.type === 'failed') this.#ended = event
    else if (event.type === 'usage') this.#watch?.onEvent(event)
  }

  #onEnd(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#decoder === null) return controller.close()
    this.#decoder.end(this.#tell)
    this.#conclude(controller, undefined)
  }

  #broken(controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void {
    const code = codeOf(error)
    if (this.#decoder === null) {
      this.#watch?.onBroken(code)
      return controller.error(error)
    }
    this.#decoder.end(this.#tell, classifyErrno(code, 'stream'))
    this.#conclude(controller, error)
  }

  #conclude(controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void {
    if (this.#ended !== null) this.#watch?.onEvent(this.#ended)
    this.#close(controller, error)
  }

  #close(controller: ReadableStreamDefaultController<Uint8Array>, error?: unknown): void {
    void this.#drain()
    if (this.#ended?.type !== 'failed' || this.#isQuiet(this.#ended)) controller.close()
    else controller.error(error ?? new IncompleteAnswer(this.#ended.failure))
  }

  async #drain(): Promise<void> {
    const alarm = setTimeout(() => void this.#reader.cancel().catch(ignore), TAIL_MS)
    try {
      for (let bytes = 0; bytes <= TAIL_BYTES; ) {
        const { value, done } = await this.#reader.read()
        if (done) return
        bytes += value.length
      }
      await this.#reader.cancel()
    } catch {
      // The connection is gone, and so is what was waited for.
    } finally {
      clearTimeout(alarm)
    }
  }
}

const NEWLINE = 0x0a

/** Lines that say nothing: blank ones, comments, the fields of an event without data, the terminator itself. */
const SAYS_NOTHING = /^(?:|:.*|(?:event|id|retry):.*|data: ?(?:\[DONE\])?)$/

function hasContent(rest: Uint8Array): boolean {
  if (rest.length === 0) return false
  return new TextDecoder()
    .decode(rest)
    .split(/\r\n|\n|\r/)
    .some((line) => !SAYS_NOTHING.test(line.trim()))
}

function ignore(): void {}
