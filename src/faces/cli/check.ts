import { literalCredentials } from '../../host.ts'
import { ConfigError, checkConfig, createKernel, type Diagnostic, type KernelConfig } from '../../index.ts'
import type { Io } from './io.ts'
import { diagnosticLine, EXIT, oneLine } from './problems.ts'
import { findSettings, type SettingsFile } from './settings-file.ts'

export interface CheckOptions {
  readonly config?: string | undefined
  readonly strict?: boolean | undefined
  readonly json?: boolean | undefined
}

interface Findings {
  readonly file: string | null
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
}

/** `relevo check`: what is wrong with the settings. The findings are its result and go to stdout; calls nobody. */
export async function check(io: Io, named: string | undefined, options: CheckOptions): Promise<number> {
  const file = findSettings(io, named ?? options.config)
  const findings = 'faults' in file ? { file: null, errors: file.faults, warnings: [] } : findingsOf(io, file)
  if (options.json === true) await io.stdout.write(`${JSON.stringify(findings)}\n`)
  else await print(io, findings)
  if (findings.errors.length > 0) return EXIT.badInput
  return options.strict === true && findings.warnings.length > 0 ? EXIT.no : EXIT.ok
}

/** What a kernel would refuse, and what it would warn about; both at once, which a kernel alone cannot tell. */
function findingsOf(io: Io, { path, written, secrets }: SettingsFile): Findings {
  const literal = literalCredentials(written)
  try {
    const kernel = createKernel(written as KernelConfig, { secrets, processes: { environment: io.env } })
    void kernel.stop()
    return { file: path, errors: [], warnings: [...literal, ...kernel.warnings] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { file: path, errors: error.problems, warnings: [...literal, ...checkConfig(written, { secrets }).warnings] }
  }
}

async function print(io: Io, { file, errors, warnings }: Findings): Promise<void> {
  const where = file === null ? '' : `${file}: `
  for (const error of errors) await io.stdout.write(`error: ${where}${oneLine(diagnosticLine(error))}\n`)
  for (const warning of warnings) await io.stdout.write(`warning: ${where}${oneLine(diagnosticLine(warning))}\n`)
  if (errors.length + warnings.length === 0) await io.stdout.write(`${where}no errors, no warnings\n`)
}
