import { expect } from 'vitest'
import type { Decision, SeenAttempt, SeenScene } from './boundary-play.ts'
import { keyOf, own, routeKeyOf, type Scene, type SceneProfile, type SceneSettings, SIGNALS } from './boundary-scene.ts'

/**
 * What may cross no boundary, whatever happens. Each law goes by the settings as they were written, never by what the product made of them: who
 * may be called is found again from the edges, and a key is told from any other by whose it says it is.
 */
export type BoundaryLaw = (scene: Scene, seen: SeenScene, prompts: readonly string[]) => void

const LOCAL_FAMILIES = ['ollama', 'lmstudio', 'llamacpp', 'vllm', 'localai']

function isLocalProfile(id: string, { zone, endpoint = '' }: SceneProfile): boolean {
  if (zone !== undefined) return zone === 'local'
  return LOCAL_FAMILIES.includes(id.slice(0, id.indexOf('.'))) || /^http:\/\/(?:localhost|127\.)/.test(endpoint)
}

function profileIn(settings: SceneSettings, id: string): SceneProfile {
  const found = settings.profiles[id]
  if (found === undefined) throw new Error(`${id} is no profile of the settings of its turn`)
  return found
}

/** R37, R38 in few words: the thresholds are the defaults. */
export function isComplex(prompt: string): boolean {
  const words = SIGNALS.filter((signal) => new RegExp(`(?<![\\p{L}\\p{N}_])${signal}(?![\\p{L}\\p{N}_])`, 'iu').test(prompt))
  return [...prompt].length > 200 || prompt.includes('```') || words.length === SIGNALS.length
}

interface Decided {
  readonly root: string
  readonly isLocal: boolean
}

function decided(settings: SceneSettings, { choice, prompt }: Decision, prompts: readonly string[]): Decided {
  const routed = (hint: string): string => settings.modelRoutes.find((route) => route.hint === hint)?.modelProvider ?? settings.primary
  const { effortRouting } = settings
  if (effortRouting === null || (choice !== null && choice !== 'auto')) {
    return { root: choice?.startsWith('hint:') === true ? routed(choice.slice(5)) : settings.primary, isLocal: false }
  }
  const isCloud = effortRouting.escalation === 'auto' && isComplex(prompts[prompt] ?? '')
  return { root: routed(isCloud ? effortRouting.cloudHint : effortRouting.localHint), isLocal: !isCloud }
}

/** Whoever can be come to along the fallbacks of a profile, itself first. */
function reachOf(settings: SceneSettings, root: string): Set<string> {
  const reach = new Set([root])
  for (const id of reach) for (const next of profileIn(settings, id).fallback) reach.add(next)
  return reach
}

/** The keys that may sign a request to a profile in the domain of a root (R1, R10, R11). */
function keysFor(settings: SceneSettings, version: number, id: string, root: string, hasSwitched: boolean): (string | null)[] {
  const route = settings.modelRoutes.findIndex((each) => each.modelProvider === root && each.apiKey !== undefined)
  // A switch builds its target from that profile alone (R41).
  if (id === root && route >= 0 && !hasSwitched) return [routeKeyOf(route, version)]
  const { apiKeys } = profileIn(settings, id)
  return apiKeys === undefined ? [keyOf(id, version, 0)] : apiKeys.map((_, index) => keyOf(id, version, index + 1))
}

function each(scene: Scene, seen: SeenScene, law: (attempt: SeenAttempt, settings: SceneSettings, id: string, told: string) => void): void {
  for (const attempt of seen.attempts) {
    const { decision, request, turn } = attempt
    law(attempt, scene.settings[decision.version as 0 | 1], request.profile.id, `attempt ${request.n} of ${turn} on ${request.entry}`)
  }
}

const ownCredential: BoundaryLaw = (scene, seen, prompts) =>
  each(scene, seen, ({ decision, request }, settings, id, told) => {
    const { switchedTo, version } = decision
    const root = switchedTo ?? decided(settings, decision, prompts).root
    const keys = keysFor(settings, version, id, root, switchedTo !== null)
    expect(keys, told).toContain(request.secret?.reveal() ?? null)
    const number = /#(\d+)\//.exec(request.entry)?.[1]
    if (number !== undefined) expect(request.secret?.reveal(), told).toBe(keyOf(id, version, Number(number)))
  })

const ownEverything: BoundaryLaw = (scene, seen) =>
  each(scene, seen, ({ decision, request }, settings, id, told) => {
    const written = profileIn(settings, id)
    const { headers, body, endpoint, fallback } = request.profile
    expect({ ...headers }, told).toEqual({ 'x-own': own(id, decision.version) })
    expect({ ...body }, told).toEqual({ own: own(id, decision.version) })
    expect([endpoint, [...fallback]], told).toEqual([written.endpoint, [...written.fallback]])
  })

const ownDomain: BoundaryLaw = (scene, seen, prompts) =>
  each(scene, seen, ({ decision }, settings, id, told) => {
    const root = decision.switchedTo ?? decided(settings, decision, prompts).root
    expect([...reachOf(settings, root)], told).toContain(id)
  })

const localStaysLocal: BoundaryLaw = (scene, seen, prompts) => {
  each(scene, seen, ({ decision }, settings, id, told) => {
    const { root, isLocal } = decided(settings, decision, prompts)
    if (!isLocal) return
    expect(isLocalProfile(id, profileIn(settings, id)), told).toBe(true)
    // The list is that of the decision, whatever the turn has switched to since.
    expect([...reachOf(settings, root)], told).toContain(id)
  })
  for (const { decision, outcome } of seen.outcomes) {
    const settings = scene.settings[decision.version as 0 | 1]
    if (outcome.served === null || !decided(settings, decision, prompts).isLocal) continue
    // One credential of a pool has its number behind the profile.
    const [id = ''] = outcome.served.profile.split('#')
    expect(isLocalProfile(id, profileIn(settings, id)), JSON.stringify(outcome.served)).toBe(true)
  }
}

export const BOUNDARY_LAWS: readonly (readonly [title: string, law: BoundaryLaw])[] = [
  ['R1 R10 R11 no attempt carries a credential of another profile', ownCredential],
  ['R1 no attempt carries an address, a header or a body option of another profile, or of other settings', ownEverything],
  ['R7 R41 no attempt leaves the domain that was decided on', ownDomain],
  ['AG-01 R39 a local decision never reaches a cloud profile: call, stream, recovery, retry, hold, switch or reload', localStaysLocal],
]

/** How often a boundary was come to at all. */
export function countBoundaries(scene: Scene, { attempts, outcomes }: SeenScene, prompts: readonly string[], count: (what: string) => void): void {
  for (const { decision, request } of attempts) {
    const settings = scene.settings[decision.version as 0 | 1]
    const { root, isLocal } = decided(settings, decision, prompts)
    if (isLocal) count(`local ${request.mode}`)
    if (isLocal && [...reachOf(settings, root)].some((id) => !isLocalProfile(id, profileIn(settings, id)))) count('local beside cloud')
    if (decision.switchedTo !== null) count(isLocal ? 'switched locally' : 'switched')
    if (request.secret?.reveal().startsWith('key-of-route') === true) count('key of a route')
    if (/#2\//.test(request.entry)) count('second key')
  }
  for (const { outcome } of outcomes) if (outcome.recoveredFrom !== null) count('recovered')
}
