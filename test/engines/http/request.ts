import type { AttemptRequest } from '../../../src/engines/contract.ts'
import { openFlow } from '../../../src/engines/contract.ts'
import type { WireRequest } from '../../../src/engines/http/transport.ts'
import type { Clock } from '../../../src/model/clock.ts'
import type { Profile, Timeouts } from '../../../src/model/settings.ts'

/** The machine's own clock; a real socket keeps real time. */
export const realClock: Clock = {
  now: () => Date.now(),
  wakeAt: (at, fire) => {
    const timer = setTimeout(fire, Math.max(0, at - Date.now()))
    return () => clearTimeout(timer)
  },
}

export const noTimeouts: Timeouts = { connectMs: null, firstByteMs: null, firstOutputMs: null, idleMs: null, totalMs: null }

export function profileOf(more: Partial<Profile> = {}): Profile {
  return {
    id: 'openai.test',
    family: 'openai',
    api: 'openai-chat',
    endpoint: 'http://127.0.0.1:9/v1',
    endpointPolicy: 'local-allowed',
    headers: {},
    dialect: null,
    body: {},
    model: 'm1',
    fallbackModels: [],
    fallback: [],
    capabilities: { streaming: true, toolEvents: true, tools: true, vision: true },
    zone: 'local',
    contextWindow: null,
    price: {},
    timeouts: noTimeouts,
    cli: null,
    completion: 'strict',
    credentials: [{ number: null, secret: null }],
    ...more,
  }
}

export function requestOf(more: Partial<AttemptRequest> = {}): AttemptRequest {
  return {
    turn: 't1',
    n: 1,
    mode: 'stream',
    profile: profileOf(),
    secret: null,
    entry: 'openai.test',
    model: 'm1',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    options: {},
    clock: realClock,
    flow: openFlow,
    ...more,
  }
}

/** The request that is to be signed; only a computed signature looks at it. */
export const unsigned: WireRequest = { url: new URL('http://127.0.0.1:9/v1'), policy: 'local-allowed', headers: {}, body: '{}' }
