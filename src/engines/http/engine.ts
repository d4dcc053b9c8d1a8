import { Observable } from 'rxjs'
import type { Dispatcher } from 'undici'
import type { Engine } from '../contract.ts'
import { HttpAttempt } from './attempt.ts'
import { fetchTransport } from './fetch-transport.ts'
import type { HttpProtocol } from './protocol.ts'
import type { Transport } from './transport.ts'
import { undiciTransport } from './undici-transport.ts'

/** How requests leave: over `fetch` when one is given, else over `dispatcher`, else over a keep-alive Agent of the engine's own. */
export interface HttpOptions {
  readonly dispatcher?: Dispatcher | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The engine of one protocol; see the engine contract. It keeps no state between attempts but its idle connections. */
export function httpEngine(protocol: HttpProtocol, options: HttpOptions = {}): Engine {
  return engineOver(protocol, transportOf(options))
}

export function engineOver(protocol: HttpProtocol, transport: Transport): Engine {
  return {
    attempt: (request) =>
      new Observable((subscriber) => {
        const attempt = new HttpAttempt(protocol, request, subscriber)
        subscriber.add(() => attempt.cancel())
        attempt.begin(transport)
      }),
  }
}

export function transportOf({ fetch, dispatcher }: HttpOptions): Transport {
  return fetch === undefined ? undiciTransport(dispatcher) : fetchTransport(fetch)
}
