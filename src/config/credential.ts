import type { Diagnostic } from '../model/plan.ts'
import { Secret } from '../model/secret.ts'
import type { Credential } from '../model/settings.ts'
import { credentialTrimmed, invalidSetting, missingCredential, missingPoolCredential, profilePath } from './diagnostics.ts'
import type { CredentialInput, ProfileInput } from './profile-schema.ts'
import { isHeaderValue } from './wire-safety.ts'

/** Where keys that the settings only name are read; the room itself reads neither environment nor disk. */
export interface SecretSource {
  /** The value of an environment variable, or undefined when it is not set. */
  env(name: string): string | undefined
  /** The text of a file, or undefined when it cannot be read. */
  file(path: string): string | undefined
}

/** The same source with every value as it was at the first time of asking: settings that are looked at twice have the same keys both times. */
export function remembered(source: SecretSource): SecretSource {
  const env = new Map<string, string | undefined>()
  const file = new Map<string, string | undefined>()
  const once = (values: Map<string, string | undefined>, name: string, read: (name: string) => string | undefined): string | undefined => {
    if (!values.has(name)) values.set(name, read(name))
    return values.get(name)
  }
  return { env: (name) => once(env, name, (each) => source.env(each)), file: (path) => once(file, path, (each) => source.file(each)) }
}

/** A credential as found: a secret, nothing at all, or the reason why it cannot be used. Reasons never hold the value. */
type Found =
  | { readonly kind: 'secret'; readonly secret: Secret; readonly trimmed: boolean }
  | { readonly kind: 'blank' }
  | { readonly kind: 'absent'; readonly why: string; readonly provide: string }
  | { readonly kind: 'unfit'; readonly why: string }

const UNFIT = 'holds a character that no request header may carry'
const UNFIT_REMEDY = 'Store the key alone, on one line.'

export function findCredential(written: CredentialInput | null, source: SecretSource): Found {
  if (written === null) return { kind: 'blank' }
  const read = readWritten(written, source)
  if (read.value === undefined) return { kind: 'absent', why: `${read.from} ${read.missing}`, provide: `${read.provide} ${read.from}` }
  const value = read.value.trim()
  if (value === '')
    return read.from === '' ? { kind: 'blank' } : { kind: 'absent', why: `${read.from} is blank`, provide: `${read.provide} ${read.from}` }
  return isHeaderValue(value) ? { kind: 'secret', secret: new Secret(value), trimmed: value !== read.value } : { kind: 'unfit', why: UNFIT }
}

/** What was read from where, and in words what to say when nothing was. */
interface Reading {
  readonly from: string
  readonly value: string | undefined
  readonly missing: string
  readonly provide: string
}

function readWritten(written: CredentialInput, source: SecretSource): Reading {
  if (typeof written === 'object') return 'env' in written ? fromEnvironment(written.env, source) : fromFile(written.file, source)
  if (!written.startsWith('env:')) return { from: '', value: written, missing: '', provide: '' }
  return fromEnvironment(written.slice('env:'.length).trim(), source)
}

/** What is no name of a variable may be the key itself, pasted in the place of its name: it is not repeated. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

function fromEnvironment(name: string, source: SecretSource): Reading {
  if (!VARIABLE_NAME.test(name))
    return {
      from: 'what stands as a name',
      value: undefined,
      missing: 'is no name of an environment variable',
      provide: 'Write the name of a variable in the place of',
    }
  return { from: `environment variable ${name}`, value: source.env(name), missing: 'is not set', provide: 'Set' }
}

function fromFile(path: string, source: SecretSource): Reading {
  return { from: `file ${path}`, value: source.file(path), missing: 'cannot be read', provide: 'Provide' }
}

export function unfitCredential(path: readonly PropertyKey[]): Diagnostic {
  return invalidSetting(path, UNFIT, UNFIT_REMEDY)
}

/** The credentials of one profile, and what would be wrong with calling it. Problems count only when the profile is called (R5). */
export interface ProfileCredentials {
  readonly credentials: readonly Credential[]
  readonly problems: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
}

const KEYLESS: ProfileCredentials = { credentials: [{ number: null, secret: null }], problems: [], warnings: [] }

/** `keyless`: the profile may be called without a credential (C24). */
export function profileCredentials(id: string, written: ProfileInput, keyless: boolean, source: SecretSource): ProfileCredentials {
  if (written.apiKeys !== null && written.apiKeys.length > 0) return poolCredentials(id, written.apiKeys, source)
  const found = findCredential(written.apiKey, source)
  switch (found.kind) {
    case 'secret':
      return {
        credentials: [{ number: null, secret: found.secret }],
        problems: [],
        warnings: found.trimmed ? [credentialTrimmed(profilePath(id, 'apiKey'))] : [],
      }
    case 'blank':
      return keyless ? KEYLESS : { credentials: [], problems: [missingCredential(id, null)], warnings: [] }
    case 'absent':
      return { credentials: [], problems: [missingCredential(id, found.why, found.provide)], warnings: [] }
    case 'unfit':
      return { credentials: [], problems: [unfitCredential(['profiles', id, 'apiKey'])], warnings: [] }
  }
}

/**
 * A pool keeps its numbering: credential 2 is `#2` whatever became of the first (R11, C18). One unusable credential is fatal as well:
 * dropping it would leave a smaller pool than the operator counts on.
 */
function poolCredentials(id: string, pool: readonly CredentialInput[], source: SecretSource): ProfileCredentials {
  const credentials: Credential[] = []
  const problems: Diagnostic[] = []
  const reasons: string[] = []
  const warnings: Diagnostic[] = []
  for (const [index, written] of pool.entries()) {
    const found = findCredential(written, source)
    if (found.kind === 'secret') {
      credentials.push({ number: index + 1, secret: found.secret })
      if (found.trimmed) warnings.push(credentialTrimmed(profilePath(id, 'apiKeys', index)))
    } else if (found.kind === 'unfit') problems.push(unfitCredential(['profiles', id, 'apiKeys', index]))
    else {
      const why = found.kind === 'blank' ? 'it is blank' : found.why
      reasons.push(`credential ${index + 1}: ${why}`)
      problems.push(missingPoolCredential(id, index, why))
    }
  }
  return reasons.length === pool.length
    ? { credentials, problems: [missingCredential(id, `no credential of its pool is usable (${reasons.join('; ')})`)], warnings }
    : { credentials, problems, warnings }
}
