import type { Kernel } from '../../index.ts'
import { type Aim, HINT, isNoChoice } from './aim.ts'
import { BadRequest } from './problem.ts'
import { defaultDomain } from './reach.ts'

/**
 * Models that clients ask of coding-agent CLIs and that no setting names. Each is an engine of its own in the kernel, with limits of its own,
 * and stays one: a client that types new names for ever must not fill the memory of a gateway, and must take none of what others may type.
 */
export class TypedModels {
  readonly #most: number
  /** By the id of a key; null where none is asked for. */
  readonly #seen = new Map<string | null, Set<string>>()

  constructor(most = MOST_TYPED) {
    this.#most = most
  }

  /** The same aim. Throws BadRequest for a new name beyond the bound. */
  checked(kernel: Pick<Kernel, 'profiles' | 'plan'>, caller: string | null, aim: Aim): Aim {
    const clis = kernel.profiles().filter(({ cli }) => cli)
    if (clis.length === 0) return aim
    const seen = this.#seen.get(caller) ?? new Set()
    this.#seen.set(caller, seen)
    for (const { profile, model } of pairsOf(kernel, aim)) {
      const cli = clis.find(({ id }) => id === profile)
      if (cli === undefined || cli.models.includes(model)) continue
      const name = `${profile}/${model}`
      if (seen.has(name)) continue
      if (seen.size >= this.#most) throw new BadRequest(FULL, 'model', { code: 'model_not_found', status: 404 })
      seen.add(name)
    }
    return aim
  }
}

const MOST_TYPED = 200
const FULL = `model: more than ${MOST_TYPED} models that the settings do not name were asked of coding-agent CLIs; name it in \`fallbackModels\` or \`price\`, or restart.`

function pairsOf(kernel: Pick<Kernel, 'plan'>, { model = null, targets }: Aim): { profile: string; model: string }[] {
  if (targets !== undefined)
    return targets.flatMap(({ profile, model: asked }) => (asked == null || asked.trim() === '' ? [] : [{ profile, model: asked }]))
  if (isNoChoice(model) || model.startsWith(HINT)) return []
  const domain = defaultDomain(kernel)
  return domain === null ? [] : [{ profile: domain.target, model }]
}
