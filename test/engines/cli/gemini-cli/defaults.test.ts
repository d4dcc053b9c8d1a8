import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { geminiDefaults } from '../../../../src/engines/cli/gemini-cli/defaults.ts'

const FILE = fileURLToPath(new URL('../../../../src/engines/cli/gemini-cli/gemini-defaults.json', import.meta.url))
const BUILT = fileURLToPath(new URL('../../../../dist/gemini-defaults.json', import.meta.url))

const machine = (platform: string, ...files: readonly string[]) => ({
  platform,
  exists: (path: string | URL) => files.includes(path instanceof URL ? fileURLToPath(path) : path),
})
const LINUX = '/etc/gemini-cli/system-defaults.json'
const MAC = '/Library/Application Support/GeminiCli/system-defaults.json'

describe('CliProgram 1: the Gemini CLI does not ask again by itself', () => {
  it.each([FILE, BUILT])('its settings say so, beside the module in src and in dist: %s', (file) => {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ general: { maxAttempts: 1, retryFetchErrors: false } })
  })

  it.each([
    ['linux', machine('linux', FILE)],
    ['macOS', machine('darwin', FILE, LINUX)],
    ['another', machine('freebsd', FILE, MAC)],
  ])('it is pointed to them on %s', (_name, one) => {
    expect(geminiDefaults({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: '' }, one)).toEqual({ GEMINI_CLI_SYSTEM_DEFAULTS_PATH: FILE })
  })

  it.each([
    ['a machine with a file of that kind', {}, machine('linux', FILE, LINUX)],
    ['a Mac with one', {}, machine('darwin', FILE, MAC)],
    ['one whose settings are kept elsewhere', { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/opt/team/settings.json' }, machine('linux', FILE)],
    ['Windows', {}, machine('win32', FILE)],
    ['a bundle that left the file behind', {}, machine('linux')],
  ])('but not %s', (_what, seen, one) => {
    expect(geminiDefaults(seen, one)).toEqual({})
  })
})
