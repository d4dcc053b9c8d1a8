import type { Checked, CheckOptions } from '../../src/config/check.ts'
import { checkConfig } from '../../src/config/check.ts'
import type { Settings } from '../../src/model/settings.ts'

/** Variables and files that a test lays out; nothing of the machine is read. */
export interface Store {
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
}

export function check(config: unknown, store: Store = {}, buildable?: CheckOptions['buildable']): Checked {
  return checkConfig(config, { secrets: { env: (name) => store.env?.[name], file: (path) => store.files?.[path] }, buildable })
}

/** Settings that the test expects to be sound. */
export function sound(config: unknown, store: Store = {}): Settings {
  const { settings, errors } = check(config, store)
  if (settings === null) throw new Error(`the settings of this test are not sound: ${JSON.stringify(errors)}`)
  return settings
}

/** `code path`, one a finding. */
export function brief(findings: readonly { readonly code: string; readonly path: string }[]): string[] {
  return findings.map(({ code, path }) => `${code} ${path}`)
}

/** One profile `a.x` with model `m1`, and whatever the test adds. */
export function withProfiles(profiles: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey: 'k-dummy' }, ...profiles }, ...more }
}
