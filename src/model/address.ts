/**
 * Where a host leads, as far as its text says it: an address of IPv4 or IPv6 in the form that `URL` and resolvers give it, or a name.
 *
 * 1. An address inside another (mapped, compatible, translated, 6to4) is the inner one: that is where the connection ends up.
 * 2. What is no address of the public internet is private: lists of what is private miss what nobody thought of.
 * 3. A name says nothing about its addresses, but for those that mean one machine by definition. Whoever connects looks again at what it
 *    resolves to.
 */
export type AddressKind =
  | 'public'
  /** Of a private network, or reserved. */
  | 'private'
  | 'loopback'
  /** Link-local, or where a cloud hands its own credentials to the machine. */
  | 'metadata'

/** Which hosts an engine may connect to. `metadata` ones never; `public-only` refuses those of this machine and of private networks too. */
export type EndpointPolicy = 'local-allowed' | 'public-only'

/** Why nothing may connect to the host under the policy, in words that follow it, or null. */
export function hostProblem(host: string, policy: EndpointPolicy): string | null {
  const kind = addressKind(host) ?? nameKind(host)
  if (kind === 'metadata') return 'is a link-local or metadata address'
  if (policy === 'local-allowed' || kind === 'public') return null
  return kind === 'loopback' ? 'is this machine, and `endpoints` is public-only' : 'is no public address, and `endpoints` is public-only'
}

/** The kind of an address (IPv6 with or without brackets and zone); null when the text is a name. */
export function addressKind(text: string): AddressKind | null {
  if (DOTTED.test(text)) return kindOfIpv4(text.split('.').map(Number))
  const groups = ipv6Groups(text)
  return groups === null ? null : kindOfIpv6(groups)
}

/**
 * Whether nothing but this machine reaches a server that is bound there, or is reached by it: an address in any spelling, or `localhost`. Of
 * other names nobody can know.
 */
export function isLoopbackHost(host: string): boolean {
  const name = bareHost(host).toLowerCase()
  return addressKind(name) === 'loopback' || name === 'localhost' || name === 'localhost.'
}

/** `::1` of `[::1]`. */
export function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

/** Names of which the addresses are known without a resolver; every other one may be public. */
function nameKind(host: string): AddressKind {
  const name = host.toLowerCase().replace(/\.+$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  return name === 'metadata.google.internal' || name === 'metadata.goog' ? 'metadata' : 'public'
}

const DOTTED = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

type Bytes = readonly number[]

/** Address, and how many of its bits count; the first that fits decides. Metadata: of AWS and most others, Alibaba, Oracle, Azure. */
const IPV4: readonly (readonly [address: Bytes, bits: number, kind: AddressKind])[] = [
  [[169, 254, 0, 0], 16, 'metadata'],
  [[100, 100, 100, 200], 32, 'metadata'],
  [[192, 0, 0, 192], 32, 'metadata'],
  [[168, 63, 129, 16], 32, 'metadata'],
  [[127, 0, 0, 0], 8, 'loopback'],
  [[0, 0, 0, 0], 8, 'private'],
  [[10, 0, 0, 0], 8, 'private'],
  [[100, 64, 0, 0], 10, 'private'],
  [[172, 16, 0, 0], 12, 'private'],
  [[192, 0, 0, 0], 24, 'private'],
  [[192, 0, 2, 0], 24, 'private'],
  [[192, 88, 99, 0], 24, 'private'],
  [[192, 168, 0, 0], 16, 'private'],
  [[198, 18, 0, 0], 15, 'private'],
  [[198, 51, 100, 0], 24, 'private'],
  [[203, 0, 113, 0], 24, 'private'],
  [[224, 0, 0, 0], 3, 'private'],
]

function kindOfIpv4(address: Bytes): AddressKind {
  const value = number(address)
  const found = IPV4.find(([base, bits]) => value >>> (32 - bits) === number(base) >>> (32 - bits))
  return found?.[2] ?? 'public'
}

function number([a = 0, b = 0, c = 0, d = 0]: Bytes): number {
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}

/** The eight groups of an IPv6 address, or null. `URL` knows every way to write one, and writes them all alike. */
function ipv6Groups(text: string): Bytes | null {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const address = `http://[${bare}]/`
  if (!bare.includes(':') || !URL.canParse(address)) return null
  const [head = '', tail] = new URL(address).hostname.slice(1, -1).split('::')
  const first = groupsOf(head)
  const last = groupsOf(tail ?? '')
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

function kindOfIpv6(groups: Bytes): AddressKind {
  const inner = ipv4Inside(groups)
  if (inner !== null) return kindOfIpv4(inner)
  const [first = 0, second = 0] = groups
  if (isMetadata(groups)) return 'metadata'
  if (groups.every((group, at) => group === (at === 7 ? 1 : 0))) return 'loopback'
  // Global unicast is 2000::/3 alone, without what is reserved in it: 2001::/23 (Teredo, ORCHID), and the two ranges of documentation.
  const isGlobal = first >>> 13 === 1
  const isReserved = (first === 0x2001 && (second < 0x200 || second === 0xdb8)) || (first === 0x3fff && second < 0x1000)
  return isGlobal && !isReserved ? 'public' : 'private'
}

/** fe80::/10, and what AWS (fd00:ec2::254 and its neighbours) and Google (fd20:ce::254) serve to their machines. */
function isMetadata(groups: Bytes): boolean {
  const [first = 0, second = 0] = groups
  if (first >>> 6 === 0xfe80 >>> 6) return true
  const isShort = groups.slice(2, 7).every((group) => group === 0)
  return isShort && ((first === 0xfd00 && second === 0xec2) || (first === 0xfd20 && second === 0xce))
}

/** The IPv4 address inside: mapped (::ffff:), compatible (::), translated (::ffff:0: and 64:ff9b::) or of 6to4 (2002:). */
function ipv4Inside(groups: Bytes): Bytes | null {
  const [first = 0, second = 0, third = 0] = groups
  if (first === 0x2002) return bytesOf(second, third)
  const prefix = groups.slice(0, 6).join(':')
  if (!EMBEDDING.has(prefix)) return null
  const [high = 0, low = 0] = groups.slice(6)
  return prefix === '0:0:0:0:0:0' && high === 0 && low <= 1 ? null : bytesOf(high, low)
}

const EMBEDDING: ReadonlySet<string> = new Set(['0:0:0:0:0:0', '0:0:0:0:0:65535', '0:0:0:0:65535:0', `${0x64}:${0xff9b}:0:0:0:0`])

function bytesOf(high: number, low: number): Bytes {
  return [high >>> 8, high & 255, low >>> 8, low & 255]
}
