import { type Diagnostic, lostProfile } from '../model/plan.ts'
import type { GatewaySettings } from '../model/settings.ts'
import { findCredential, type SecretSource, unfitCredential } from './credential.ts'
import { credentialTrimmed, invalidSetting, missingGatewayKey, unknownKeyHint, unknownKeyProfile } from './diagnostics.ts'
import { DEFAULT_CONCURRENCY, type SettingsInput } from './schema.ts'

/** The settings of the gateway, and what is wrong with its keys: a warning for whoever serves nothing, fatal for whoever does. */
export interface ReadGateway {
  readonly gateway: GatewaySettings
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
}

/** A key without an id of its own is named by its place: the ledger must tell keys apart without quoting one. */
export function readGateway(input: SettingsInput, secrets: SecretSource): ReadGateway {
  const { keys, ...rest } = input.gateway
  const warnings: Diagnostic[] = []
  const read = keys.map((written, index) => {
    const { key, ...named } =
      typeof written === 'object' && 'key' in written
        ? written
        : { key: written, id: `key-${index + 1}`, models: null, concurrency: DEFAULT_CONCURRENCY, perDay: null }
    const path = typeof written === 'object' && 'key' in written ? ['gateway', 'keys', index, 'key'] : ['gateway', 'keys', index]
    const found = findCredential(key, secrets)
    if (found.kind === 'secret' && found.trimmed) warnings.push(credentialTrimmed(`gateway.keys[${index}]`))
    if (found.kind === 'unfit') warnings.push(unfitCredential(path))
    if (found.kind === 'absent' || found.kind === 'blank')
      warnings.push(missingGatewayKey(index, found.kind === 'absent' ? found.why : 'it is blank'))
    return { ...named, secret: found.kind === 'secret' ? found.secret : null }
  })
  const errors = read.flatMap(({ id }, index) =>
    read.findIndex((other) => other.id === id) < index
      ? [invalidSetting(['gateway', 'keys', index, 'id'], 'is the id of another key, too', 'Give each key an id of its own.')]
      : [],
  )
  warnings.push(...read.flatMap(({ models }, index) => (models ?? []).flatMap((name, place) => stray(name, index, place, input) ?? [])))
  return { gateway: { ...rest, keys: read }, errors, warnings }
}

/** What a key may ask for and is not there: a hint, or what can only be meant for a profile, since its family is one of theirs. */
function stray(name: string, key: number, place: number, { profiles, modelRoutes }: SettingsInput): Diagnostic | null {
  if (name.startsWith('hint:')) {
    const [hint, hints] = [name.slice('hint:'.length), modelRoutes.map((route) => route.hint)]
    return hints.includes(hint) ? null : unknownKeyHint(key, place, hint, hints)
  }
  const ids = Object.keys(profiles)
  const named = Object.values(profiles).flatMap(({ model, fallbackModels, price }) => [model, ...fallbackModels, ...Object.keys(price ?? {})])
  const lost = lostProfile(
    name,
    ids,
    [...named, ...modelRoutes.map(({ model }) => model)].filter((model) => typeof model === 'string'),
  )
  return lost === null ? null : unknownKeyProfile(key, place, lost, ids)
}
