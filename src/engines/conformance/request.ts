import type { Clock } from '../../model/clock.ts'
import { Secret } from '../../model/secret.ts'
import type { Profile, Timeouts } from '../../model/settings.ts'
import { type AttemptRequest, openFlow } from '../contract.ts'
import type { Situation } from './subject.ts'

/** The one entry that every situation is about. */
export const CONFORMANCE_ENTRY = 'conformance.x/m1'
const CONFORMANCE_SECRET = 'k-conformance-5f2d9c'

const NO_TIMEOUTS: Timeouts = { connectMs: null, firstByteMs: null, firstOutputMs: null, idleMs: null, totalMs: null }

/** The request of a situation: one user message, no tools, no limit that is not under test. */
export function conformanceRequest(
  situation: Situation,
  at: { readonly api: string | null; readonly endpoint: string | null; readonly clock: Clock },
): AttemptRequest {
  return {
    turn: 't1',
    n: 1,
    mode: situation.mode,
    profile: profile(at.api, at.endpoint, { ...NO_TIMEOUTS, ...situation.timeouts }),
    secret: new Secret(CONFORMANCE_SECRET),
    entry: CONFORMANCE_ENTRY,
    model: 'm1',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [],
    options: {},
    clock: at.clock,
    flow: situation.flow ?? openFlow,
  }
}

function profile(api: string | null, endpoint: string | null, timeouts: Timeouts): Profile {
  return {
    id: 'conformance.x',
    family: 'conformance',
    api,
    endpoint,
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
    timeouts,
    cli: null,
    completion: 'strict',
    credentials: [{ number: null, secret: new Secret(CONFORMANCE_SECRET) }],
  }
}
