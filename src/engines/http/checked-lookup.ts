import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { addressKind, type EndpointPolicy, hostProblem } from '../../model/address.ts'
import { refusedAddress } from './transport.ts'

/**
 * The second look at where a request goes: at what the name of its host resolves to. The first one is at the host itself (attempt.ts).
 *
 * 1. A name is resolved once for a connection, and the connection uses what was looked at: an answer that changes in between changes nothing.
 * 2. Addresses that the policy refuses are left out, so that a machine of the local network with a link-local address beside its own can
 *    still be called; where none is left, nothing is connected.
 */
export type Resolve = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export function checkedLookup(policy: EndpointPolicy, resolve: Resolve = systemLookup): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const allowed = addresses.filter(({ address }) => addressKind(address) !== null && hostProblem(address, policy) === null)
      const [first] = allowed
      if (first === undefined) callback(refusedAddress(), '')
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
