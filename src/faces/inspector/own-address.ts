import type { IncomingHttpHeaders } from 'node:http'

/** Names under which a server that is bound to loopback is asked for. */
const OWN_NAMES = ['127.0.0.1', 'localhost']

/**
 * Whether a request was meant for this server: a page of another site can make a browser ask it, and with a name of its own for this address
 * read the answer too (DNS rebinding). What is no browser sends no origin.
 */
export function isForOwnAddress({ host, origin }: IncomingHttpHeaders, port: number): boolean {
  const own = OWN_NAMES.map((name) => `${name}:${port}`)
  if (host === undefined || !own.includes(host.toLowerCase())) return false
  return origin === undefined || own.some((each) => origin === `http://${each}`)
}
