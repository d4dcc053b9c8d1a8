import type { Kernel, TurnRequest } from '../../index.ts'
import type { ClientRequest } from './dialect.ts'
import { BadRequest } from './problem.ts'

/** A name in `models`, or the `model` beside it, that no setting has. */
export class NotConfigured extends BadRequest {
  readonly model: string
  readonly param: string

  constructor(model: string, param: string) {
    super(`${param}: \`${model}\` is not configured; GET /v1/models lists what is.`, param, { code: 'model_not_found' })
    this.model = model
    this.param = param
  }
}

/** What is asked of the kernel for the name of a model. */
export type Aim = Pick<TurnRequest, 'model' | 'targets'>

export const HINT = 'hint:'

type Target = NonNullable<Aim['targets']>[number]

/**
 * What a model's name of a client asks of the kernel: `hint:<name>`, a profile id, `<profile>/<model>`, or a plain model, which runs in the
 * default domain (R7). With `models` all of them are tried in order and nothing else: each must be configured. Throws BadRequest.
 */
export function aimOf(kernel: Kernel, { model, models }: Pick<ClientRequest, 'model' | 'models'>): Aim {
  if (models === null || models.length === 0) return oneAim(kernel, model)
  const names = isNoChoice(model) ? models : [model, ...models]
  const offset = names.length - models.length
  return {
    targets: names.map((name, index) => {
      const target = configured(kernel, name)
      if (target !== null) return target
      const param = fieldOf(index, offset)
      throw new NotConfigured(name, param)
    }),
  }
}

/**
 * The field of a client that an error of the kernel is about: of what it was asked only the target's place is in its path. Null where it is
 * about something else.
 */
export function fieldOfTarget(path: string, { model, models }: Pick<ClientRequest, 'model' | 'models'>): string | null {
  const index = TARGET.exec(path)?.[1]
  if (index === undefined) return null
  if (models === null || models.length === 0) return 'model'
  return fieldOf(Number(index), isNoChoice(model) ? 0 : 1)
}

const TARGET = /^targets\[(\d+)\]/

/** The field in which the name at `index` stands; `offset`: 1 where `model` is one of the names, else 0. */
export function fieldOf(index: number, offset: number): string {
  return index < offset ? 'model' : `models[${index - offset}]`
}

/** `auto` leaves the choice to the settings (R40); beside a list, which is a choice, it says nothing. */
export function isNoChoice(model: string | null): model is null {
  const name = model?.trim() ?? ''
  return name === '' || name === 'auto'
}

function oneAim(kernel: Kernel, model: string | null): Aim {
  const named = model === null || model.startsWith(HINT) ? null : profileTarget(kernel, model)
  return named === null ? { model } : { targets: [named] }
}

/** `<profile>` or `<profile>/<model>`; ids hold no slash, models may. Null where no profile has that id. */
export function profileTarget(kernel: Kernel, name: string): Target | null {
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
