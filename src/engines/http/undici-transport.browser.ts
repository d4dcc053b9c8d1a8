import { fetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

/**
 * Stands in for undici-transport.ts where a bundler asks for a browser (package.json, field `browser`): a page has no sockets, so its
 * transport is its own `fetch`.
 */
export function undiciTransport(): Transport {
  return fetchTransport((input, init) => globalThis.fetch(input, init))
}
