import { CLI_FAMILIES, OWN_MODEL } from '../../index.ts'
import { isObject } from './batch.ts'
import { BadInput } from './problems.ts'

/**
 * `--engine`: the settings of a turn that runs on coding-agent CLIs, in the order given.
 *
 * 1. A bare name is the program as it is installed, `name:model` one model of it; what has a dot is a profile of the settings file, with
 *    all that it says.
 * 2. The choice is the operator's: neither the file's model nor its effort routing has a say in it (R40).
 * 3. Neighbours of one program are one profile, so that a limit of their account takes out both (T6).
 */
interface Step {
  readonly id: string
  readonly profile: Record<string, unknown> | null
}

/** What `--engine` names, as one list: it may be given more than once, and each time with several, parted by commas. */
export function engineNames(given: readonly string[]): readonly string[] {
  return given
    .flatMap((one) => one.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** The settings `written` with these engines as their chain. Throws BadInput with every name that is none. */
export function withEngines(written: unknown, names: readonly string[]): Record<string, unknown> {
  const base = isObject(written) ? written : {}
  const profiles = isObject(base['profiles']) ? base['profiles'] : {}
  const faults = names.flatMap((name) => faultOf(name, profiles))
  if (names.length === 0) faults.push(`--engine: name at least one engine: ${CLI_FAMILIES.join(', ')}.`)
  if (faults.length > 0) throw new BadInput(faults)
  const [first, ...rest] = stepsOf(names, profiles)
  if (first === undefined) return base
  const made = Object.fromEntries([first, ...rest].flatMap(({ id, profile }) => (profile === null ? [] : [[id, profile]])))
  const head = made[first.id] ?? profiles[first.id]
  const fallback = [...rest.map((step) => step.id), ...(first.profile === null ? ownFallback(head) : [])]
  const { model: _model, effortRouting: _effort, ...kept } = base
  return { ...kept, primary: first.id, profiles: { ...profiles, ...made, [first.id]: { ...(isObject(head) ? head : {}), fallback } } }
}

/** A profile of the file keeps its own fallbacks, behind the engines that were named after it. */
function ownFallback(profile: unknown): readonly unknown[] {
  const fallback = isObject(profile) ? profile['fallback'] : undefined
  return Array.isArray(fallback) ? fallback : []
}

function stepsOf(names: readonly string[], profiles: Readonly<Record<string, unknown>>): Step[] {
  const steps: Step[] = []
  for (const name of names) {
    if (name.includes('.') && !name.includes(':')) {
      steps.push({ id: name, profile: null })
      continue
    }
    const { family, model } = parsed(name)
    const last = steps.at(-1)
    if (last?.profile != null && last.id.startsWith(`${family}.`)) addModel(last.profile, model)
    else steps.push({ id: freeId(family, steps, profiles), profile: model === null ? {} : { model } })
  }
  return steps
}

/** Another model of the same program, or its own choice beside named ones. */
function addModel(profile: Record<string, unknown>, model: string | null): void {
  const { model: first = OWN_MODEL, fallbackModels } = profile
  profile['model'] = first
  profile['fallbackModels'] = [...(Array.isArray(fallbackModels) ? fallbackModels : []), model ?? OWN_MODEL]
}

function freeId(family: string, steps: readonly Step[], profiles: Readonly<Record<string, unknown>>): string {
  const isTaken = (id: string): boolean => id in profiles || steps.some((step) => step.id === id)
  let id = `${family}.installed`
  for (let number = 2; isTaken(id); number++) id = `${family}.installed${number}`
  return id
}

function parsed(name: string): { family: string; model: string | null } {
  const colon = name.indexOf(':')
  return colon < 0 ? { family: name, model: null } : { family: name.slice(0, colon), model: name.slice(colon + 1) }
}

function faultOf(name: string, profiles: Readonly<Record<string, unknown>>): string[] {
  const { family, model } = parsed(name)
  if (CLI_FAMILIES.includes(family))
    return model?.trim() === '' ? [`--engine: \`${name}\` names no model. Write one behind the colon, or leave it out.`] : []
  if (Object.hasOwn(profiles, name)) return []
  if (model !== null && Object.hasOwn(profiles, family))
    return [`--engine: \`${name}\` names a model of a profile, which has its own. Write \`${family}\` alone, or a CLI with \`:${model}\`.`]
  const ids = Object.keys(profiles)
  const others = ids.length === 0 ? '' : `, or a profile of the settings: ${ids.join(', ')}`
  return [`--engine: \`${name}\` is no engine. Use one of ${CLI_FAMILIES.join(', ')}${others}.`]
}
