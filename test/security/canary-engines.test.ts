import { Observable, of } from 'rxjs'
import { describe, expect, test } from 'vitest'
import type { AttemptRequest, Engine } from '../../src/engines/contract.ts'
import { failure } from '../../src/model/failure.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import type { Profile } from '../../src/model/settings.ts'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import { canary, stage, Witness } from './canary-rig.ts'

/** Engines of a host that let out, in every way there is, what they were given to sign a request with. */
const CONFIG: KernelConfig = {
  primary: 'a.x',
  profiles: {
    'a.x': {
      api: 'openai-chat',
      model: 'm1',
      endpoint: `https://provider.example/v1?key=${encodeURIComponent(canary('query'))}`,
      apiKey: canary('apiKey'),
      headers: { 'x-gateway': `Bearer ${canary('header')}` },
      body: { auth: [canary('body')] },
    },
  },
  modelRoutes: [{ hint: 'h', modelProvider: 'a.x', model: 'm1', apiKey: canary('route') }],
  reliability: { jitter: 0, providerRetries: 0 },
}

const keyOf = ({ secret, profile }: AttemptRequest): string =>
  [
    secret?.reveal(),
    profile.credentials[0]?.secret?.reveal(),
    profile.endpoint,
    ...Object.values(profile.headers),
    JSON.stringify(profile.body),
  ].join(' ')

const KEPT: unique symbol = Symbol('kept')

/** An error as HTTP clients make them: the whole request hangs on it. */
class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly config: object
  readonly request: object
  readonly [KEPT]: string

  constructor(key: string) {
    super(`request failed with ${key}`, { cause: new AggregateError([new Error(key)], key) })
    this.config = { headers: { authorization: `Bearer ${key}`, [key]: 1 } }
    this.request = new (class Socket {
      readonly header = `POST / HTTP/1.1\r\nauthorization: Bearer ${key}`
    })()
    this[KEPT] = key
  }
}

const streamOf =
  (play: (out: { next: (event: ProviderEvent) => void; error: (error: unknown) => void }, request: AttemptRequest) => (() => void) | undefined) =>
  (request: AttemptRequest) =>
    new Observable<ProviderEvent>((out) => play(out, request))

const TEXT: ProviderEvent = { type: 'text', text: 'Begun.' }

const ENGINES: readonly (readonly [string, Engine['attempt'], string])[] = [
  [
    'throws',
    (request) => {
      throw new ClientError(keyOf(request))
    },
    'exhausted',
  ],
  [
    'throws a text',
    (request) => {
      throw keyOf(request)
    },
    'exhausted',
  ],
  ['raises', streamOf((out, request) => void out.error(new ClientError(keyOf(request)))), 'exhausted'],
  [
    'throws in its subscription',
    streamOf((_, request) => {
      throw new ClientError(keyOf(request))
    }),
    'exhausted',
  ],
  [
    'raises after text',
    streamOf((out, request) => {
      out.next(TEXT)
      out.error(new ClientError(keyOf(request)))
      return undefined
    }),
    'interrupted',
  ],
  ['says what is no event', streamOf((out, request) => void out.next({ type: keyOf(request) } as never)), 'cancelled'],
  [
    'says an event that throws',
    streamOf((out, request) => {
      const event = {
        get type(): never {
          throw new ClientError(keyOf(request))
        },
      }
      out.next(event as never)
      return undefined
    }),
    'exhausted',
  ],
  [
    'fails with more than a failure has',
    streamOf((out, request) => {
      const key = keyOf(request)
      const more = {
        code: request.secret?.reveal() ?? '',
        headers: { authorization: key },
        cause: new ClientError(key),
        response: new ClientError(key),
      }
      out.next({ type: 'failed', failure: { ...failure('auth', 'call', key), ...more } })
      return undefined
    }),
    'exhausted',
  ],
  [
    'fails with what is no failure',
    streamOf((out, request) => void out.next({ type: 'failed', failure: { message: { key: keyOf(request) } } } as never)),
    'exhausted',
  ],
  ['fails with nothing', streamOf((out) => void out.next({ type: 'failed' } as never)), 'exhausted'],
  [
    'ends with a finish and models of its own',
    streamOf((out, request) => {
      const usage = { input: 1, output: 1 }
      out.next(TEXT)
      out.next({
        type: 'iterations',
        iterations: [
          { model: keyOf(request), usage },
          { model: keyOf(request), usage },
        ],
      })
      out.next({ type: 'final', finish: keyOf(request), terminated: true })
      return undefined
    }),
    'ok',
  ],
  [
    'throws when it is let go',
    streamOf((_, request) => () => {
      throw new ClientError(keyOf(request))
    }),
    'cancelled',
  ],
]

describe('an engine of a host that', () => {
  test.each(ENGINES)('SEC-01 SEC-04 SEC-05 %s: nothing of it is in any output', async (_, attempt, kind) => {
    const { witness, turn, close } = stage(CONFIG, { engines: () => ({ attempt }) })
    const cancelled = (type: string): boolean => kind === 'cancelled' && type === 'attempt.started'
    const { kind: ended } = await turn({ model: 'hint:h' }, (type, { cancel }) => cancelled(type) && setImmediate(cancel))
    await close()
    expect(ended).toBe(kind)
    expect(witness.leaks).toEqual([])
  })
})

test.each(['EMPTY', 'empty', 'call', '429', 'ollama', '1'])(
  'a key that is a word or a number changes no failure but its words: %s',
  async (apiKey) => {
    const told = failure('empty', 'call', `empty, said ${apiKey}`, { status: 429, retryAfterMs: 0 })
    const { turn } = stage(
      { ...CONFIG, modelRoutes: [], profiles: { 'a.x': { api: 'openai-chat', model: 'm1', apiKey } } },
      { engines: () => ({ attempt: () => of<ProviderEvent[]>({ type: 'failed', failure: told }) }) },
    )
    const { kind, failures } = await turn()
    expect([kind, failures[0]?.kind]).toEqual(['exhausted', 'empty'])
  },
)

describe('a resolver of a host that throws', () => {
  const thrownBy = (profile: Profile): ClientError =>
    new ClientError([profile.credentials[0]?.secret?.reveal(), profile.endpoint, ...Object.values(profile.headers)].join(' '))

  test('SEC-01 SEC-04 SEC-05 when a turn starts: nothing of it is in the defect, its cause or the log', async () => {
    let isBroken = false
    const engines = (profile: Profile): Engine => {
      if (isBroken) throw thrownBy(profile)
      return { attempt: () => new Observable() }
    }
    const { witness, turn, close } = stage(CONFIG, { engines })
    isBroken = true
    const { kind } = await turn()
    await close()
    expect(kind).toBe('defect')
    expect(witness.leaks).toEqual([])
    expect(witness.heard.has('log line')).toBe(true)
  })

  test('SEC-01 when the settings are checked: createKernel throws an error without it', () => {
    let thrown: unknown = null
    const engines = (profile: Profile): never => {
      throw thrownBy(profile)
    }
    const looked = new Witness()
    try {
      stage(CONFIG, { engines })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ClientError)
    looked.take('thrown', thrown)
    expect(looked.leaks).toEqual([])
  })
})
