import type { Failure } from '../../model/failure.ts'
import type { Finish, ProviderEvent } from '../../model/provider-event.ts'
import type { CompletionPolicy } from '../../model/settings.ts'
import type { StreamDecoder } from './decoder.ts'
import { classifyErrno, classifyResponse } from './failure.ts'
import type { HeaderSource } from './headers.ts'
import { HTTP_APIS, httpProtocol } from './registry.ts'

/** What is behind `relevo read stream` and `relevo read failure` (faces.md §2). */
export type StreamReading =
  | { readonly events: readonly ProviderEvent[]; readonly final: { readonly finish: Finish; readonly terminated: boolean } }
  | { readonly events: readonly ProviderEvent[]; readonly failed: Failure }

export interface ReadOptions {
  /** Default `strict`. */
  readonly completion?: CompletionPolicy
  /** Epoch ms, for resets that an error frame gives. Default 0. */
  readonly now?: number
}

/** A decoder for the bytes of one response. Throws a RangeError for an `api` that is not known. */
export function streamDecoder(api: string, options: ReadOptions = {}): StreamDecoder {
  const protocol = httpProtocol(api)
  if (protocol === undefined) throw new RangeError(`unknown api ${JSON.stringify(api)}: use one of ${HTTP_APIS.join(', ')}`)
  return protocol.decoder({ completion: options.completion ?? 'strict', now: () => options.now ?? 0 })
}

/** Reads a whole recorded response body, in one piece or in chunks. Events carry neither the `final` nor the `failed` at their end. */
export function readStream(api: string, body: Uint8Array | Iterable<Uint8Array>, options: ReadOptions = {}): StreamReading {
  const decoder = streamDecoder(api, options)
  const events: ProviderEvent[] = []
  const emit = (event: ProviderEvent) => events.push(event)
  for (const chunk of body instanceof Uint8Array ? [body] : body) {
    decoder.push(chunk, emit)
    if (decoder.done) break
  }
  decoder.end(emit)
  return readingOf(events)
}

function readingOf(events: ProviderEvent[]): StreamReading {
  const last = events.pop()
  if (last?.type === 'final') return { events, final: { finish: last.finish, terminated: last.terminated } }
  if (last?.type === 'failed') return { events, failed: last.failure }
  throw new Error('a decoder ended without final or failed')
}

/** A response that failed, or the code of an error that came before any response. */
export type FailureInput =
  | {
      readonly status: number
      readonly headers?: HeaderSource
      readonly body?: unknown
      readonly api: string
    }
  | { readonly code: string }

export interface FailureReading {
  readonly failure: Failure
  /** Epoch ms: the instant the provider gave, else now + hint, else null. */
  readonly resetAt: number | null
}

/** Classifies at the instant `now` (epoch ms). What the kind means for the walk is policy's to say. */
export function readFailure(input: FailureInput, now: number): FailureReading {
  const failure = 'code' in input ? classifyErrno(input.code) : classifyResponse({ ...input, now })
  const { retryAfterMs } = failure
  return { failure, resetAt: failure.resetAt ?? (retryAfterMs === null ? null : now + retryAfterMs) }
}
