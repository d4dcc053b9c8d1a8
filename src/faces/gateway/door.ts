import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { bareHost, isLoopbackHost } from '../../host.ts'
import { ConfigError, type GatewayKey, type GatewaySettings } from '../../index.ts'
import { type Problem, problemOf } from './problem.ts'

/**
 * Who may come in.
 *
 * 1. A request is looked at by its head alone, before its body is read and before anything is looked up for it.
 * 2. It has to name this server as its host: the page of another site can make a browser ask for a name of its own that leads here, and
 *    would read the answer (DNS rebinding). A browser that sends an origin has to send ours. Names that a proxy forwards are not asked.
 * 3. Where keys are configured, one of them has to be there, in one `Authorization: Bearer` or, without that, in one `x-api-key`. All keys
 *    are compared, by digests of one length, so that neither time nor answer says how near a guess was.
 * 4. A key that could not be read lets nobody in. Without keys whoever reaches the port comes in, and only this machine may reach it.
 */
export class Door {
  readonly #keys: readonly { readonly key: GatewayKey; readonly digest: Buffer }[]
  readonly #asksForKey: boolean
  readonly #host: string
  #names: ReadonlySet<string> | null = new Set()

  constructor({ host, keys }: Pick<GatewaySettings, 'host' | 'keys'>) {
    this.#host = bareHost(host)
    this.#asksForKey = keys.length > 0
    this.#keys = keys.flatMap((key) => (key.secret === null ? [] : [{ key, digest: digestOf(key.secret.reveal()) }]))
  }

  /** Known once the port is. */
  listensOn(port: number): void {
    this.#names = ownNames(this.#host, port)
  }

  /** Why a request is not for this server; null where it is. Asked of every request, whatever its path. */
  misdirected({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): Problem | null {
    const [host, ...others] = headersDistinct['host'] ?? []
    if (host === undefined || others.length > 0 || !this.#isOwn(host)) {
      return problemOf('permission', 'The Host header does not name this gateway: ask for it by the address that it printed.', { code: 'wrong_host' })
    }
    const origins = headersDistinct['origin'] ?? []
    // Whatever speaks TLS for us stands before us under the same name.
    const own = ['http', 'https'].map((scheme) => `${scheme}://${host}`.toLowerCase())
    if (origins.every((origin) => own.includes(origin.toLowerCase()))) return null
    return problemOf('permission', 'Pages of other sites may not ask this gateway.', { code: 'foreign_origin' })
  }

  /** Whose key it came with: null where none is asked for, a problem where it came with none that is right. */
  callerOf({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): GatewayKey | Problem | null {
    if (!this.#asksForKey) return null
    const credential = credentialIn(headersDistinct) ?? ''
    const given = digestOf(credential)
    let found: GatewayKey | null = null
    for (const { key, digest } of this.#keys) if (timingSafeEqual(digest, given)) found ??= key
    return credential === '' ? WRONG_KEY : (found ?? WRONG_KEY)
  }

  #isOwn(host: string): boolean {
    if (this.#names === null) return host !== ''
    return this.#names.has(host.toLowerCase())
  }
}

/** One body for every way of not having a key. */
const WRONG_KEY = problemOf('authentication', 'This gateway asks for a key: send one of its own as `Authorization: Bearer …` or `x-api-key`.', {
  code: 'invalid_api_key',
})

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function credentialIn(headers: IncomingMessage['headersDistinct']): string | null {
  const given = headers['authorization'] ?? headers['x-api-key'] ?? []
  const [only, ...others] = given
  if (only === undefined || others.length > 0) return null
  return headers['authorization'] === undefined ? only : (/^bearer +(\S+)$/i.exec(only)?.[1] ?? null)
}

/** What a client may write as `Host`; null: anything, since nobody knows by which names a wildcard address is reached. Keys guard that. */
function ownNames(host: string, port: number): ReadonlySet<string> | null {
  if (host === '' || host === '0.0.0.0' || (isIP(host) === 6 && WILDCARDS.check(host, 'ipv6'))) return null
  const names = ['localhost', '127.0.0.1', '[::1]', isIP(host) === 6 ? `[${host}]` : host]
  // A client leaves out the port that its scheme has anyway.
  return new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]).map((name) => name.toLowerCase()))
}

const WILDCARDS = new BlockList()
WILDCARDS.addAddress('::', 'ipv6')

/**
 * What is to be said before the gateway listens, a line each. Throws ConfigError where others than this machine could come in and nothing
 * would ask them for a key that is right.
 */
export function checkedDoor({ host, keys }: Pick<GatewaySettings, 'host' | 'keys'>): readonly string[] {
  const usable = keys.filter(({ secret }) => secret !== null).length
  if (usable === 0 && !isLoopbackHost(host)) throw openToAll(host, keys.length)
  if (keys.length === 0) return ['gateway.keys: there are none, so every program on this machine may ask. Set keys to tell who may.']
  return usable > 0 ? [] : ['gateway.keys: none of them can be read, so nobody is let in. Set the variables or files that they name.']
}

/** An address that others reach, and no key that could be asked for. */
export function openToAll(host: string, keys: number): ConfigError {
  const why = keys === 0 ? 'has no keys' : 'has no key that can be read'
  return new ConfigError([
    {
      code: 'gateway_without_keys',
      path: 'gateway.keys',
      message: `The gateway ${why}, and would listen on ${host}, which is reached from elsewhere.`,
      remedy: 'Set gateway.keys, or gateway.host to 127.0.0.1.',
    },
  ])
}
