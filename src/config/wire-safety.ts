import { type EndpointPolicy, hostProblem } from '../model/address.ts'
import { ENGINE_HEADERS } from '../model/engine-headers.ts'

/**
 * What must not reach a request line, a header or an address. Each answer names the fault and never the value: the value may be a key.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Blank, or without control characters. */
export function isPlain(value: string): boolean {
  return value.trim() === '' || !CONTROL.test(value)
}

/** Whether a credential can be put into a header. */
export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value)
}

/** Why a header cannot be configured, or null. */
export function headerProblem(name: string, value: string): string | null {
  if (!HEADER_NAME.test(name)) return 'is no header name'
  if (ENGINE_HEADERS.has(name.toLowerCase())) return 'is a header that the engine itself sets'
  if (!isHeaderValue(value)) return 'has a value with a character that no header may carry'
  return null
}

/** Why an address cannot be an endpoint under the policy, or null. What its name resolves to is looked at where the engine connects. */
export function endpointProblem(endpoint: string, policy: EndpointPolicy): string | null {
  // A parser of addresses leaves line breaks out, and the one that is called is not the one that was read.
  if (CONTROL.test(endpoint)) return 'must not contain control characters'
  if (!URL.canParse(endpoint)) return 'is no address such as https://host/v1'
  const url = new URL(endpoint)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password'
  return hostProblem(url.hostname, policy)
}
