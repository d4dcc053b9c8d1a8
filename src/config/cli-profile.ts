import type { CliSettings } from '../model/cli.ts'
import { discreet } from '../model/discreet.ts'
import { type Diagnostic, familyOf } from '../model/plan.ts'
import type { Capabilities, Profile, Settings } from '../model/settings.ts'
import { cliSchema } from './cli-schema.ts'
import { pathText } from './diagnostics.ts'
import { CLI_FAMILIES, FAMILIES } from './families.ts'
import type { DomainGraph } from './graph.ts'
import type { ProfileInput } from './profile-schema.ts'
import type { SettingsInput } from './schema.ts'

/**
 * Profiles of coding-agent CLIs.
 *
 * 1. A profile is one when its family is, no `api` makes an HTTP service of it, and the host serves it with no engine of its own.
 * 2. What would be passed over in silence is fatal: `cli` on an HTTP service, and what only a service is told on a program.
 * 3. A program that this machine lacks is no fault of the settings: it is left out with a warning, and only a target with nothing left is
 *    fatal (T10, G18).
 */

/** Where the program of a profile is, or how to get it; undefined when it is not to be looked for. The room itself reads no disk. */
export type Locate = (
  profile: Profile,
) => { readonly path: string; readonly takesKey?: boolean } | { readonly command: string; readonly install: string } | undefined

/** Its own tools are all that a CLI can use, and text is all it can be sent. */
const CLI_CAPABILITIES: Capabilities = { streaming: true, toolEvents: false, tools: false, vision: false }

export function isProgram(id: string, { api }: Pick<ProfileInput, 'api'>): boolean {
  return api === null && FAMILIES.get(familyOf(id))?.isProgram === true
}

export function cliSettingsOf(id: string, written: ProfileInput): CliSettings | null {
  return isProgram(id, written) ? { ...(written.cli ?? cliSchema.parse({})), path: null, absent: false } : null
}

/** The profiles as all else gets them: each program looked for, and discreet from here on. */
export function withPrograms(profiles: ReadonlyMap<string, Profile>, locate: Locate | undefined): ReadonlyMap<string, Profile> {
  return new Map([...profiles].map(([id, profile]) => [id, discreet(withProgram(profile, locate))]))
}

function withProgram(profile: Profile, locate: Locate | undefined): Profile {
  const { cli } = profile
  if (cli === null) return profile
  if (locate === undefined) return { ...profile, capabilities: CLI_CAPABILITIES }
  const found = locate(profile)
  if (found === undefined) return { ...profile, cli: null }
  return { ...profile, capabilities: CLI_CAPABILITIES, cli: { ...cli, ...('path' in found ? { path: found.path } : { absent: true }) } }
}

export function isAbsent(profile: Profile | undefined): boolean {
  return profile?.cli?.absent === true
}

/** What is to be said of programs that are not there: an error for a target that has nothing else, a warning for the rest within reach. */
export function absentPrograms(
  settings: Settings,
  domains: readonly DomainGraph[],
  locate?: Locate,
): { errors: Diagnostic[]; warnings: Diagnostic[] } {
  const errors = new Map<string, Diagnostic>()
  const warnings = new Map<string, Diagnostic>()
  for (const { visits } of domains) {
    const missing = visits.flatMap(({ profile: id }) => settings.profiles.get(id) ?? []).filter(isAbsent)
    const isAlone = missing.length === visits.length
    for (const profile of missing) (isAlone ? errors : warnings).set(profile.id, notInstalled(profile, locate, isAlone))
  }
  return { errors: [...errors.values()], warnings: [...warnings].filter(([id]) => !errors.has(id)).map(([, warning]) => warning) }
}

function notInstalled(profile: Profile, locate: Locate | undefined, isAlone: boolean): Diagnostic {
  const { id, cli } = profile
  const missing = locate?.(profile)
  const program =
    missing !== undefined && 'install' in missing ? missing : { command: cli?.command ?? profile.family, install: 'the way its maker says' }
  const follows = `profile \`${id}\` ${isAlone ? 'cannot be used' : 'is left out'}.`
  // A path that was written may lead nowhere, or to a file that nobody may run: what stands in the settings is then to be changed first.
  const [message, remedy] =
    cli?.command == null
      ? [
          `There is no program \`${program.command}\` on this machine; ${follows}`,
          // The profile may stand in no file (`relevo turn --engine`), so that no place in one is named.
          `Install it: ${program.install} – or name its path in \`cli.command\` of a profile.`,
        ]
      : [
          `\`${program.command}\` is no program that this machine can run; ${follows}`,
          `Correct \`profiles.${id}.cli.command\`, or leave it out and install the program: ${program.install}`,
        ]
  return { code: 'cli_not_installed', path: pathText(['profiles', id]), message, remedy }
}

/** What a profile of a program, or a route to one, says that no run of it would hear. */
export function unheardSettings({ profiles, modelRoutes }: SettingsInput, settings: Settings, locate: Locate | undefined): Diagnostic[] {
  return Object.entries(profiles).flatMap(([id, written]) => {
    const profile = settings.profiles.get(id)
    const found = profile === undefined || profile.cli === null ? undefined : locate?.(profile)
    if (found === undefined) return []
    const services = serviceFields(written).map((field) =>
      unheard(id, ['profiles', id, field], 'write what the program is to be told into `cli.args` and `cli.env`'),
    )
    if (!('path' in found) || found.takesKey !== false) return services
    const keys = (['apiKey', 'apiKeys'] as const).filter((field) => isKey(written[field])).map((field) => ['profiles', id, field])
    const routed = modelRoutes.flatMap(({ modelProvider, apiKey }, index) =>
      modelProvider === id && isKey(apiKey) ? [['modelRoutes', index, 'apiKey']] : [],
    )
    return [...services, ...[...keys, ...routed].map((path) => unheard(id, path, 'sign in with the program itself'))]
  })
}

/** A blank one is none (C50). */
function isKey(written: unknown): boolean {
  return written !== null && !(typeof written === 'string' && written.trim() === '')
}

/** Those that are not as they are when nobody writes them. A `dialect` is told elsewhere: it needs a protocol. */
function serviceFields({ endpoint, headers, body, completion }: ProfileInput): string[] {
  const stated = {
    endpoint: endpoint !== null,
    headers: Object.keys(headers).length > 0,
    body: Object.keys(body).length > 0,
    completion: completion !== 'strict',
  }
  return Object.entries(stated).flatMap(([field, isStated]) => (isStated ? [field] : []))
}

function unheard(id: string, path: readonly (string | number)[], instead: string): Diagnostic {
  return {
    code: 'unknown_setting',
    path: pathText(path),
    message: `\`${path.at(-1)}\` is no setting of \`${id}\`, which runs a program.`,
    remedy: `Remove it; ${instead}.`,
  }
}

/** `cli` says nothing to an HTTP service. */
export function strayCliSettings(profiles: Readonly<Record<string, ProfileInput>>): Diagnostic[] {
  return Object.entries(profiles)
    .filter(([id, profile]) => profile.cli !== null && !isProgram(id, profile))
    .map(([id]) => ({
      code: 'unknown_setting',
      path: pathText(['profiles', id, 'cli']),
      message: `\`cli\` is no setting of \`${id}\`, which is no coding-agent CLI.`,
      remedy: `Remove it, or name the profile after one: ${CLI_FAMILIES.join(', ')}.`,
    }))
}
