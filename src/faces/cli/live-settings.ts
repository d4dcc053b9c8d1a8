import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type ParticipantFile, type SettingsWatch, secretValues, watchSettings } from '../../host.ts'
import { ConfigError, checkConfig, type Diagnostic, type Kernel, type KernelConfig, type Logger, type Settings } from '../../index.ts'
import { isObject } from './batch.ts'
import type { SettingsFile } from './settings-file.ts'
import { readTeamFiles, writtenAnew } from './team-settings.ts'

/**
 * The settings of a run, which are taken anew when their file changes (R12).
 *
 * 1. What is taken is what `relevo run` would begin with: the participants beside the file are looked at with it.
 * 2. The participants at work are those of the beginning; settings under which a profile of theirs could not be called are refused.
 * 3. A secret is known to the log before the kernel has it, and stays known: a call in flight may still have it.
 */
export class LiveSettings {
  readonly #file: SettingsFile
  readonly #participants: readonly ParticipantFile[]
  /** What is read once counts as it was then. */
  readonly #atBegin: Settings
  #secrets: readonly string[]
  #watch: SettingsWatch | null = null

  constructor(file: SettingsFile, settings: Settings, participants: readonly ParticipantFile[]) {
    this.#file = file
    this.#atBegin = settings
    this.#participants = participants
    this.#secrets = secretValues(settings)
  }

  get secrets(): readonly string[] {
    return this.#secrets
  }

  /** `tell`: a line for the person; `logger`: that of the kernel. */
  follow(kernel: Kernel, logger: Logger, tell: (line: string) => void): void {
    let later: readonly string[] = []
    this.#watch = watchSettings(this.#file.path, {
      text: this.#file.text ?? undefined,
      keyFolder: dirname(this.#file.path),
      reload: (written) => {
        const { file, settings } = this.#checked(written)
        this.#secrets = [...new Set([...this.#secrets, ...secretValues(settings)])]
        kernel.reload(file.written as KernelConfig)
        later = ONCE.filter((part) => !isDeepStrictEqual(settings[part], this.#atBegin[part]))
      },
      onReloaded: () => {
        logger.info({}, 'settings.reloaded')
        tell(`settings reloaded${later.length === 0 ? '' : `; what differs in \`${later.join('` and `')}\` counts from the next start`}`)
      },
      onRefused: (problems) => {
        logger.warn({ problems: problems.map(({ code, path }) => ({ code, path })) }, 'settings.refused')
        for (const { code, path, message, remedy } of problems) tell(`settings refused: ${code} ${path}: ${message} ${remedy}`)
      },
    })
  }

  close(): void {
    this.#watch?.close()
  }

  #checked(written: unknown): { readonly file: SettingsFile; readonly settings: Settings } {
    const read = readTeamFiles(writtenAnew(this.#file, written))
    if ('problems' in read) throw new ConfigError(read.problems)
    const problems = [...this.#profilesAtWork()].flatMap(([id, participant]) => problemsOf(read.file, id, participant))
    if (problems.length > 0) throw new ConfigError(problems)
    return read
  }

  /** Profiles that participants at work name, each with the first who does. */
  #profilesAtWork(): Map<string, string> {
    const named = new Map<string, string>()
    for (const { id, provider, failover } of this.#participants) {
      for (const entry of [provider, ...failover]) {
        const [name = ''] = entry.split(':', 1)
        if (name.includes('.') && !named.has(name)) named.set(name, id)
      }
    }
    return named
  }
}

/** Why a profile could not be called: a team without a primary has none that the settings themselves are checked for. */
function problemsOf({ written, secrets }: SettingsFile, id: string, participant: string): readonly Diagnostic[] {
  const profiles = isObject(written) && isObject(written['profiles']) ? written['profiles'] : {}
  const profile = profiles[id]
  if (isObject(profile)) return checkConfig({ primary: id, profiles: { [id]: { ...profile, fallback: [], fallbackModels: [] } } }, { secrets }).errors
  const message = `${participant}, who is at work, runs on \`${id}\`, which is configured no more.`
  return [{ code: 'unknown_provider', path: `profiles.${id}`, message, remedy: 'Leave the profile in until the next start.' }]
}

/** Parts of the settings that a run reads when it begins and not again. */
const ONCE = ['team', 'ledger'] as const
