import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { installedGenaiPrices } from '../../genai-prices.ts'
import { readSettingsFile } from '../../host.ts'
import { ConfigError, createKernel, type Diagnostic, type Kernel, type KernelConfig, type KernelPorts, type SecretSource } from '../../index.ts'
import type { Io } from './io.ts'
import { BadInput, diagnosticLine } from './problems.ts'
import { pathsFrom } from './settings-paths.ts'

/** Settings as written, and where. */
export interface SettingsFile {
  readonly path: string
  /** As it was read; null where there is no file. */
  readonly text: string | null
  readonly written: unknown
  readonly secrets: SecretSource
}

/** The first that is there is meant. */
export const SETTINGS_NAMES = ['relevo.yaml', 'relevo.yml', 'relevo.json']

/** The settings file that is named, else the first of `relevo.yaml`, `.yml`, `.json` in the working directory or above it. */
export function findSettings(io: Io, named: string | undefined): SettingsFile | { readonly faults: readonly Diagnostic[] } {
  const path = named === undefined ? searched(io.cwd) : resolve(io.cwd, named)
  if (path !== null) return readSettings(path, io)
  return {
    faults: [
      {
        code: 'no_settings',
        path: io.cwd,
        message: `Neither here nor above is a ${SETTINGS_NAMES.join(', ').replace(/, ([^,]*)$/, ' or $1')}.`,
        remedy: 'Write one, as `relevo check --help` shows it, or name a file with --config.',
      },
    ],
  }
}

function searched(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const found = SETTINGS_NAMES.map((name) => join(folder, name)).find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    if (found !== undefined) return found
    if (dirname(folder) === folder) return null
  }
}

function readSettings(path: string, io: Io): SettingsFile | { readonly faults: readonly Diagnostic[] } {
  const read = readSettingsFile(path)
  if ('written' in read) {
    const folder = dirname(path)
    return { path, text: read.text, written: pathsFrom(folder, read.written), secrets: secretsOf(io, folder) }
  }
  const remedy = 'Check the path and its permissions, or name another file with --config.'
  return { faults: read.problems.map((problem) => (problem.code === 'unreadable_file' ? { ...problem, remedy } : problem)) }
}

/** Key files are meant from the settings file, as that is where somebody wrote the path. */
function secretsOf(io: Io, folder: string): SecretSource {
  return {
    env: (name) => io.env[name],
    file: (path) => {
      try {
        return readFileSync(isAbsolute(path) ? path : join(folder, path), 'utf8')
      } catch {
        // An unreadable file is an absent credential; the settings check says which and what to do.
        return undefined
      }
    },
  }
}

/** The settings file of a command that needs one; throws BadInput with every fault. */
export function requireSettings(io: Io, named: string | undefined): SettingsFile {
  const found = findSettings(io, named)
  if ('faults' in found) throw new BadInput(found.faults.map(diagnosticLine))
  return found
}

/** The settings file of a command that can do without: none is not a fault, one that cannot be read is. */
export function optionalSettings(io: Io, named: string | undefined): SettingsFile {
  const found = findSettings(io, named)
  if (!('faults' in found)) return found
  if (found.faults.some(({ code }) => code !== 'no_settings')) throw new BadInput(found.faults.map(diagnosticLine))
  return { path: 'command line', text: null, written: {}, secrets: secretsOf(io, io.cwd) }
}

/**
 * A kernel on a settings file, with the prices of the package of prices where that is installed. Throws BadInput with every problem and the file that
 * it stands in.
 */
export function kernelOf(io: Io, file: SettingsFile, ports: KernelPorts = {}): Kernel {
  try {
    const prices = installedGenaiPrices() ?? undefined
    return createKernel(file.written as KernelConfig, { secrets: file.secrets, processes: { environment: io.env }, prices, ...ports })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new BadInput(error.problems.map((problem) => `${file.path}: ${diagnosticLine(problem)}`))
  }
}
