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

/** Headers that sign, frame or route a request belong to the engine: a setting must not displace them. */
const REFUSED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'metadata',
  'metadata-flavor',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-aws-ec2-metadata-token',
  'x-google-metadata-request',
])

/** Why a header cannot be configured, or null. */
export function headerProblem(name: string, value: string): string | null {
  if (!HEADER_NAME.test(name)) return 'is no header name'
  if (REFUSED_HEADERS.has(name.toLowerCase())) return 'is a header that the engine itself sets'
  if (!isHeaderValue(value)) return 'has a value with a character that no header may carry'
  return null
}

/**
 * Why an address cannot be an endpoint, or null. Loopback and private hosts are the operator's to choose; link-local ones, where a
 * cloud machine's own credentials are served, are refused always.
 */
export function endpointProblem(endpoint: string): string | null {
  if (!URL.canParse(endpoint)) return 'is no address such as https://host/v1'
  const url = new URL(endpoint)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password'
  if (isLinkLocal(url.hostname)) return 'is a link-local or metadata address'
  return null
}

/** Every 169.254.0.0/16 and fe80::/10 address, written as IPv4, IPv6 or IPv4 in IPv6 (mapped, compatible, translated), and the named metadata hosts. */
function isLinkLocal(host: string): boolean {
  if (/^169\.254\./.test(host) || /^\[(?:::|::ffff:|64:ff9b::)a9fe:/.test(host)) return true
  return /^\[fe[89ab][0-9a-f]:/.test(host) || host === '[fd00:ec2::254]' || /^metadata\.google\.internal\.?$/.test(host)
}
