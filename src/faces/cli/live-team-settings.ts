import { isDeepStrictEqual } from 'node:util'
import type { ParticipantFile } from '../../host.ts'
import { ConfigError, checkConfig, type Diagnostic, type Settings } from '../../index.ts'
import { isObject } from './batch.ts'
import { LiveSettings } from './live-settings.ts'
import type { SettingsFile } from './settings-file.ts'
import { readTeamFiles, writtenAnew } from './team-settings.ts'

/**
 * The settings of a run, which are taken anew when their file changes.
 *
 * 1. What is taken is what `relevo run` would begin with: the participants beside the file are looked at with it.
 * 2. The participants at work are those of the beginning; settings under which a profile of theirs could not be called are refused.
 */
export function liveTeamSettings(file: SettingsFile, settings: Settings, participants: readonly ParticipantFile[]): LiveSettings {
  const atWork = profilesOf(participants)
  return new LiveSettings({
    file,
    settings,
    read: (written) => {
      const read = readTeamFiles(writtenAnew(file, written))
      if ('problems' in read) throw new ConfigError(read.problems)
      const problems = [...atWork].flatMap(([id, participant]) => problemsOf(read.file, id, participant))
      if (problems.length > 0) throw new ConfigError(problems)
      return { config: read.file.written, settings: read.settings, warnings: [] }
    },
    later: (next, begun) => ONCE.filter((part) => !isDeepStrictEqual(next[part], begun[part])),
  })
}

/** Parts of the settings that a run reads when it begins and not again. */
const ONCE = ['team', 'ledger'] as const

/** Profiles that participants name, each with the first who does. */
function profilesOf(participants: readonly ParticipantFile[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>()
  for (const { id, provider, failover } of participants) {
    for (const entry of [provider, ...failover]) {
      const [name = ''] = entry.split(':', 1)
      if (name.includes('.') && !named.has(name)) named.set(name, id)
    }
  }
  return named
}

/** Why a profile could not be called: a team without a primary has none that the settings themselves are checked for. */
function problemsOf({ written, secrets }: SettingsFile, id: string, participant: string): readonly Diagnostic[] {
  const profiles = isObject(written) && isObject(written['profiles']) ? written['profiles'] : {}
  const profile = profiles[id]
  if (isObject(profile)) return checkConfig({ primary: id, profiles: { [id]: { ...profile, fallback: [], fallbackModels: [] } } }, { secrets }).errors
  const message = `${participant}, who is at work, runs on \`${id}\`, which is configured no more.`
  return [{ code: 'unknown_provider', path: `profiles.${id}`, message, remedy: 'Leave the profile in until the next start.' }]
}
