import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The settings by which the Gemini CLI does not ask again by itself (cli-engines.md §4): without them it prints a second answer behind the
 * broken one. `gemini-defaults.json` holds them; of all its settings files the one that is named here gives way to every other.
 *
 * 1. Nothing is hidden: where the machine has such a file, or its settings are kept in another place, the variable is left alone.
 * 2. Where it is passed over nothing is lost but a warning of one line: 0.61.0 takes it from root alone, with every folder above it, which
 *    others cannot write to (google-gemini/gemini-cli 29115); versions before that take it from anybody.
 * 3. On Windows nothing is set: there that check starts a PowerShell in every run, and refuses what is not an administrator's.
 *
 * Refused: its telemetry, which tells of a retry and nobody else does, since it would be taken from whom it was set up for; a settings file in
 * the folder it works in, or a home of our own, since those are a person's files and logins.
 */
const NAME = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'

/** Where it keeps its settings; the defaults stand in the same folder. */
const SETTINGS = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'

export interface Machine {
  readonly platform: string
  readonly exists: (path: string | URL) => boolean
}

const HERE: Machine = { platform: process.platform, exists: existsSync }

export function geminiDefaults(seen: Readonly<Record<string, string>>, { platform, exists }: Machine = HERE): Readonly<Record<string, string>> {
  if (platform === 'win32' || seen[SETTINGS] || exists(defaultsOfMachine(platform))) return {}
  // A bundle of an application may have left the file behind.
  const file = new URL('./gemini-defaults.json', import.meta.url)
  return file.protocol === 'file:' && exists(file) ? { [NAME]: fileURLToPath(file) } : {}
}

function defaultsOfMachine(platform: string): string {
  return join(platform === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli', 'system-defaults.json')
}
