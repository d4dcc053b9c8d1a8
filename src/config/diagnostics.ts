import type { Diagnostic } from '../model/plan.ts'
import { nearest } from './nearest.ts'

/**
 * Every finding about settings and plans: one code, one path, one sentence on what is wrong and one on what to do (R4, R5).
 *
 * 1. No finding carries the value of a credential, a header or an unreadable setting: a value may be a key.
 * 2. A path is that of the settings as written: `profiles.a.x.fallback[0]`.
 */

/** A path as it is printed. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const segment of path) text += typeof segment === 'number' ? `[${segment}]` : text === '' ? String(segment) : `.${String(segment)}`
  return text === '' ? 'settings' : text
}

export function profilePath(profile: string, field: string, index?: number): string {
  return pathText(index === undefined ? ['profiles', profile, field] : ['profiles', profile, field, index])
}

function routePath(index: number, field: string): string {
  return pathText(['modelRoutes', index, field])
}

export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none is configured' : names.join(', ')
}

// What the operator wrote wrongly: fatal.

export function unknownSetting(path: readonly PropertyKey[], meant: string | null, known: readonly string[]): Diagnostic {
  const written = String(path.at(-1))
  const name = nameOf(written)
  const where = path.length > 1 ? ` of ${pathText(path.slice(0, -1))}` : ''
  const wanted = { code: 'unknown_setting', path: pathText([...path.slice(0, -1), name]) }
  if (name !== written) {
    return {
      ...wanted,
      message: `What begins with \`${name}\` is no setting${where}.`,
      remedy: `Write a blank behind the colon of \`${name}:\`, or remove it.`,
    }
  }
  return {
    ...wanted,
    message: `\`${name}\` is no setting${where}.`,
    remedy: meant === null ? `Remove it${known.length === 0 ? '' : `; known here: ${known.join(', ')}`}.` : `Write \`${meant}\`, or remove it.`,
  }
}

/** A value that was taken for a name, such as `apiKey:sk-…` without a blank in YAML, is not repeated: it may be a key. */
function nameOf(written: string): string {
  return /^[^\s:"'{[]{0,64}/.exec(written)?.[0] ?? ''
}

export function invalidSetting(path: readonly PropertyKey[], problem: string, remedy: string): Diagnostic {
  return { code: 'invalid_setting', path: pathText(path), message: `\`${pathText(path)}\` ${problem}.`, remedy }
}

export function invalidProfileId(id: string): Diagnostic {
  return invalidSetting(
    ['profiles', id],
    'is no profile id',
    'Name a profile `<family>.<alias>`, such as `openai.main`, without spaces, `/`, `#` or `:`.',
  )
}

export function unknownPrimary(primary: string, profiles: readonly string[]): Diagnostic {
  const blank = primary.trim() === ''
  return {
    code: 'unknown_primary',
    path: 'primary',
    message: blank ? 'No primary profile is named.' : `The primary profile \`${primary}\` is not configured.`,
    remedy: `Set \`primary\` to a configured profile (${listed(profiles)}).`,
  }
}

export function unknownBudgetProfile(profile: string, profiles: readonly string[]): Diagnostic {
  return {
    code: 'unknown_provider',
    path: pathText(['budgets', 'perProfile', profile]),
    message: `A budget is set for \`${profile}\`, which is not configured.`,
    remedy: `Name a configured profile (${listed(profiles)}).`,
  }
}

/** `provide`: what would make the credential that is written usable, for a profile that names one. */
export function missingCredential(profile: string, why: string | null, provide: string | null = null): Diagnostic {
  const write = `Set \`apiKey\` of \`${profile}\` to "env:NAME", { env: NAME }, { file: PATH } or a key`
  return {
    code: 'missing_credential',
    path: profilePath(profile, 'apiKey'),
    message: `Profile \`${profile}\` is called but has no usable credential in \`apiKey\`${why === null ? '' : `: ${why}`}.`,
    remedy: `${provide ?? write}, or take the profile out of the chain.`,
  }
}

export function missingGatewayKey(index: number, why: string): Diagnostic {
  return {
    code: 'missing_credential',
    path: `gateway.keys[${index}]`,
    message: `Key ${index + 1} of the gateway is not usable: ${why}.`,
    remedy: 'Provide it, or take the key out of `gateway.keys`; until the next start with it, it lets nobody in.',
  }
}

export function unknownKeyHint(key: number, place: number, hint: string, hints: readonly string[]): Diagnostic {
  return {
    code: 'unknown_hint',
    path: pathText(['gateway', 'keys', key, 'models', place]),
    message: `No route has the hint \`${hint}\`; whoever asks for it with this key is told that it does not exist.`,
    remedy: `Name a configured hint (${listed(hints)}), or take it out of the list.`,
  }
}

export function unknownKeyProfile(key: number, place: number, profile: string, profiles: readonly string[]): Diagnostic {
  return {
    code: 'unknown_provider',
    path: pathText(['gateway', 'keys', key, 'models', place]),
    message: `No profile is called \`${profile}\`, which a key of the gateway may ask for.`,
    remedy: `Name a configured profile (${listed(profiles)}), or take it out of the list.`,
  }
}

export function missingPoolCredential(profile: string, index: number, why: string): Diagnostic {
  return {
    code: 'missing_credential',
    path: profilePath(profile, 'apiKeys', index),
    message: `Credential ${index + 1} of the pool of profile \`${profile}\` is not usable: ${why}.`,
    remedy: `Give \`${profilePath(profile, 'apiKeys', index)}\` a key, or remove it from the pool.`,
  }
}

export function missingRouteCredential(index: number, why: string): Diagnostic {
  return {
    code: 'missing_credential',
    path: routePath(index, 'apiKey'),
    message: `Route ${index + 1} names a credential in \`apiKey\` that is not usable: ${why}.`,
    remedy: `Provide it, or remove \`${routePath(index, 'apiKey')}\` so that the target uses its own.`,
  }
}

export function conflictingPool(profile: string): Diagnostic {
  return {
    code: 'conflicting_credential',
    path: profilePath(profile, 'apiKeys'),
    message: `Profile \`${profile}\` has both \`apiKey\` and \`apiKeys\`.`,
    remedy: 'Keep one of them: `apiKey` for one credential, `apiKeys` for a pool.',
  }
}

/** `known`: the dialects of the protocol, none where it has none. */
export function unknownDialect(profile: string, dialect: string, api: string | null, known: readonly string[]): Diagnostic {
  const path = ['profiles', profile, 'dialect']
  if (known.length === 0) return invalidSetting(path, `is set, but ${api ?? 'a coding-agent CLI'} has no dialects`, 'Remove it.')
  const meant = nearest(dialect, known)
  const remedy = `${meant === null ? '' : `\`${meant}\` may be meant. `}Write one of: ${known.join(', ')}.`
  return invalidSetting(path, `is no dialect${api === null ? '' : ` of ${api}`}`, remedy)
}

export function requiredFieldEmpty(index: number, field: 'hint' | 'modelProvider' | 'model'): Diagnostic {
  return {
    code: 'required_field_empty',
    path: routePath(index, field),
    message: `Route ${index + 1} has no \`${field}\`.`,
    remedy: `Fill in \`${routePath(index, field)}\`, or remove the route.`,
  }
}

export function unknownProvider(index: number, provider: string, profiles: readonly string[]): Diagnostic {
  return {
    code: 'unknown_provider',
    path: routePath(index, 'modelProvider'),
    message: `Route ${index + 1} leads to \`${provider}\`, which is no configured profile.`,
    remedy: `Name a full profile id (${listed(profiles)}).`,
  }
}

export function duplicateHint(index: number, hint: string, first: number): Diagnostic {
  return {
    code: 'duplicate_hint',
    path: routePath(index, 'hint'),
    message: `Route ${index + 1} has the hint \`${hint}\`, which route ${first + 1} has already.`,
    remedy: 'Give each route its own hint.',
  }
}

export function unknownEffortHint(field: 'localHint' | 'cloudHint', hint: string, hints: readonly string[]): Diagnostic {
  return {
    code: 'unknown_effort_hint',
    path: pathText(['effortRouting', field]),
    message: `\`effortRouting.${field}\` names the hint \`${hint}\`, which no route has.`,
    remedy: `Add a route with this hint, or name one that exists (${listed(hints)}).`,
  }
}

export function noAllowedEntry(target: string): Diagnostic {
  return {
    code: 'no_allowed_entry',
    path: pathText(['effortRouting', 'localHint']),
    message: `The local hint leads to \`${target}\`, and neither it nor its fallbacks are local: nothing could be called.`,
    remedy: `Route the local hint to a local profile, or set \`zone: local\` on \`${target}\` if it is one.`,
  }
}

// What is reported and pruned: warnings.

export function unknownEscalation(written: string): Diagnostic {
  return {
    code: 'unknown_escalation',
    path: pathText(['effortRouting', 'escalation']),
    message: `Only "auto" lets a complex prompt take the cloud hint; with \`${written}\` every prompt stays local.`,
    remedy: 'Write "auto", or "never" where that is meant.',
  }
}

export function danglingFallback(profile: string, index: number, reference: string): Diagnostic {
  const blank = reference.trim() === ''
  return {
    code: 'dangling_fallback_ref',
    path: profilePath(profile, 'fallback', index),
    message: blank
      ? `A fallback of \`${profile}\` is blank; it is left out.`
      : `Fallback \`${reference}\` of \`${profile}\` is not configured; it is left out.`,
    remedy: 'Name a configured profile, or remove the reference.',
  }
}

export function fallbackCycle(profile: string, index: number, reference: string): Diagnostic {
  return {
    code: 'fallback_cycle',
    path: profilePath(profile, 'fallback', index),
    message: `Fallback \`${reference}\` of \`${profile}\` leads back to a profile already on the path; it is not followed.`,
    remedy: 'Remove the reference that closes the circle.',
  }
}

export function fallbackTooDeep(profile: string, index: number, reference: string, limit: number): Diagnostic {
  return {
    code: 'max_fallback_depth_exceeded',
    path: profilePath(profile, 'fallback', index),
    message: `Fallback \`${reference}\` of \`${profile}\` stands more than ${limit} hops below its target; it is not followed.`,
    remedy: 'List it as a fallback of a profile nearer to the target.',
  }
}

export function emptyFallbackModel(profile: string, index: number): Diagnostic {
  return {
    code: 'empty_fallback_model',
    path: profilePath(profile, 'fallbackModels', index),
    message: `A fallback model of \`${profile}\` is blank; it is left out.`,
    remedy: 'Name a model, or remove the item.',
  }
}

export function fallbackModelIsPrimary(profile: string, index: number, model: string): Diagnostic {
  return {
    code: 'fallback_model_duplicates_primary',
    path: profilePath(profile, 'fallbackModels', index),
    message: `Fallback model \`${model}\` of \`${profile}\` is its primary model already; it is left out.`,
    remedy: 'Name another model, or remove the item.',
  }
}

/** `path` is that of the edge or of the `fallbackModels` item that brought the entry again (C21). */
export function duplicateEntry(path: string, profile: string, model: string | null): Diagnostic {
  return {
    code: 'duplicate_entry',
    path,
    message: `\`${profile}/${model ?? '*'}\` stands earlier in the plan already; it is tried only there.`,
    remedy: 'Remove one of the two if the order is not what you want.',
  }
}

export function conflictingRouteCredential(index: number, target: string, first: number): Diagnostic {
  return {
    code: 'conflicting_credential',
    path: routePath(index, 'apiKey'),
    message: `Route ${index + 1} gives \`${target}\` another credential than route ${first + 1}; the one of route ${first + 1} is used.`,
    remedy: `Keep one of them, better on the profile \`${target}\` itself.`,
  }
}

export function routeModelIgnored(index: number, model: string, target: string, pin: string): Diagnostic {
  return {
    code: 'route_model_ignored',
    path: routePath(index, 'model'),
    message: `Route ${index + 1} asks for \`${model}\`, but its target \`${target}\` is pinned to \`${pin}\`.`,
    remedy: `Write \`${pin}\` in the route, or take the model away from the target.`,
  }
}

export function farLocalProfile(profile: string): Diagnostic {
  return {
    code: 'local_zone_far',
    path: profilePath(profile, 'zone'),
    message: `\`${profile}\` is local by its family, but its address is not of this network: a prompt that is to stay local would go there.`,
    remedy: 'Set `zone` to "cloud", or to "local" where that is meant.',
  }
}

export function credentialTrimmed(path: string): Diagnostic {
  return {
    code: 'credential_trimmed',
    path,
    message: 'The credential had white space around it, which was cut off.',
    remedy: 'Store the key without a line break or spaces.',
  }
}
