import { hostProblem } from '../../model/address.ts'
import { type Failure, failure } from '../../model/failure.ts'
import { CannotSend } from '../cannot-send.ts'
import type { AttemptRequest } from '../contract.ts'
import { classifyErrno } from './failure.ts'
import { passedBody, passedHeaders, passingOf } from './pass/passed-request.ts'
import { type HttpProtocol, type Signature, withOwnFields } from './protocol.ts'
import { ownOptions } from './transcript.ts'
import { REFUSED_ADDRESS, type WireRequest } from './transport.ts'

/** The request as it goes over the wire, or the failure that it cannot be written. A promise where signing takes one. */
export function writeRequest(protocol: HttpProtocol, request: AttemptRequest): WireRequest | Failure | Promise<WireRequest | Failure> {
  const { profile, mode, options } = request
  if (profile.endpoint === null || !URL.canParse(profile.endpoint)) return refused(`profile ${profile.id} has no address to call`)
  const own = Object.fromEntries(Object.entries(profile.headers).map(([name, value]) => [name.toLowerCase(), value]))
  const ours = { 'content-type': 'application/json', accept: mode === 'stream' ? protocol.streamType : 'application/json', 'user-agent': 'relevo' }
  const headers: Record<string, string> = Object.assign({}, passedHeaders(protocol, request), ours, protocol.headers, own)
  let unsigned: WireRequest
  let signature: Signature | Promise<Signature>
  try {
    const passing = passingOf(protocol, request)
    const asked = passing === null ? protocol.encode(request) : passedBody(passing, request)
    const body = JSON.stringify(withOwnFields(asked, [profile.body, ownOptions(request, options.providerOptions)]))
    const url = new URL(protocol.address(profile.endpoint, request))
    // Here for every transport: no resolver sees an address that stands in place of a name.
    if (hostProblem(url.hostname, profile.endpointPolicy) !== null) return classifyErrno(REFUSED_ADDRESS, 'connect')
    unsigned = { url, policy: profile.endpointPolicy, headers, body }
    signature = protocol.sign(request, unsigned)
  } catch (error) {
    return refused(error instanceof CannotSend ? error.message : 'the request cannot be written as JSON')
  }
  return signature instanceof Promise ? signature.then((made) => signed(unsigned, made, profile.id)) : signed(unsigned, signature, profile.id)
}

function signed(unsigned: WireRequest, signature: Signature, profile: string): WireRequest | Failure {
  const headers: Record<string, string> = Object.assign({}, unsigned.headers, signature)
  const broken = Object.keys(headers).find((name) => !HEADER_VALUE.test(headers[name] ?? ''))
  if (broken !== undefined) return refused(`header ${broken} of profile ${profile} holds a character that no header may carry`)
  return { ...unsigned, headers }
}

export function whyUnsigned(error: unknown): string {
  if (error instanceof CannotSend) return error.message
  return `the request cannot be signed: ${error instanceof Error ? error.message : 'unknown reason'}`
}

/** A request that cannot be written for this entry. */
export function refused(what: string): Failure {
  return failure('invalid_request', 'connect', what)
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
