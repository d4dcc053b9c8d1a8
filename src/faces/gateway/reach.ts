import { lostProfile } from '../../host.ts'
import type { GatewayKey, Kernel } from '../../index.ts'
import { type Aim, aimOf, fieldOf, HINT, isNoChoice, NotConfigured, profileTarget } from './aim.ts'
import type { ClientRequest } from './dialect.ts'
import { BadRequest } from './problem.ts'

type Asked = Pick<ClientRequest, 'model' | 'models'>

/**
 * What a key may ask for, by its list.
 *
 * 1. A hint stands there by its name. A profile that stands there may be asked for with any model; `profile/model` and a plain model stand
 *    there as they are. Whatever the settings fall back to from there is theirs to say, and serves. A hint or a profile that the settings have no
 *    more is not there: the kernel would ask the default domain (R9), which nobody has put in the list.
 * 2. What is not in the list is answered as what does not exist.
 * 3. No model at all asks for the default domain: its profile, or what that is pinned to, has to be in the list. The default of such a key is
 *    that domain and no other: automatic routing could lead out of its list, and is left out.
 */
export function aimWithin(kernel: Kernel, key: GatewayKey | null, asked: Asked): Aim {
  const list = key?.models ?? null
  if (list === null) return aimOf(kernel, asked)
  if (asked.models !== null && asked.models.length > 0) return aimOfSeveral(kernel, list, asked, asked.models)
  if (isNoChoice(asked.model)) return defaultAim(kernel, list)
  if (!mayAsk(kernel, list, asked.model)) throw absent(asked.model, 'model')
  return aimOf(kernel, asked)
}

/** Whether `model` may be asked for by whoever has this list. */
export function mayAsk(kernel: Kernel, list: readonly string[], model: string): boolean {
  if (model.startsWith(HINT)) return list.includes(model) && kernel.hints().some(({ hint }) => hint === model.slice(HINT.length))
  if (list.includes(model) && !isLostProfile(kernel, model)) return true
  const named = profileTarget(kernel, model)
  if (named !== null) return list.includes(named.profile)
  const target = defaultDomain(kernel)?.target
  return target !== undefined && list.includes(target)
}

/**
 * Whether it names a profile that is no more. As a plain model it would be answered by what the default domain is
 * pinned to; where that is pinned to nothing its provider is asked for it, and says no.
 */
function isLostProfile(kernel: Kernel, name: string): boolean {
  const profiles = kernel.profiles()
  const lost = lostProfile(
    name,
    profiles.map(({ id }) => id),
    profiles.flatMap(({ models }) => models),
  )
  return lost !== null && defaultDomain(kernel)?.pin !== null
}

/** The profile and the pin of the default domain; null where nothing can be planned. */
export function defaultDomain(kernel: Pick<Kernel, 'plan'>): { readonly target: string; readonly pin: string | null } | null {
  try {
    // Any plain model is asked of the default domain, whatever automatic routing would say.
    const { target, entries } = kernel.plan({ model: '-' })
    return { target, pin: entries[0]?.model ?? null }
  } catch {
    return null
  }
}

function defaultAim(kernel: Kernel, list: readonly string[]): Aim {
  const domain = defaultDomain(kernel)
  if (domain !== null) {
    const { target, pin } = domain
    const names = [target, ...(pin === null ? [] : [pin, `${target}/${pin}`])]
    if (names.some((name) => list.includes(name))) return { model: pin }
  }
  throw new BadRequest('model: say which; GET /v1/models lists what there is.', 'model', NOT_THERE)
}

/** A plain model in a list of several is asked of the first profile that has it. */
function aimOfSeveral(kernel: Kernel, list: readonly string[], asked: Asked, models: readonly string[]): Aim {
  const aim = aimAmong(kernel, asked)
  const names = isNoChoice(asked.model) ? models : [asked.model, ...models]
  for (const [index, name] of names.entries()) {
    const profile = aim.targets?.[index]?.profile ?? ''
    const isListed = list.includes(name) || (!name.startsWith(HINT) && list.includes(profile))
    if (!isListed) throw absent(name, fieldOf(index, names.length - models.length))
  }
  return aim
}

/** To a key with a list what is not configured and what is not its own look alike. */
function aimAmong(kernel: Kernel, asked: Asked): Aim {
  try {
    return aimOf(kernel, asked)
  } catch (error) {
    throw error instanceof NotConfigured ? absent(error.model, error.param) : error
  }
}

function absent(name: string, param: string): BadRequest {
  const shown = name.length > 128 ? `${name.slice(0, 128)}…` : name
  return new BadRequest(`${param}: \`${shown}\` does not exist; GET /v1/models lists what does.`, param, NOT_THERE)
}

const NOT_THERE = { status: 404, kind: 'not_found', code: 'model_not_found' } as const
