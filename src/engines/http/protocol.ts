import type { AttemptRequest } from '../contract.ts'
import type { DecoderOptions, Emit, StreamDecoder } from './decoder.ts'

/** One HTTP protocol, pure: how a request is written and an answer read. The engine does everything that is the same for all. */
export interface HttpProtocol {
  /** Name as settings say it. */
  readonly api: string
  /** The address that a call goes to, from the base address of the profile. */
  readonly address: (endpoint: string) => string
  /** The JSON body. */
  readonly encode: (request: AttemptRequest) => Readonly<Record<string, unknown>>
  /** Headers that every request of the protocol carries; a profile may set them otherwise. */
  readonly headers: Readonly<Record<string, string>>
  /** The headers that sign the request; nothing displaces them. Empty without a secret. */
  readonly sign: (request: AttemptRequest) => Readonly<Record<string, string>>
  readonly decoder: (options: DecoderOptions) => StreamDecoder
  /** Tells the events of a whole answer, the last one `final` or `failed`. */
  readonly decodeAnswer: (text: string, options: DecoderOptions, emit: Emit) => void
}

/** The base address with `path` behind it, unless it ends so already. A query stays where it is. */
export function joined(endpoint: string, path: string): string {
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/+$/, '')
  if (!base.endsWith(path)) url.pathname = base + path
  return url.href
}

/** The object without the keys that are undefined: what a caller left open is left to the provider. */
export function stated(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
