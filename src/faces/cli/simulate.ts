import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSettingsText } from '../../host.ts'
import {
  type Mismatch,
  mismatches,
  readScenario,
  readTeamScenario,
  type ScenarioProblem,
  simulate as simulateCalls,
  simulateTeam,
} from '../../testing.ts'
import { batch, isObject, LineError } from './batch.ts'
import { Interrupted, type Io, inputText, TooMuchInput } from './io.ts'
import { BadInput, EXIT, oneLine, readFault } from './problems.ts'
import { type RecordedPlay, recordedPlay } from './recorded-play.ts'

export interface SimulateOptions {
  readonly expect?: boolean | undefined
  readonly jsonl?: boolean | undefined
  readonly record?: string | undefined
}

/** A scenario of either kind, ready to be played. */
interface Playable {
  readonly id: string
  /** Epoch ms. */
  readonly startAt: number
  /** Undefined where the document expects nothing. */
  readonly expected: unknown
  play(signal: AbortSignal, record?: RecordedPlay): Promise<{ readonly trace: object; readonly unscripted: boolean }>
}

/** A scenario and where it was read. */
interface Work {
  readonly name: string
  readonly scenario: Playable
}

/**
 * `relevo simulate`: runs scenarios through the shipped kernel on a virtual clock.
 *
 * 1. Every document is read before the first one runs; one that is invalid starts nothing (exit 2). With `--expect` one that is expected to
 *    be invalid keeps the others from nothing.
 * 2. Traces go to stdout whatever `--expect` finds; differences go to stderr.
 */
export async function simulate(io: Io, files: readonly string[], options: SimulateOptions): Promise<number> {
  if (options.jsonl === true) {
    if (files.some((file) => file !== '-'))
      throw new BadInput(['--jsonl reads scenarios from standard input. Pipe the file in, or leave --jsonl out.'])
    if (options.record !== undefined) throw new BadInput(['--record is for a single scenario. Leave --jsonl out.'])
    return batch(io, (document) => simulateLine(io, document, options))
  }
  if (files.length === 0) throw new BadInput(['No scenario was named. Name files, or - for standard input.'])
  const { works, refused } = await readWorks(io, files, options)
  if (options.record !== undefined && works.length !== 1)
    throw new BadInput([`--record is for a single scenario, and these are ${works.length}. Name a file with one.`])
  const pretty = works.length === 1 && io.stdout.isTty ? 2 : undefined
  let failed = 0
  for (const { name, scenario } of works) {
    if (io.interrupt.aborted) throw new Interrupted()
    const { trace, complaints } = await played(io, scenario, options)
    await io.stdout.write(`${JSON.stringify(trace, null, pretty)}\n`)
    for (const complaint of complaints) await io.stderr.write(`${name}: ${complaint}\n`)
    if (complaints.length > 0) failed++
  }
  const all = works.length + refused
  if (options.expect === true) await io.stderr.write(`${all - failed} of ${all} as expected\n`)
  return failed === 0 ? EXIT.ok : EXIT.no
}

function readPlayable(document: unknown): Playable | { readonly problems: readonly ScenarioProblem[] } {
  if (isObject(document) && document['kind'] === 'team') {
    const read = readTeamScenario(document)
    if ('problems' in read) return read
    const { scenario } = read
    return {
      id: scenario.id,
      startAt: Date.parse(scenario.startAt),
      expected: scenario.expect,
      play: (signal, record) => simulateTeam(scenario, { signal, ...record?.teamPorts(scenario) }),
    }
  }
  const read = readScenario(document)
  if ('problems' in read) return read
  const { scenario } = read
  return {
    id: scenario.id,
    startAt: scenario.startAt === undefined ? 0 : Date.parse(scenario.startAt),
    expected: scenario.expect,
    play: (signal, record) => simulateCalls(scenario, { signal, ...record?.callPorts() }),
  }
}

/** The trace, and in words why the answer is no. */
async function played(io: Io, scenario: Playable, options: SimulateOptions): Promise<{ trace: object; complaints: string[] }> {
  const { interrupt } = io
  const record = options.record === undefined ? undefined : recordedPlay(io, options.record, scenario.id, scenario.startAt)
  const { trace, unscripted } = await scenario
    .play(interrupt, record)
    .catch((error: unknown) => {
      throw interrupt.aborted ? new Interrupted() : error
    })
    .finally(() => record?.close())
  const complaints = unscripted ? ['a call went beyond the end of its script; see `unscripted` in the trace'] : []
  return { trace, complaints: options.expect === true ? [...complaints, ...differencesOf(scenario, trace)] : complaints }
}

async function simulateLine(io: Io, document: unknown, options: SimulateOptions): Promise<{ result: object; no: boolean }> {
  const read = readPlayable(document)
  if ('problems' in read) {
    const [first = { path: '', reason: 'It is invalid.' }] = read.problems
    if (isRefusalExpected(document, options)) return { result: { error: { code: 'invalid_scenario', path: first.path } }, no: false }
    throw new LineError('invalid_scenario', first.path, first.reason)
  }
  const { trace, complaints } = await played(io, read, options)
  for (const complaint of complaints) await io.stderr.write(`${read.id}: ${complaint}\n`)
  return { result: trace, no: complaints.length > 0 }
}

/** The document itself says that it is invalid: `"expect": {"exit": 2}`. */
function isRefusalExpected(document: unknown, { expect }: SimulateOptions): boolean {
  return expect === true && isObject(document) && isObject(document['expect']) && document['expect']['exit'] === EXIT.badInput
}

/** `refused`: how many documents are invalid, as they are expected to be. Alone, such a document is refused like any other. */
async function readWorks(io: Io, files: readonly string[], options: SimulateOptions): Promise<{ works: Work[]; refused: number }> {
  const works: Work[] = []
  const problems: string[] = []
  const expected: string[][] = []
  for (const file of files) {
    const documents = await readDocuments(io, file)
    if (typeof documents === 'string') problems.push(documents)
    else
      for (const { name, document } of documents) {
        const read = readPlayable(document)
        if (!('problems' in read)) works.push({ name, scenario: read })
        else if (isRefusalExpected(document, options)) expected.push(problemLines(name, read.problems))
        else problems.push(...problemLines(name, read.problems))
      }
  }
  if (problems.length > 0) throw new BadInput(problems)
  if (works.length === 0 && expected.length > 0) throw new BadInput(expected.flat())
  return { works, refused: expected.length }
}

function problemLines(name: string, problems: readonly ScenarioProblem[]): string[] {
  return problems.map(({ path, reason }) => `${name}: ${path}: ${reason}. Correct it; docs/scenarios.md says what may stand where.`)
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

function differencesOf({ expected }: Playable, trace: object): string[] {
  return expected === undefined ? [] : mismatches(expected, JSON.parse(JSON.stringify(trace))).map(differenceLine)
}

function differenceLine({ path, expected, actual }: Mismatch): string {
  return oneLine(`${path === '' ? '(trace)' : path}: expected ${shown(expected)}, is ${shown(actual)}`)
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
