import { isAbsolute } from 'node:path'
import { isSecretName } from '../../model/secret-values.ts'
import { isZone } from '../../model/zone.ts'

/**
 * What a program sees of the environment.
 *
 * 1. Only what is on a list: keys of other providers, tokens of the host and its `NODE_OPTIONS` (which would run the host's own code in a
 *    program written for Node) stay here.
 * 2. The later wins: what every program sees, what this one may see besides, what is fixed for it, what the operator set for the profile.
 * 3. Defaults of a program give way to all of these.
 * 4. A profile with a key of its own is not signed in by the host besides: credentials of the two never meet in one request (R1, R11).
 * 5. `TZ` is UTC unless the operator set another, so that a printed clock means one instant (cli-engines.md §7).
 */
const EVERY_PROGRAM = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_*', 'TMPDIR', 'TMP', 'TEMP', 'XDG_*'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
]

/** Without these nothing starts on Windows; there a name may be written in any case. */
const EVERY_PROGRAM_ON_WINDOWS = [
  ...['Path', 'PATHEXT', 'SystemRoot', 'SYSTEMROOT', 'SystemDrive', 'windir', 'COMSPEC', 'ComSpec', 'OS', 'PROCESSOR_ARCHITECTURE'],
  ...['USERNAME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'ProgramData', 'ProgramFiles', 'ProgramFiles(x86)'],
]

/** Output is read by a program, not shown: no colours, no cursor. */
const FIXED = { TERM: 'dumb', NO_COLOR: '1' }

const UTC = 'UTC'

/** Credentials that a program sees only where it is told to sign in with them. Elsewhere they are somebody else's. */
export interface SwitchedVariables {
  /** One of these variables is set, and not to 0 or another no. */
  readonly by: readonly string[]
  readonly variables: readonly string[]
}

export interface EnvironmentLists {
  /** What it may see of the host: names, or beginnings of names that end in `*`. */
  readonly variables: readonly string[]
  /** What of these it may not see after all, named alike. */
  readonly withheld?: readonly string[] | undefined
  readonly switched?: readonly SwitchedVariables[] | undefined
  readonly fixed: Readonly<Record<string, string>>
  /** The profile's own. */
  readonly own: Readonly<Record<string, string>>
  /** The program's defaults for what is seen already. */
  readonly defaults?: ((seen: Readonly<Record<string, string>>) => Readonly<Record<string, string>>) | undefined
}

export function environmentFor(host: Readonly<Record<string, string | undefined>>, lists: EnvironmentLists): Record<string, string> {
  const isWithheld = listed(lists.withheld ?? [])
  const ofHost = (names: readonly string[]): [string, string][] => {
    const isListed = listed(names)
    return Object.entries(host).flatMap(([name, value]) => (value !== undefined && isListed(name) && !isWithheld(name) ? [[name, value]] : []))
  }
  const seen = new Map(ofHost([...EVERY_PROGRAM, ...EVERY_PROGRAM_ON_WINDOWS, ...lists.variables]))
  const isOn = (name: string): boolean => !NO.test(lists.own[name] ?? seen.get(name) ?? '')
  for (const { by, variables } of lists.switched ?? []) if (by.some(isOn)) for (const [name, value] of ofHost(variables)) seen.set(name, value)
  for (const set of [FIXED, lists.fixed, { TZ: UTC }, lists.own]) for (const [name, value] of Object.entries(set)) seen.set(name, value)
  const without = Object.fromEntries(seen)
  return { ...lists.defaults?.(without), ...without }
}

const NO = /^(?:0|false|no|off|)$/i

function listed(list: readonly string[]): (name: string) => boolean {
  const names = new Set(list)
  const beginnings = list.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1))
  return (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning))
}

/**
 * Values that a program may echo and that belong in no log: what is named like a credential, and what the operator set for the profile, as
 * the key of a service that its own configuration names. A path or a zone is none.
 */
export function credentialsIn(environment: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>): string[] {
  const isOne = (name: string, value: string): boolean =>
    isSecretName(name) || (/PROXY/i.test(name) && value.includes('@')) || (Object.hasOwn(own, name) && name !== 'TZ' && !isAbsolute(value))
  return Object.entries(environment).flatMap(([name, value]) => (value.length >= SHORTEST_CREDENTIAL && isOne(name, value) ? [value] : []))
}

/** Shorter values are words that stand in many a message. */
const SHORTEST_CREDENTIAL = 8

/**
 * The zone in which a program with this environment prints its clocks. One that is none is UTC, as the programs themselves have it
 * (cli-engines.md §2). The colon that POSIX allows in front is no part of the name.
 */
export function timeZoneOf(environment: Readonly<Record<string, string>>): string {
  const zone = (environment['TZ'] ?? '').replace(/^:/, '')
  // By name: an offset such as `+05:00` is a zone to Intl and none to a process.
  return /^[A-Za-z]/.test(zone) && isZone(zone) ? zone : UTC
}
