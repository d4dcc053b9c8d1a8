import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSettingsText } from '../../host.ts'
import { type Mismatch, mismatches, readScenario, simulate as run, type Scenario, type Trace } from '../../testing.ts'
import { batch, isObject, LineError } from './batch.ts'
import { Interrupted, type Io, inputText, TooMuchInput } from './io.ts'
import { BadInput, EXIT, oneLine, readFault } from './problems.ts'

export interface SimulateOptions {
  readonly expect?: boolean | undefined
  readonly jsonl?: boolean | undefined
}

/** A scenario and where it was read. `expected` is undefined where the document expects nothing. */
interface Work {
  readonly name: string
  readonly scenario: Scenario
}

/**
 * `relevo simulate`: runs scenarios through the shipped kernel on a virtual clock.
 *
 * 1. Every document is read before the first one runs; one that is invalid starts nothing (exit 2).
 * 2. Traces go to stdout whatever `--expect` finds; differences go to stderr.
 */
export async function simulate(io: Io, files: readonly string[], options: SimulateOptions): Promise<number> {
  if (options.jsonl === true) {
    if (files.some((file) => file !== '-'))
      throw new BadInput(['--jsonl reads scenarios from standard input. Pipe the file in, or leave --jsonl out.'])
    return batch(io, (document) => simulateLine(io, document, options))
  }
  if (files.length === 0) throw new BadInput(['No scenario was named. Name files, or - for standard input.'])
  const works = await readWorks(io, files)
  const pretty = works.length === 1 && io.stdout.isTty ? 2 : undefined
  let failed = 0
  for (const { name, scenario } of works) {
    if (io.interrupt.aborted) throw new Interrupted()
    const { trace, complaints } = await played(io, scenario, options)
    await io.stdout.write(`${JSON.stringify(trace, null, pretty)}\n`)
    for (const complaint of complaints) await io.stderr.write(`${name}: ${complaint}\n`)
    if (complaints.length > 0) failed++
  }
  if (options.expect === true) await io.stderr.write(`${works.length - failed} of ${works.length} as expected\n`)
  return failed === 0 ? EXIT.ok : EXIT.no
}

/** The trace, and in words why the answer is no. */
async function played({ interrupt }: Io, scenario: Scenario, options: SimulateOptions): Promise<{ trace: Trace; complaints: string[] }> {
  const { trace, unscripted } = await run(scenario, { signal: interrupt }).catch((error: unknown) => {
    throw interrupt.aborted ? new Interrupted() : error
  })
  const complaints = unscripted ? ['a call went beyond the end of its script; see `unscripted` in the attempts'] : []
  return { trace, complaints: options.expect === true ? [...complaints, ...differencesOf(scenario, trace)] : complaints }
}

async function simulateLine(io: Io, document: unknown, options: SimulateOptions): Promise<{ result: object; no: boolean }> {
  const read = readScenario(document)
  if ('problems' in read) {
    const [first = { path: '', reason: 'It is invalid.' }] = read.problems
    throw new LineError('invalid_scenario', first.path, first.reason)
  }
  const { trace, complaints } = await played(io, read.scenario, options)
  for (const complaint of complaints) await io.stderr.write(`${read.scenario.id}: ${complaint}\n`)
  return { result: trace, no: complaints.length > 0 }
}

async function readWorks(io: Io, files: readonly string[]): Promise<Work[]> {
  const works: Work[] = []
  const problems: string[] = []
  for (const file of files) {
    const documents = await readDocuments(io, file)
    if (typeof documents === 'string') {
      problems.push(documents)
      continue
    }
    for (const { name, document } of documents) {
      const read = readScenario(document)
      if ('scenario' in read) works.push({ name, scenario: read.scenario })
      else
        problems.push(
          ...read.problems.map(({ path, reason }) => `${name}: ${path}: ${reason}. Correct it; docs/scenarios.md says what may stand where.`),
        )
    }
  }
  if (problems.length > 0) throw new BadInput(problems)
  return works
}

/** The documents of a file, which holds one or a list of them; or in one line why there are none. */
async function readDocuments(io: Io, file: string): Promise<{ name: string; document: unknown }[] | string> {
  let text: string
  try {
    text = file === '-' ? await inputText(io) : readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    if (error instanceof Interrupted || error instanceof TooMuchInput) throw error
    return `${file}: the scenario ${readFault(error)}. Check the path and its permissions.`
  }
  const read = readSettingsText(text, 'json')
  if ('faults' in read)
    return read.faults
      .map(({ line, column, message }) => `${file}:${line}:${column}: this is no JSON: ${message}. Correct the text at this place.`)
      .join(' ')
  if (!Array.isArray(read.value)) return [{ name: file, document: read.value }]
  return read.value.map((document: unknown, index) => ({ name: `${file}[${index}]${named(document)}`, document }))
}

function named(document: unknown): string {
  const id = isObject(document) ? document['id'] : undefined
  return typeof id === 'string' ? ` ${id}` : ''
}

function differencesOf({ expect }: Scenario, trace: Trace): string[] {
  return expect === undefined ? [] : mismatches(expect, JSON.parse(JSON.stringify(trace))).map(differenceLine)
}

function differenceLine({ path, expected, actual }: Mismatch): string {
  return oneLine(`${path === '' ? '(trace)' : path}: expected ${shown(expected)}, is ${shown(actual)}`)
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
