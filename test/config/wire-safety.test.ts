import { describe, expect, it } from 'vitest'
import { brief, check, sound, withProfiles } from './support.ts'

const errorsOf = (profile: unknown): string[] => brief(check(withProfiles({ 'b.y': profile })).errors)

describe('HDR-02 headers', () => {
  it.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Authorization', 'Cookie', 'metadata-flavor', 'X-AWS-EC2-Metadata-Token'])(
    '%s is refused by name',
    (name) => {
      expect(errorsOf({ headers: { 'x-team': 'ops', [name]: 'v' } })).toEqual([`invalid_setting profiles.b.y.headers.${name}`])
    },
  )

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

describe('SSRF-02 endpoints', () => {
  it.each([
    'file:///etc/passwd',
    'ftp://h/',
    'h.example/v1',
    '/v1',
    'http://user:pw@h/',
    'http://169.254.169.254/latest',
    'http://0xa9.0xfe.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://metadata.google.internal/',
  ])('%s is refused', (endpoint) => expect(errorsOf({ endpoint })).toEqual(['invalid_setting profiles.b.y.endpoint']))

  it.each(['https://api.example.com/v1', 'http://10.0.0.7:8000', 'http://localhost:1234/v1', 'http://[::1]:8080'])(
    '%s is the operator’s choice',
    (endpoint) => expect(errorsOf({ endpoint, apiKey: 'k' })).toEqual([]),
  )
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
