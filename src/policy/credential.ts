import type { Hold } from '../model/hold.ts'
import type { Secret } from '../model/secret.ts'
import type { Settings } from '../model/settings.ts'

/**
 * What becomes of the holds of credentials over a reload (R11, R12).
 *
 * 1. A hold was brought by a credential and says nothing of another one: the key of a hold whose credential is another now, or gone, is free.
 *    A key is often changed just because of its limit, and of two keys the second moves up when the first is taken out.
 * 2. A credential that stands elsewhere in its profile now takes its hold along.
 * 3. Where one key of a hold stands for two credentials (of a profile, and of a route to it), a change of either frees it: a hold too few
 *    costs a call, one too many costs the hours until its end.
 */
export function holdsOver(before: Settings, after: Settings, holds: Iterable<Hold>): readonly MovedHold[] {
  const moved = movedCredentials(before, after)
  return [...holds].flatMap((hold) => {
    const label = labelOf(hold.key)
    const to = moved.get(label)
    return to === undefined ? [] : [{ hold, key: to === null ? null : keyAt(to, hold.key) }]
  })
}

/** A hold whose credential stands elsewhere now: under `key`, or nowhere. */
export interface MovedHold {
  readonly hold: Hold
  readonly key: string | null
}

/** The profile, with its credential, of the key of a hold; behind it may stand a model (T6). */
function labelOf(key: string): string {
  return key.split('/', 1)[0] ?? key
}

function keyAt(label: string, key: string): string {
  return `${label}${key.slice(labelOf(key).length)}`
}

function movedCredentials(before: Settings, after: Settings): ReadonlyMap<string, string | null> {
  const now = credentialsOf(after)
  const changed = [...credentialsOf(before)].filter(([key, secrets]) => !isSame(secrets, now.get(key) ?? []))
  return new Map(changed.map(([key, secrets]) => [key, secrets.length === 1 ? placeOf(now, key, secrets) : null]))
}

/** The key under which a hold on this credential stands now; null where the credential is another, or gone. */
export function holdKeyNow(settings: Settings, key: string, secret: Secret | null): string | null {
  const now = credentialsOf(settings)
  const label = labelOf(key)
  if (now.get(label)?.some((one) => isEqual(one, secret)) === true) return key
  const place = placeOf(now, label, [secret])
  return place === null ? null : keyAt(place, key)
}

function placeOf(now: ReadonlyMap<string, readonly Held[]>, key: string, secrets: readonly Held[]): string | null {
  const [profile] = key.split('#')
  const found = [...now].find(([each, others]) => each.split('#')[0] === profile && isSame(secrets, others))
  return found?.[0] ?? null
}

type Held = Secret | null

function isSame(secrets: readonly Held[], others: readonly Held[]): boolean {
  return secrets.length === others.length && secrets.every((one, at) => isEqual(one, others[at] ?? null))
}

function isEqual(one: Held, other: Held): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}

/** By the key of their holds. */
function credentialsOf({ profiles, modelRoutes }: Settings): Map<string, Held[]> {
  const byKey = new Map<string, Held[]>()
  const add = (key: string, secret: Held): void => void byKey.set(key, [...(byKey.get(key) ?? []), secret])
  for (const { id, credentials } of profiles.values()) {
    for (const { number, secret } of credentials) add(number === null ? id : `${id}#${number}`, secret)
  }
  for (const { modelProvider, secret } of modelRoutes) if (secret !== null) add(modelProvider, secret)
  return byKey
}
