import type { Kernel } from '../../index.ts'
import type { ClientRequest } from './dialect.ts'
import type { Aim } from './exchange.ts'
import { BadRequest } from './problem.ts'

const HINT = 'hint:'

type Target = NonNullable<Aim['targets']>[number]

/**
 * What a model's name of a client asks of the kernel: `hint:<name>`, a profile id, `<profile>/<model>`, or a plain model, which runs in the
 * default domain (R7). With `models` all of them are tried in order and nothing else: each must be configured. Throws BadRequest.
 */
export function aimOf(kernel: Kernel, { model, models }: Pick<ClientRequest, 'model' | 'models'>): Aim {
  if (models === null || models.length === 0) return oneAim(kernel, model)
  const names = model === null || model.trim() === '' ? models : [model, ...models]
  const offset = names.length - models.length
  return {
    targets: names.map((name, index) => {
      const target = configured(kernel, name)
      if (target !== null) return target
      const param = index < offset ? 'model' : `models[${index - offset}]`
      throw new BadRequest(`${param}: \`${name}\` is not configured; GET /v1/models lists what is.`, param, { code: 'model_not_found' })
    }),
  }
}

function oneAim(kernel: Kernel, model: string | null): Aim {
  const named = model === null || model.startsWith(HINT) ? null : profileTarget(kernel, model)
  return named === null ? { model } : { targets: [named] }
}

/** `<profile>` or `<profile>/<model>`; ids hold no slash, models may. */
function profileTarget(kernel: Kernel, name: string): Target | null {
  const slash = name.indexOf('/')
  const profile = slash < 0 ? name : name.slice(0, slash)
  if (!kernel.profiles().some(({ id }) => id === profile)) return null
  return slash < 0 ? { profile } : { profile, model: name.slice(slash + 1) }
}

function configured(kernel: Kernel, name: string): Target | null {
  if (name.startsWith(HINT)) {
    const hint = kernel.hints().find((each) => each.hint === name.slice(HINT.length))
    return hint === undefined ? null : { profile: hint.profile, model: hint.model }
  }
  const named = profileTarget(kernel, name)
  if (named !== null) return named
  const profile = kernel
    .profiles()
    .find(({ model, fallbackModels, models }) => model === name || fallbackModels.includes(name) || models.includes(name))
  return profile === undefined ? null : { profile: profile.id, model: name }
}
