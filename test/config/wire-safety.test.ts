import { describe, expect, it } from 'vitest'
import { brief, check, sound, withProfiles } from './support.ts'

const errorsOf = (profile: unknown): string[] => brief(check(withProfiles({ 'b.y': profile })).errors)

describe('HDR-02 headers', () => {
  it.each([
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Authorization',
    'Cookie',
    'metadata-flavor',
    'X-AWS-EC2-Metadata-Token',
    'Metadata',
    'TE',
    'Upgrade',
    'Keep-Alive',
    'Proxy-Authorization',
    'Expect',
  ])('%s is refused by name', (name) => {
    const { errors } = check(withProfiles({ 'b.y': { headers: { 'x-team': 'ops', [name]: 'v-canary' } } }))
    expect(brief(errors)).toEqual([`invalid_setting profiles.b.y.headers.${name}`])
    expect(errors[0]?.message).toContain(name)
    expect(JSON.stringify(errors)).not.toContain('v-canary')
  })

  it('HDR-01 a line break in a value or a name is refused', () => {
    expect(errorsOf({ headers: { 'x-team': 'v\r\nx-evil: 1' } })).toEqual(['invalid_setting profiles.b.y.headers.x-team'])
    expect(errorsOf({ headers: { 'x team': 'v' } })).toEqual(['invalid_setting profiles.b.y.headers.x team'])
  })

  it('HDR-01 a line break in a model or a hint is refused', () => {
    expect(errorsOf({ model: 'm\r\nx: 1' })).toEqual(['invalid_setting profiles.b.y.model'])
    expect(brief(check(withProfiles({}, { modelRoutes: [{ hint: 'a\nb', modelProvider: 'a.x', model: 'm1' }] })).errors)).toContain(
      'invalid_setting modelRoutes[0].hint',
    )
  })

  it('an encoding that the engine does not read cannot be asked for', () => {
    expect(errorsOf({ headers: { 'Accept-Encoding': 'gzip' } })).toEqual(['invalid_setting profiles.b.y.headers.Accept-Encoding'])
  })

  it('ordinary headers stay', () => {
    const headers = { 'x-title': 'Ops team', 'anthropic-beta': 'a,b', 'api-key': 'v' }
    expect(sound(withProfiles({ 'b.y': { headers } })).profiles.get('b.y')?.headers).toEqual(headers)
  })
})

/** As the check has them, and every other way that a reader of addresses knows to write the same. */
const FULL_WIDTH = '\uff11\uff12\uff17.0.0.1'
const NEVER = [
  'file:///etc/passwd',
  'ftp://h/',
  'h.example/v1',
  '/v1',
  'http://user:pw@h/',
  'http://user@h/',
  'http://h/v1\r\nx-evil: 1',
  'http://169.254.\n169.254/',
  'http://169.254.169.254/latest',
  'http://0xa9.0xfe.169.254/',
  'http://2852039166/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::169.254.169.254]/',
  'http://[::ffff:0:169.254.169.254]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fd20:ce::254]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://metadata.google.internal/',
  'http://METADATA.google.internal./',
]
const OF_THIS_MACHINE = [
  'http://127.0.0.1:1234/v1',
  'http://127.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://0177.0.0.1',
  `http://${FULL_WIDTH}/`,
  'http://localhost:1234/v1',
  'http://LOCALHOST',
  'http://localhost.',
  'http://api.localhost',
  'http://[::1]:8080',
  'http://[::ffff:127.0.0.1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
]
const NOT_PUBLIC = [
  'http://0.0.0.0',
  'http://0/',
  'http://[::]',
  'http://10.0.0.7:8000',
  'http://172.16.0.1',
  'http://172.31.255.255',
  'http://192.168.1.1',
  'http://100.64.0.1',
  'http://198.18.0.1',
  'http://224.0.0.1',
  'http://255.255.255.255',
  'http://[fc00::1]',
  'http://[fdab::1]',
  'http://[fec0::1]',
  'http://[ff02::1]',
  'http://[::ffff:10.0.0.7]',
  'http://[64:ff9b:1::1]',
  'http://[2001:db8::1]',
  'http://[2001::1]',
  'http://[3fff::1]',
  'http://[100::1]',
]
const PUBLIC = [
  'https://api.example.com/v1',
  'https://127.evil.example',
  'https://localhost.example',
  'https://93.184.216.34',
  'https://172.32.0.1',
  'https://100.128.0.1',
  'https://[2606:2800:220:1::1]',
  'https://[2001:4860::8888]',
  'https://[::ffff:93.184.216.34]',
]

describe('SSRF-02 an endpoint that leads inside', () => {
  const under = (endpoints: string, endpoint: string) => brief(check(withProfiles({ 'b.y': { endpoint, apiKey: 'k' } }, { endpoints })).errors)
  const REFUSED = ['invalid_setting profiles.b.y.endpoint']

  it.each(NEVER)('%j is refused always', (endpoint) => {
    expect(under('local-allowed', endpoint)).toEqual(REFUSED)
    expect(under('public-only', endpoint)).toEqual(REFUSED)
  })

  it.each([...OF_THIS_MACHINE, ...NOT_PUBLIC])('%s is the operator’s choice, unless endpoints are public-only', (endpoint) => {
    expect(errorsOf({ endpoint, apiKey: 'k' })).toEqual([])
    expect(under('local-allowed', endpoint)).toEqual([])
    expect(under('public-only', endpoint)).toEqual(REFUSED)
  })

  it.each(PUBLIC)('%s may be called under either', (endpoint) => {
    expect(under('local-allowed', endpoint)).toEqual([])
    expect(under('public-only', endpoint)).toEqual([])
  })

  it('the usual address of a family is asked as well, and the finding says what to do', () => {
    const { errors } = check(withProfiles({ 'ollama.a': { model: 'm' } }, { endpoints: 'public-only' }))
    expect(errors).toEqual([
      {
        code: 'invalid_setting',
        path: 'profiles.ollama.a.endpoint',
        message: '`profiles.ollama.a.endpoint` is this machine, and `endpoints` is public-only.',
        remedy: 'Give the profile a public address, or set `endpoints` to "local-allowed".',
      },
    ])
  })

  it('the policy goes with every profile to whoever connects', () => {
    const policies = (more: Readonly<Record<string, unknown>>) =>
      [...sound(withProfiles({ 'b.y': {} }, more)).profiles.values()].map((profile) => profile.endpointPolicy)
    expect(policies({})).toEqual(['local-allowed', 'local-allowed'])
    expect(policies({ endpoints: 'public-only' })).toEqual(['public-only', 'public-only'])
    expect(brief(check(withProfiles({}, { endpoints: 'any' })).errors)).toEqual(['invalid_setting endpoints'])
  })
})

describe('FS-05 tricks with keys', () => {
  it('an own __proto__ is refused wherever it stands', () => {
    const config = JSON.parse('{"primary":"a.x","__proto__":{"b":1},"profiles":{"a.x":{"model":"m1","apiKey":"k"},"__proto__":{"model":"m"}}}')
    expect(brief(check(config).errors)).toEqual(['unknown_setting __proto__', 'unknown_setting profiles.__proto__'])
  })

  it('names of Object.prototype are neither profiles nor settings', () => {
    expect(brief(check(withProfiles({}, { primary: 'constructor' })).errors)).toEqual(['unknown_primary primary'])
    expect(brief(check(withProfiles({}, { constructor: 1 })).errors)).toEqual(['unknown_setting constructor'])
  })

  it('a circle or an endless nest ends in a finding', () => {
    const circle: Record<string, unknown> = { primary: 'a.x' }
    circle['profiles'] = circle
    expect(check(circle).settings).toBeNull()
    let nest: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) nest = [nest]
    expect(brief(check(withProfiles({}, { endMarkers: nest })).errors)).toEqual(['invalid_setting endMarkers[0]'])
  })
})
