import { describe, expect, onTestFinished, test } from 'vitest'
import { LOOPBACK_PROTOCOLS, type LoopbackProtocol } from '../../src/engines/loopback/voices.ts'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import { type LoopbackScript, startLoopbackProvider } from '../../src/testing.ts'
import { canary, type Field, stage } from './canary-rig.ts'

/** A provider that knows every secret of the settings and says them wherever it may say anything. */
const FORMS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => value.toLowerCase(),
  encodeURIComponent,
  (value) => Buffer.from(`user:${value}`).toString('base64'),
  (value) => JSON.stringify(JSON.stringify([value])),
]

const OF_A_REQUEST = ['first of a pool', 'second of a pool', 'header', 'query', 'body', 'route'] as const

/** Each secret in another form than its neighbour. */
const said = (fields: readonly Field[], shift: number): string =>
  fields.map((field, index) => FORMS[(index + shift) % FORMS.length]?.(canary(field))).join(' ')

function settings(endpoint: string, api: string): KernelConfig {
  const query = new URLSearchParams({ key: canary('query') })
  const profile = {
    api,
    endpoint: `${endpoint}?${query}`,
    headers: { 'x-gateway': `Bearer ${canary('header')}` },
    body: { metadata: { auth: { token: canary('body') } } },
  }
  return {
    primary: 'a.x',
    profiles: { 'a.x': { ...profile, model: 'm1', apiKeys: [canary('first of a pool'), canary('second of a pool')] } },
    modelRoutes: [{ hint: 'h', modelProvider: 'a.x', model: 'm1', apiKey: canary('route') }],
    reliability: { jitter: 0, providerRetries: 0, providerBackoffMs: 1, onAllHeld: 'fail' },
  }
}

/** What must have been looked through for the absence of a leak to say anything. */
const OUTPUTS = [
  ...['turn.started', 'attempt.started', 'attempt.failed', 'turn.ended', 'outcome', 'error', 'turn', 'plan', 'holds', 'rows', 'warnings', 'kernel'],
  ...['log fields', 'log line', 'ledger.jsonl', 'persisted snapshot', 'actor'],
  ...['@xstate.actor', '@xstate.event', '@xstate.snapshot', '@xstate.microstep', '@xstate.action'],
]

/** Everything that a provider may say of itself, by how it is asked. */
const PLACES = (words: string): LoopbackScript[string] => ({
  stream: [
    { http: 401, body: { error: { message: words, type: words, code: words, status: words, param: words } } },
    { http: 429, headers: { 'retry-after': words, 'x-ratelimit-reset': words, 'x-request-id': words, 'www-authenticate': words }, body: words },
    { http: 400, body: { error: { message: `${'x'.repeat(470)} ${words}` } } },
    { http: 307, headers: { location: `http://127.0.0.1:1/?${encodeURIComponent(words)}` } },
    { events: [{ text: 'Begun.' }, { error: { http: 529, message: words } }] },
    { fault: { kind: 'error200', http: 500, message: words } },
  ],
  call: [
    { http: 403, body: words },
    { http: 503, headers: { 'content-type': 'text/html' }, body: `<h1>${words}</h1>` },
    { fault: { kind: 'error200', http: 500, message: words } },
  ],
})

describe.each(LOOPBACK_PROTOCOLS.map((api) => [api]))('%s', (api: LoopbackProtocol) => {
  test('SEC-01 SEC-04 SEC-05 no output of any kind repeats what a provider says of the secrets of a request', async () => {
    const places = FORMS.map((_, shift) => PLACES(said(OF_A_REQUEST, shift))).slice(0, api === 'openai-chat' ? undefined : 1)
    const script = { 'a.x/m1': { stream: places.flatMap(({ stream = [] }) => stream), call: places.flatMap(({ call = [] }) => call) } }
    const provider = await startLoopbackProvider({ script, protocol: api })
    onTestFinished(() => provider.close())
    const { kernel, witness, turn, close } = stage(settings(provider.endpoint('a.x'), api))
    const left = (mode: 'stream' | 'call'): number =>
      script['a.x/m1'][mode].length - provider.requests.filter((request) => request.mode === mode && !request.unscripted).length
    const kinds = new Set<string>()
    for (let turns = 0; left('stream') > 0 || left('call') > 0; turns++) {
      const { kind } = await turn({ stream: left('stream') > 0, ...(turns % 2 === 0 ? {} : { model: 'hint:h' }) })
      kinds.add(kind)
      for (const { key } of kernel.holds()) kernel.clearHold(key)
    }
    await close()
    expect(witness.leaks).toEqual([])
    expect([...kinds].sort()).toEqual(['all_held', 'exhausted', 'interrupted'])
    expect([...OUTPUTS].filter((output) => !witness.heard.has(output))).toEqual([])
  })
})
