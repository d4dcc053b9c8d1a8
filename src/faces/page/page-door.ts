import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { bareHost, isLoopbackHost } from '../../host.ts'

/**
 * Who may look on, and who may order.
 *
 * 1. A request is looked at by its head alone, before anything else is done for it.
 * 2. On this machine it names the address that it has come to, or the name that was listened on: the page of another site can make a browser
 *    ask for a name of its own that leads here (DNS rebinding). Beyond this machine nobody knows by which names and ports it is forwarded;
 *    the token guards that, which no other site has. An origin that is sent is the name that was asked for.
 * 3. The token is compared by digests of one length, and is in no answer and no line that is printed but the address of the page.
 *
 * A gateway asks the same of a request before it hands it on; here it is asked again, as the page also stands alone.
 */
export interface PageDoorOptions {
  /** Where it listens, as it was written: `127.0.0.1`, `0.0.0.0`, a name. */
  readonly host: string
  readonly token: string
}

export class PageDoor {
  readonly #host: string
  readonly #token: Buffer
  /** Others than this machine reach it: nothing is told without the token. */
  readonly isGuarded: boolean

  constructor({ host, token }: PageDoorOptions) {
    this.#host = bareHost(host).toLowerCase()
    this.#token = digestOf(token)
    this.isGuarded = !isLoopbackHost(host)
  }

  /** Why the request is not for this page, in a line; null where it is. */
  misdirected({ headersDistinct, socket }: IncomingMessage): string | null {
    const [host, ...others] = headersDistinct['host'] ?? []
    if (host === undefined || others.length > 0 || !this.#isOwn(host.toLowerCase(), socket)) return 'The Host header does not name this page.'
    // Whatever speaks TLS for us stands before us under the same name.
    const own = ['http', 'https'].map((scheme) => `${scheme}://${host}`.toLowerCase())
    const origins = headersDistinct['origin'] ?? []
    return origins.every((origin) => own.includes(origin.toLowerCase())) ? null : 'Pages of other sites may not ask this one.'
  }

  hasToken({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): boolean {
    const given = headersDistinct['x-relevo-token'] ?? []
    return timingSafeEqual(digestOf(given.length === 1 ? (given[0] ?? '') : ''), this.#token)
  }

  #isOwn(host: string, { localAddress = '', localPort = 0 }: IncomingMessage['socket']): boolean {
    if (this.isGuarded) return host !== ''
    const address = localAddress.replace(/^::ffff:/, '')
    const names = [this.#host, address, ...(isLoopbackHost(address) ? ['localhost', '127.0.0.1', '::1'] : [])]
    return names
      .map((name) => (isIP(name) === 6 ? `[${name}]` : name))
      .some((name) => host === `${name}:${localPort}` || (localPort === 80 && host === name))
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
