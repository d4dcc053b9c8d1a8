import type { Diagnostic } from '../model/plan.ts'
import type { GatewaySettings } from '../model/settings.ts'
import { findCredential, type SecretSource, unfitCredential } from './credential.ts'
import { credentialTrimmed, invalidSetting, missingGatewayKey, unknownKeyHint } from './diagnostics.ts'
import { DEFAULT_CONCURRENCY, type SettingsInput } from './schema.ts'

/** The settings of the gateway, and what is wrong with its keys: a warning for whoever serves nothing, fatal for whoever does. */
export interface ReadGateway {
  readonly gateway: GatewaySettings
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
}

/** A key without an id of its own is named by its place: the ledger must tell keys apart without quoting one. */
export function readGateway({ gateway: { keys, ...rest }, modelRoutes }: SettingsInput, secrets: SecretSource): ReadGateway {
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
  const hints = modelRoutes.map(({ hint }) => hint)
  warnings.push(...read.flatMap(({ models }, index) => strayHints(models ?? [], index, hints)))
  return { gateway: { ...rest, keys: read }, errors, warnings }
}

function strayHints(models: readonly string[], key: number, hints: readonly string[]): Diagnostic[] {
  return models.flatMap((name, place) => {
    const hint = name.startsWith('hint:') ? name.slice('hint:'.length) : null
    return hint === null || hints.includes(hint) ? [] : [unknownKeyHint(key, place, hint, hints)]
  })
}
