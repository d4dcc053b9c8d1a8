import type { EndpointPolicy } from '../../model/address.ts'

/**
 * What an engine needs of a transport: one HTTP exchange, told by callbacks. `undici-transport.ts` is the one in use on Node,
 * `fetch-transport.ts` the one of hosts that bring their own; this file knows neither, so that a browser's bundle has no socket in it.
 */
export interface WireRequest {
  readonly url: URL
  /** Which addresses its host may lead to. A transport that is handed its connections (`fetch`, a dispatcher) cannot ask. */
  readonly policy: EndpointPolicy
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WireHead {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The transport undid any content encoding. */
  readonly decoded: boolean
}

export interface WireListener {
  /** The request is being written on an open connection. Not told by every transport. */
  readonly onConnected: () => void
  readonly onHead: (head: WireHead) => void
  readonly onData: (chunk: Uint8Array) => void
  /** The body is whole. */
  readonly onEnd: () => void
  /** The exchange broke, before or after its head. Errno, `UND_ERR_*` or `HPE_*`. */
  readonly onError: (code: string) => void
}

export interface WireCall {
  pause(): void
  resume(): void
  destroy(): void
}

export interface Transport {
  open(request: WireRequest, listener: WireListener): WireCall
  /** Closes idle connections and those in use. */
  close(): Promise<void>
}

/** Stands for the status of a redirect that a page is not shown. */
export const HIDDEN_REDIRECT = 302

/** Code of a connection that was not made, since its host leads to an address that the policy refuses. */
export const REFUSED_ADDRESS = 'ERR_RELEVO_ADDRESS'

/** The error of such a connection. It names neither host nor address: what is told of it is its code. */
export function refusedAddress(): Error & { readonly code: string } {
  return Object.assign(new Error('the host leads to an address that is not connected to'), { code: REFUSED_ADDRESS })
}

/** The code nearest to the cause; never a message. */
export function codeOf(error: unknown): string {
  let code = 'UNKNOWN'
  let at: unknown = error
  for (let depth = 0; depth < 4 && typeof at === 'object' && at !== null; depth += 1) {
    if ('code' in at && typeof at.code === 'string') code = at.code
    // undici leaves the code out where the first bytes are no status line.
    else if ('name' in at && at.name === 'HTTPParserError') code = 'HPE_INVALID_RESPONSE'
    const first: unknown = 'errors' in at && Array.isArray(at.errors) ? at.errors[0] : undefined
    at = first ?? ('cause' in at ? at.cause : undefined)
  }
  return code
}
