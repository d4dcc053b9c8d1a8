import type { AttemptRequest } from '../contract.ts'
import type { DecoderOptions, Emit, StreamDecoder } from './decoder.ts'
import { isObject } from './json-object.ts'
import type { PassingProtocol } from './passing-protocol.ts'
import type { WireRequest } from './transport.ts'

/** One HTTP protocol, pure: how a request is written and an answer read. The engine does everything that is the same for all. */
export interface HttpProtocol {
  /** Name as settings say it. */
  readonly api: string
  /** The address that a call goes to, from the base address of the profile and what is asked. */
  readonly address: (endpoint: string, ask: Ask) => string
  /** The JSON body. */
  readonly encode: (request: AttemptRequest) => Readonly<Record<string, unknown>>
  /** Media type of a streamed answer: asked for by `accept`, and the only one that is decoded as a stream. */
  readonly streamType: string
  /** Headers that every request of the protocol carries; a profile may set them otherwise. */
  readonly headers: Readonly<Record<string, string>>
  /** The headers that sign the request; nothing displaces them. Empty without a secret. A promise where the signature has to be computed. */
  readonly sign: (request: AttemptRequest, unsigned: WireRequest) => Signature | Promise<Signature>
  readonly decoder: (options: DecoderOptions) => StreamDecoder
  /** Tells the events of a whole answer, the last one `final` or `failed`. */
  readonly decodeAnswer: (text: string, options: DecoderOptions, emit: Emit) => void
  /** Of a protocol that clients speak as well: how what they wrote, and what is answered, is passed on. */
  readonly passing?: PassingProtocol
}

/** What of a request its address may depend on. */
export type Ask = Pick<AttemptRequest, 'model' | 'mode' | 'profile'>

export type Signature = Readonly<Record<string, string>>

/** The base address with `path` behind it, unless it ends so already. A query stays where it is. */
export function joined(endpoint: string, path: string): string {
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/+$/, '')
  url.pathname = base.endsWith(path) ? base : base + path
  return url.href
}

/** The object without the keys that are undefined: what a caller left open is left to the provider. */
export function stated(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** A temperature for providers that refuse more than 1; others count to 2. */
export function atMostOne(temperature: number | undefined): number | undefined {
  return temperature === undefined ? undefined : Math.min(temperature, 1)
}

/**
 * Fields that the walk decides; neither a profile's nor a caller's own fields may displace them (R1, R2). Folded, since not every server
 * tells `model` from `Model` (Ollama, as all of Go), or `toolConfig` from `tool_config` (Google).
 */
const DECIDED: ReadonlySet<string> = new Set(['model', 'modelid', 'messages', 'input', 'contents', 'stream', 'toolconfig'])

function isDecided(name: string): boolean {
  return DECIDED.has(name.toLowerCase().replaceAll('_', ''))
}

/**
 * The body with the fields of `own` added to it or in place of it, one after the other. An object meets an object key by key:
 * `generationConfig: {topK: 5}` leaves the rest of `generationConfig` as it was. `tools` come behind the caller's tools, so that a
 * profile can offer what runs at its provider.
 */
export function withOwnFields(body: Readonly<Record<string, unknown>>, own: readonly (Readonly<Record<string, unknown>> | undefined)[]) {
  let merged = body
  for (const fields of own) {
    if (fields === undefined) continue
    const kept = Object.entries(fields).filter(([name]) => !isDecided(name))
    if (kept.length > 0) merged = { ...merged, ...Object.fromEntries(kept.map(([name, value]) => [name, mergedField(name, merged[name], value)])) }
  }
  return merged
}

function mergedField(name: string, before: unknown, value: unknown): unknown {
  if (name === 'tools' && Array.isArray(before)) return Array.isArray(value) ? [...before, ...value] : before
  return isObject(before) && isObject(value) ? { ...before, ...value } : value
}
