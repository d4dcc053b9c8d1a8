import type { Secret } from './secret.ts'
import type { Profile, Settings } from './settings.ts'

/**
 * Which values of the settings are secrets, so that they are taken out of whatever is told.
 *
 * 1. A credential is one, whatever it looks like. Anything else counts by where it stands or what it is called: a header, a query, a
 *    variable of a program; of a body and of arguments only what is named like a credential.
 * 2. What is written to be read is none: a short word, a path, the name of a version. Taken out of a log it would take the sense along.
 * 3. What may come back in parts is listed in parts: a key pair, and the token of a header without its scheme.
 */

/** Shorter values, and parts of a credential, are words that stand in many a message. */
const SHORTEST = 8
/** A text of letters alone is a word up to here. */
const LONGEST_WORD = 15

const SECRET_NAME = /key|token|secret|passw|credential|auth|signature|cookie|headers/i
/** Headers that say what is asked for, and what sense their values have in an error of the provider. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'http-referer',
  'openai-beta',
  'user-agent',
  'x-title',
])

/** Whether a field, a variable or an option of this name holds a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** Every secret that the settings hold, each once: credentials of profiles and routes, and what else signs or decorates a request. */
export function secretValues(settings: Settings): string[] {
  const values = new Set<string>()
  for (const profile of settings.profiles.values()) for (const value of secretsOfProfile(profile, null)) values.add(value)
  for (const { secret } of settings.gateway.keys) for (const value of credentialParts(secret)) values.add(value)
  for (const { secret } of settings.modelRoutes) for (const value of credentialParts(secret)) values.add(value)
  return [...values]
}

/**
 * The secrets of one profile, with the credential that a call of it is signed with where that is none of its own. The list is the same one
 * for each of its own.
 */
export function secretsOfProfile(profile: Profile, signing: Secret | null): readonly string[] {
  const own = ownSecrets(profile)
  const isOwn = signing === null || profile.credentials.some(({ secret }) => secret?.equals(signing) === true)
  return isOwn ? own : [...credentialParts(signing), ...own]
}

/** A profile never changes; that of a turn is asked at each of its attempts. */
const known = new WeakMap<Profile, readonly string[]>()

function ownSecrets(profile: Profile): readonly string[] {
  const present = known.get(profile)
  if (present !== undefined) return present
  const { credentials, headers, endpoint, body, cli } = profile
  const made = [
    ...credentials.flatMap(({ secret }) => credentialParts(secret)),
    ...Object.entries(headers).flatMap(([name, value]) => (PUBLIC_HEADERS.has(name.toLowerCase()) ? [] : withTokens(value))),
    ...queryOf(endpoint).flatMap(withTokens),
    ...Object.entries(cli?.env ?? {}).flatMap(([name, value]) => (isSecretName(name) || isOpaque(name, value) ? withTokens(value) : [])),
    ...(cli?.args ?? []).flatMap((argument, index) => argumentSecrets(argument, cli?.args[index - 1])),
    ...namedSecrets(body, false),
  ]
  const values = [...new Set(made)]
  known.set(profile, values)
  return values
}

function credentialParts(secret: Secret | null): readonly string[] {
  const value = secret?.reveal() ?? ''
  if (value.trim() === '') return []
  return value.includes(':') ? [value, ...value.split(':').filter((part) => part.length >= SHORTEST)] : [value]
}

function withTokens(value: string): readonly string[] {
  return [value, ...value.split(/[\s,;=]+/)].filter((each) => each.length >= SHORTEST && !isWord(each))
}

function isWord(value: string): boolean {
  return value.length <= LONGEST_WORD && /^[A-Za-z]+$/.test(value)
}

/** Variables tell where things are, too: a path, an address without a password and a query. What is of another kind may be anything. */
function isOpaque(name: string, value: string): boolean {
  return name !== 'TZ' && !/^(?:\/|~|[A-Za-z]:\\|https?:\/\/[^@?]*$)/.test(value)
}

function queryOf(endpoint: string | null): readonly string[] {
  if (endpoint === null || !endpoint.includes('?') || !URL.canParse(endpoint)) return []
  return [...new URL(endpoint).searchParams].filter(([name]) => name !== 'api-version').map(([, value]) => value)
}

/** `--api-key=VALUE`, `-c x.api_key="VALUE"`, `--api-key VALUE`, and JSON with fields that are named so. */
function argumentSecrets(argument: string, before: string | undefined): readonly string[] {
  if (/^\s*[[{]/.test(argument)) return namedSecrets(parsed(argument), false)
  const [, name = '', value = ''] = /^([^=:]*)[=:]\s*["']?(.*?)["']?$/s.exec(argument) ?? []
  if (isSecretName(name)) return withTokens(value)
  const isValue = before?.startsWith('-') === true && !before.includes('=') && isSecretName(before)
  return isValue && !argument.startsWith('-') ? withTokens(argument) : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Texts in fields that are named like a credential, and all below such a field. */
function namedSecrets(value: unknown, isNamed: boolean): readonly string[] {
  if (typeof value === 'string') return isNamed ? withTokens(value) : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => namedSecrets(item, isNamed))
  return Object.entries(value).flatMap(([name, item]) => namedSecrets(item, isNamed || isSecretName(name)))
}
