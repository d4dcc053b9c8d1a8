import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ProcessEnd, ProcessRequest, RunningProcess } from '../../../../src/engines/cli/process/process.ts'
import { ProcessTable, type ProcessTableOptions } from '../../../../src/engines/cli/process/process-table.ts'
import { systemClock } from '../../../../src/runtime/system-clock.ts'
import { WITNESS_MODULE, Witness } from './witness.ts'

export function directoryOf(files: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'relevo-process-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

export interface Told {
  readonly lines: { readonly from: 'stdout' | 'stderr'; readonly text: string }[]
  readonly running: RunningProcess
  /** Everything that was told, in order: `line` and `end`. */
  readonly order: string[]
  readonly end: Promise<ProcessEnd>
  /** Resolves with the n-th line (from 1). */
  line(n: number): Promise<string>
  text(from: 'stdout' | 'stderr'): string[]
}

export interface Rig {
  readonly directory: string
  readonly witness: Witness
  readonly table: ProcessTable
  /** Runs a program of this text (an ES module for Node) and keeps what it tells. */
  run(program: string, more?: Partial<ProcessRequest>, onLine?: (told: Told) => void): Told
  request(program: string, more?: Partial<ProcessRequest>): ProcessRequest
}

/** A directory of programs, a witness and a table, all of which are ended with the test. */
export async function rig(options: Partial<ProcessTableOptions> = {}): Promise<Rig> {
  const directory = directoryOf({ 'witness.mjs': WITNESS_MODULE })
  const witness = await new Witness(directory).open()
  const table = new ProcessTable({ runs: null, clock: systemClock(), ...options })
  onTestFinished(async () => {
    const closed = table.close()
    await witness.close()
    await closed
  })
  let programs = 0
  const request = (program: string, more: Partial<ProcessRequest> = {}): ProcessRequest => {
    const file = join(directory, `program-${++programs}.mjs`)
    writeFileSync(file, program)
    const { args = [], environment = {}, ...rest } = more
    const own = { WITNESS: witness.path, ...environment }
    return { path: process.execPath, directory: null, stdin: null, ...rest, args: [file, ...args], environment: own }
  }
  return { directory, witness, table, request, run: (program, more, onLine) => start(table, request(program, more), onLine) }
}

export function start(table: ProcessTable, request: ProcessRequest, onLine: (told: Told) => void = () => {}): Told {
  const lines: Told['lines'] = []
  const order: string[] = []
  const waiting: (() => void)[] = []
  let ended: (end: ProcessEnd) => void = () => {}
  const end = new Promise<ProcessEnd>((resolve) => {
    ended = resolve
  })
  const running = table.start(request, {
    onLine: (from, text) => {
      lines.push({ from, text })
      order.push('line')
      for (const resume of waiting.splice(0)) resume()
      onLine(told)
    },
    onEnd: (how) => {
      order.push('end')
      ended(how)
    },
  })
  const line = async (n: number): Promise<string> => {
    for (let one = lines[n - 1]; ; one = lines[n - 1]) {
      if (one !== undefined) return one.text
      await new Promise<void>((resolve) => void waiting.push(resolve))
    }
  }
  const text = (from: 'stdout' | 'stderr'): string[] => lines.filter((one) => one.from === from).map((one) => one.text)
  const told: Told = { lines, running, order, end, line, text }
  return told
}
