import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bedrockConverse } from '../../../src/engines/http/bedrock-converse/protocol.ts'
import { httpEngine } from '../../../src/engines/http/engine.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { Secret } from '../../../src/model/secret.ts'
import { virtualClock } from '../../../src/simulate/virtual-clock.ts'
import { profileOf, requestOf } from './request.ts'

/** The example key of AWS's documentation; it opens nothing. */
const ID = 'AKIAIOSFODNN7EXAMPLE'
const KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const TOKEN = 'FwoGZXIvYXdzEXAMPLETOKEN//////////wEaD=='
const NOW = Date.UTC(2026, 2, 1, 12, 34, 56, 789)
const ENDPOINT = 'https://bedrock-runtime.eu-central-1.amazonaws.com'
const MODEL = 'eu.anthropic.claude-sonnet-4-6-v1:0'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

interface Signable {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly at: string
  readonly region: string
  readonly service: string
  readonly id: string
  readonly key: string
}

/** Signature Version 4 after AWS's description of it, apart from the library that the engine uses. Every path segment is encoded once more. */
function signature({ method, path, headers, body, at, region, service, id, key }: Signable): string {
  const names = Object.keys(headers).sort()
  const encodedPath = path
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/')
  const canonical = [method, encodedPath, '', ...names.map((name) => `${name}:${headers[name]}`), '', names.join(';'), sha256(body)].join('\n')
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`
  const derived = [at.slice(0, 8), region, service, 'aws4_request'].reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${key}`)
  const signed = hmac(derived, ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signed}`
}

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One attempt over a fetch that keeps what was sent and answers what it is told to. */
async function sent(secret: string, endpoint: string, answer: () => Response, headers: Record<string, string> = {}) {
  const requests: Sent[] = []
  const fetch = (async (url: unknown, init?: RequestInit) => {
    requests.push({ url: String(url), headers: Object.fromEntries(new Headers(init?.headers)), body: String(init?.body) })
    return answer()
  }) as typeof globalThis.fetch
  const events: ProviderEvent[] = []
  const profile = profileOf({ id: 'bedrock.eu', family: 'bedrock', api: 'bedrock-converse', endpoint, headers })
  const request = requestOf({ profile, model: MODEL, mode: 'call', secret: new Secret(secret), clock: virtualClock(NOW) })
  await new Promise<void>((resolve) => {
    httpEngine(bedrockConverse, { fetch })
      .attempt(request)
      .subscribe({ next: (event) => events.push(event), complete: resolve })
  })
  return { requests, events, told: JSON.stringify(events) }
}

const ok = () =>
  new Response('{"output":{"message":{"role":"assistant","content":[{"text":"hi"}]}},"stopReason":"end_turn"}', {
    headers: { 'content-type': 'application/json' },
  })

describe('the computation that the engine is held against', () => {
  const vector = { path: '/', body: '', at: '20150830T123600Z', region: 'us-east-1', service: 'service', id: 'AKIDEXAMPLE' }
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' }
  it.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('agrees with the vector that AWS publishes for a plain %s', (method, expected) => {
    const key = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
    expect(signature({ ...vector, headers, method, key }).split('Signature=')[1]).toBe(expected)
  })
})

describe('a key pair signs by Signature Version 4, at the time of the clock', () => {
  const AT = '20260301T123456Z'
  it.each([
    ['a pair', `${ID}:${KEY}`, {}],
    ['a pair with the token of a session', `${ID}:${KEY}:${TOKEN}`, { 'x-amz-security-token': TOKEN }],
  ])('%s', async (_what, secret, more) => {
    const { requests, events } = await sent(secret, ENDPOINT, ok)
    expect(events.at(-1)).toMatchObject({ type: 'final' })
    const [request] = requests
    expect(request?.url).toBe(`${ENDPOINT}/model/eu.anthropic.claude-sonnet-4-6-v1%3A0/converse`)
    expect(request?.headers).toMatchObject({ 'x-amz-date': AT, ...more })
    const expected = signature({
      method: 'POST',
      path: new URL(request?.url ?? '').pathname,
      headers: { host: 'bedrock-runtime.eu-central-1.amazonaws.com', 'content-type': 'application/json', 'x-amz-date': AT, ...more },
      body: request?.body ?? '',
      at: AT,
      region: 'eu-central-1',
      service: 'bedrock',
      id: ID,
      key: KEY,
    })
    expect(request?.headers.authorization).toBe(expected)
  })

  it('signs every x-amz- header of the profile, and none that a proxy may change', async () => {
    const { requests } = await sent(`${ID}:${KEY}`, ENDPOINT, ok, { 'X-Amz-Trace': 'a', 'x-team': 'b' })
    expect(requests[0]?.headers['x-team']).toBe('b')
    expect(requests[0]?.headers.authorization).toContain('SignedHeaders=content-type;host;x-amz-date;x-amz-trace,')
  })

  it.each([
    ['https://bedrock-runtime.us-east-1.amazonaws.com', 'us-east-1'],
    ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['https://bedrock-runtime.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['https://bedrock-runtime.eusc-de-east-1.amazonaws.eu', 'eusc-de-east-1'],
    ['https://bedrock-runtime.ap-southeast-2.api.aws', 'ap-southeast-2'],
    ['https://vpce-0a1-b2.bedrock-runtime.us-west-2.vpce.amazonaws.com', 'us-west-2'],
  ])('%s is signed for %s', async (endpoint, region) => {
    const { requests } = await sent(`${ID}:${KEY}`, endpoint, ok)
    expect(requests[0]?.headers.authorization).toContain(`Credential=${ID}/20260301/${region}/bedrock/aws4_request`)
  })

  it.each([
    'http://127.0.0.1:9/v1',
    'https://bedrock-runtime.us-east-1.amazonaws.com.example.org',
    'https://bedrock-runtime.evil.example.org/us-east-1.amazonaws.com',
    'https://notbedrock-runtime.us-east-1.amazonaws.com',
    'https://bedrock.us-east-1.amazonaws.com',
  ])('%s names no region: nothing is sent, and the failure says what to do', async (endpoint) => {
    const { requests, events, told } = await sent(`${ID}:${KEY}:${TOKEN}`, endpoint, ok)
    expect(requests).toEqual([])
    expect(events).toMatchObject([{ type: 'failed', failure: { kind: 'invalid_request', phase: 'connect' } }])
    expect(told).toContain('the host of profile bedrock.eu names no region to sign for: call bedrock-runtime.REGION.amazonaws.com')
  })

  it.each([`${ID}:`, `:${KEY}`, `${ID}:${KEY}:`, `${ID}:${KEY}:${TOKEN}:more`, '::'])('%j is no pair: nothing is sent', async (secret) => {
    const { requests, events, told } = await sent(secret, ENDPOINT, ok)
    expect(requests).toEqual([])
    expect(events).toMatchObject([{ type: 'failed', failure: { kind: 'invalid_request', phase: 'connect' } }])
    expect(told).toContain('the key of profile bedrock.eu is no pair: write ACCESS_KEY_ID:SECRET_ACCESS_KEY')
    for (const part of [ID, KEY, TOKEN]) expect(told).not.toContain(part)
  })
})

describe('an API key is a bearer token', () => {
  it('at any address', async () => {
    for (const endpoint of [ENDPOINT, 'http://127.0.0.1:9/v1']) {
      const { requests } = await sent('bedrock-api-key-YmVkcm9jaw==', endpoint, ok)
      expect(requests[0]?.headers.authorization).toBe('Bearer bedrock-api-key-YmVkcm9jaw==')
      expect(requests[0]?.headers).not.toHaveProperty('x-amz-date')
    }
  })
})

describe('R11 no part of a key stands in a failure', () => {
  it.each([
    ['the id', ID],
    ['the secret', KEY],
    ['the token', TOKEN],
    ['all of it', `${ID}:${KEY}:${TOKEN}`],
  ])('%s, when the provider repeats it', async (_what, echoed) => {
    const body = JSON.stringify({ message: `The canonical request was x-amz-security-token:${echoed}\nhost`, __type: `Bad${echoed}` })
    const { told } = await sent(`${ID}:${KEY}:${TOKEN}`, ENDPOINT, () => new Response(body, { status: 403 }))
    expect(told).toContain('[redacted]')
    for (const part of [ID, KEY, TOKEN]) expect(told).not.toContain(part)
  })
})
