import { isAbsolute, resolve } from 'node:path'
import { isObject } from './batch.ts'

/**
 * The settings of a file with the paths in `cli` of its profiles seen from the file's folder, as that is where somebody wrote them: the same
 * file means the same from every folder below it. A command that is a bare name is looked for on PATH and stays one. What is written wrongly
 * stays as it is; the check says so.
 */
export function pathsFrom(folder: string, written: unknown): unknown {
  if (!isObject(written) || !isObject(written['profiles'])) return written
  const profiles = Object.entries(written['profiles']).map(([id, profile]) => [id, profileFrom(folder, profile)])
  return { ...written, profiles: Object.fromEntries(profiles) }
}

function profileFrom(folder: string, profile: unknown): unknown {
  if (!isObject(profile) || !isObject(profile['cli'])) return profile
  const cli = { ...profile['cli'] }
  const { directory, command } = cli
  if (isPath(directory)) cli['directory'] = resolve(folder, directory)
  if (isPath(command) && /[/\\]/.test(command)) cli['command'] = resolve(folder, command)
  return { ...profile, cli }
}

function isPath(written: unknown): written is string {
  return typeof written === 'string' && written !== '' && !isAbsolute(written)
}
