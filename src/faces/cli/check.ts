import { literalCredentials } from '../../host.ts'
import { ConfigError, checkConfig, createKernel, type Diagnostic, type KernelConfig } from '../../index.ts'
import type { Io } from './io.ts'
import { diagnosticLine, EXIT, oneLine } from './problems.ts'
import { findSettings, type SettingsFile } from './settings-file.ts'
import { asTeamWithParticipants, participantFindings, placedLine } from './team-settings.ts'

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

/** `relevo check`: what is wrong with the settings, and with the participants beside those of a team. The findings are its result and go to stdout; calls nobody. */
export async function check(io: Io, named: string | undefined, options: CheckOptions): Promise<number> {
  const file = findSettings(io, named ?? options.config)
  const findings = 'faults' in file ? { file: null, errors: file.faults, warnings: [] } : allFindings(io, asTeamWithParticipants(file))
  if (options.json === true) await io.stdout.write(`${JSON.stringify(findings)}\n`)
  else await print(io, findings)
  if (findings.errors.length > 0) return EXIT.badInput
  return options.strict === true && findings.warnings.length > 0 ? EXIT.no : EXIT.ok
}

function allFindings(io: Io, file: SettingsFile): Findings {
  const { errors, warnings } = findingsOf(io, file)
  const team = participantFindings(file)
  return { file: file.path, errors: [...errors, ...(team?.errors ?? [])], warnings: [...warnings, ...(team?.warnings ?? [])] }
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
  const line = (finding: Diagnostic): string => oneLine(file === null ? diagnosticLine(finding) : placedLine(file, finding))
  for (const error of errors) await io.stdout.write(`error: ${line(error)}\n`)
  for (const warning of warnings) await io.stdout.write(`warning: ${line(warning)}\n`)
  if (errors.length + warnings.length === 0) await io.stdout.write(`${file === null ? '' : `${file}: `}no errors, no warnings\n`)
}
