import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ParticipantFile } from '../../host.ts'
import { checkConfig, type Diagnostic, type Settings, type TeamConfig } from '../../index.ts'
import { readTeamFolder, teamPaths } from '../daemon/team-folder.ts'
import { isObject } from './batch.ts'
import type { Io } from './io.ts'
import { BadInput, diagnosticLine } from './problems.ts'
import { requireSettings, type SettingsFile } from './settings-file.ts'
import { pathsFrom } from './settings-paths.ts'

/** A team as its folder says: settings and participants. */
export interface TeamFiles {
  readonly file: SettingsFile
  /** Where the settings file stands: the folder of the team. */
  readonly directory: string
  readonly participants: readonly ParticipantFile[]
  readonly settings: Settings
  readonly warnings: readonly Diagnostic[]
}

/** The settings file of the team in `folder`, which is the one to be meant where it is named; else the nearest above. */
export function teamFile(io: Io, folder: string | undefined, config: string | undefined): SettingsFile {
  const cwd = folder === undefined ? io.cwd : resolve(io.cwd, folder)
  const file = withTeam(requireSettings({ ...io, cwd }, config))
  if (folder !== undefined && config === undefined && dirname(file.path) !== cwd) {
    throw new BadInput([`${cwd}: here is no relevo.yaml. Write a team with \`relevo init ${folder}\`, or name its folder.`])
  }
  return file
}

/** Settings and participants. Throws BadInput with every problem of all of them. */
export function requireTeam(io: Io, folder: string | undefined, config: string | undefined): TeamFiles {
  const file = teamFile(io, folder, config)
  const read = readTeamFiles(file)
  if ('problems' in read) throw new BadInput(read.problems.map((problem) => placedLine(file.path, problem)))
  return read
}

/** A settings file and the participants beside it; or every problem of all of them. */
export function readTeamFiles(file: SettingsFile): TeamFiles | { readonly problems: readonly Diagnostic[] } {
  const { settings, errors } = checkConfig(file.written, { secrets: file.secrets })
  const { participants, warnings, errors: others } = readBeside(file, settings?.team ?? null)
  const problems = [...errors, ...others]
  if (settings === null || participants === null || problems.length > 0) return { problems }
  return { file, directory: dirname(file.path), participants, settings, warnings }
}

/** The settings file of a team with what is written in it now. */
export function writtenAnew(file: SettingsFile, written: unknown): SettingsFile {
  return withTeam({ ...file, written: pathsFrom(dirname(file.path), written) })
}

/** The participants beside a settings file, each finding with the whole path of the file that it stands in. */
function readBeside(file: SettingsFile, settings: TeamConfig | null): ReturnType<typeof readTeamFolder> {
  const directory = dirname(file.path)
  const read = readTeamFolder(directory, { profiles: profileIds(file.written), order: settings?.order ?? 'rotation' })
  const placed = (findings: readonly Diagnostic[]): Diagnostic[] =>
    findings.map((finding) => (isOfFile(finding.path) ? { ...finding, path: join(directory, finding.path) } : finding))
  return { ...read, errors: placed(read.errors), warnings: placed(read.warnings) }
}

/** The other findings are about a setting. */
function isOfFile(path: string): boolean {
  return path === 'participants' || path.startsWith('participants/')
}

/** What is wrong with the participants of a settings file; null where it is none of a team. */
export function participantFindings(file: SettingsFile): Pick<ReturnType<typeof readTeamFolder>, 'errors' | 'warnings'> | null {
  if (!isObject(file.written) || !('team' in file.written)) return null
  return readBeside(file, checkConfig(file.written, { secrets: file.secrets }).settings?.team ?? null)
}

/** One line about a finding: one of a setting stands behind the file of the settings, one of a participant has its own. */
export function placedLine(settings: string, finding: Diagnostic): string {
  const { participants } = teamPaths(dirname(settings))
  return `${finding.path.startsWith(participants) ? '' : `${settings}: `}${diagnosticLine(finding)}`
}

/** A file that names neither is one of a team where participants stand beside it. */
export function asTeamWithParticipants(file: SettingsFile): SettingsFile {
  return existsSync(teamPaths(dirname(file.path)).participants) ? withTeam(file) : file
}

/** A file without a primary is one of a team, also where it says nothing of it. */
function withTeam(file: SettingsFile): SettingsFile {
  const { written } = file
  if (written === null) return { ...file, written: { team: {} } }
  const isBare = isObject(written) && !('primary' in written) && !('team' in written)
  return isBare ? { ...file, written: { ...written, team: {} } } : file
}

export function profileIds(written: unknown): string[] {
  return isObject(written) && isObject(written['profiles']) ? Object.keys(written['profiles']) : []
}
