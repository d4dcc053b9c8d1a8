import { dirname } from 'node:path'
import { type SettingsWatch, secretValues, watchSettings } from '../../host.ts'
import type { Diagnostic, Kernel, KernelConfig, Logger, Settings } from '../../index.ts'
import { diagnosticLine } from './problems.ts'
import type { SettingsFile } from './settings-file.ts'

/** What a settings file says now, where it can be taken. */
export interface ReadAnew {
  readonly config: unknown
  readonly settings: Settings
  /** To be told once they are taken. */
  readonly warnings: readonly Diagnostic[]
}

export interface LiveSettingsOptions {
  readonly file: SettingsFile
  /** Those of the beginning: what is read once counts as it was then. */
  readonly settings: Settings
  /** Throws ConfigError with every problem of what is written. */
  readonly read: (written: unknown) => ReadAnew
  /** The parts that differ and are read once, when the process begins. */
  readonly later: (next: Settings, begun: Settings) => readonly string[]
}

/**
 * The settings of a process that goes on for long, which are taken anew when their file changes (R12).
 *
 * 1. New settings count from the next turn on; of what is read once the person is told that it counts from the next start.
 * 2. A secret is known to the log before the kernel has it, and stays known: a call in flight may still have it.
 */
export class LiveSettings {
  readonly #options: LiveSettingsOptions
  #present: Settings
  #secrets: readonly string[]
  #watch: SettingsWatch | null = null

  constructor(options: LiveSettingsOptions) {
    this.#options = options
    this.#present = options.settings
    this.#secrets = secretValues(options.settings)
  }

  /** Those in force. */
  get present(): Settings {
    return this.#present
  }

  get secrets(): readonly string[] {
    return this.#secrets
  }

  /** `tell`: a line for the person; `logger`: that of the kernel. */
  follow(kernel: Kernel, logger: Logger, tell: (line: string) => void): void {
    const { file, settings: begun, read, later } = this.#options
    let warnings: readonly Diagnostic[] = []
    this.#watch = watchSettings(file.path, {
      text: file.text ?? undefined,
      keyFolder: dirname(file.path),
      reload: (written) => {
        const next = read(written)
        this.#secrets = [...new Set([...this.#secrets, ...secretValues(next.settings)])]
        kernel.reload(next.config as KernelConfig)
        this.#present = next.settings
        warnings = next.warnings
      },
      onReloaded: () => {
        const parts = later(this.#present, begun)
        logger.info({}, 'settings.reloaded')
        tell(`settings reloaded${parts.length === 0 ? '' : `; what differs in \`${parts.join('` and `')}\` counts from the next start`}`)
        for (const warning of warnings) tell(`warning: ${file.path}: ${diagnosticLine(warning)}`)
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
}
