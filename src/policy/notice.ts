import { familyOf, type Identity } from '../model/plan.ts'
import type { Settings } from '../model/settings.ts'

/**
 * What a person is told about a fallback, or null (R35, C33). The mode governs a fallback inside one family; a change of family is
 * always told, with identifiers only in `detailed`.
 */
export function notice(
  attribution: { readonly requested: Identity; readonly served: Identity } | null,
  mode: Settings['modelFallbackNotice'],
): string | null {
  if (attribution === null) return null
  const { requested, served } = attribution
  if (mode === 'detailed') return `Requested ${requested.profile}/${requested.model}; answered by ${served.profile}/${served.model}.`
  const sameFamily = familyOf(requested.profile) === familyOf(served.profile)
  return mode === 'off' && sameFamily ? null : 'Another model or provider answered.'
}
