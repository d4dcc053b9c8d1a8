import type { Diagnostic } from '../model/plan.ts'
import type { Profile } from '../model/settings.ts'
import { profilePath } from './diagnostics.ts'
import { FAMILIES } from './families.ts'
import { nearest } from './nearest.ts'

/** Why no engine can be made for a profile, and what to write instead (R5). `apis`: the protocols that are spoken. */
export function unbuildableProfile({ id, family, api }: Profile, apis: readonly string[]): Diagnostic {
  const known = `to one of: ${apis.join(', ')}.`
  if (api === null) {
    const meant = nearest(family, [...FAMILIES.keys()])
    return finding(id, 'api', `the family ${family} has no protocol of its own`, `${mayBe(meant, 'The family ')}Set \`api\` ${known}`)
  }
  if (!apis.includes(api)) return finding(id, 'api', `the protocol ${api} is unknown`, `${mayBe(nearest(api, apis))}Set \`api\` ${known}`)
  const alias = FAMILIES.get(family)?.alias ?? null
  if (alias === null) return finding(id, 'endpoint', 'it has no endpoint', 'Set `endpoint` to the address of the provider.')
  const remedy = `Name the profile after ${alias.called}, such as \`${family}.${alias.example}\`, or set \`endpoint\` to the address of the provider.`
  return finding(id, 'endpoint', `it has no endpoint, and its alias is not ${alias.called}`, remedy)
}

function mayBe(meant: string | null, what = ''): string {
  return meant === null ? '' : `${what}\`${meant}\` may be meant. `
}

function finding(id: string, field: 'api' | 'endpoint', why: string, remedy: string): Diagnostic {
  return { code: 'unbuildable_profile', path: profilePath(id, field), message: `Profile \`${id}\` cannot be built: ${why}.`, remedy }
}
