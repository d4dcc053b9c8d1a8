import { ConfigError, type Diagnostic, RelevoError } from '../../index.ts'
import { Interrupted, type Io, MAX_INPUT_BYTES, TooMuchInput, withoutControls } from './io.ts'

/** Exit codes of every command (faces.md §2). */
export const EXIT = { ok: 0, no: 1, badInput: 2, paused: 3, limited: 4, interrupted: 130 } as const

/** Input that cannot be used: every problem of it, a line each. */
export class BadInput extends Error {
  override readonly name = 'BadInput'
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** Standard output cannot take what is written to it. */
export class UnwritableOutput extends Error {
  override readonly name = 'UnwritableOutput'
}

/** One line about a finding: where, what, what to do. */
export function diagnosticLine({ path, message, code, remedy }: Diagnostic): string {
  return `${path}: ${message} (${code}) ${remedy}`
}

/** Says on stderr why a command could not do its work, and answers the exit code for it. */
export async function report(error: unknown, io: Io, debug: boolean): Promise<number> {
  if (error instanceof Interrupted) return EXIT.interrupted
  for (const line of linesOf(error)) await io.stderr.write(`error: ${oneLine(line)}\n`)
  if (debug && error instanceof Error) await io.stderr.write(`${error.stack ?? error.message}\n`)
  return isBadInput(error) ? EXIT.badInput : EXIT.no
}

function isBadInput(error: unknown): boolean {
  return error instanceof BadInput || error instanceof ConfigError || error instanceof TooMuchInput
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof BadInput) return error.lines
  if (error instanceof ConfigError) return error.problems.map(diagnosticLine)
  if (error instanceof TooMuchInput) {
    return [`standard input: it, or a line of it, has more than ${MAX_INPUT_BYTES / 2 ** 20} MiB. Give less at a time.`]
  }
  if (error instanceof UnwritableOutput) return [`standard output: it cannot be written (${error.message}). Make room, or send it elsewhere.`]
  if (RelevoError.isInstance(error)) return [error.message]
  const what = error instanceof Error ? error.message : String(error)
  return [`${what} This is a fault of relevo; run the command again with --debug and report what it prints.`]
}

/** A problem is one line whatever its words hold. */
export function oneLine(text: string): string {
  return withoutControls(text.replace(/\s*\n\s*/g, ' '))
}

/** Why a file or folder could not be read, in words. */
export function readFault(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (code === 'ENOENT') return 'does not exist'
  if (code === 'EISDIR') return 'is a folder'
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read'
  return `cannot be read (${code ?? 'unknown reason'})`
}
