import { join, resolve } from 'node:path'
import { LedgerError, type LedgerGroup, type LedgerQuery, type LedgerSum, LedgerSummary, type LedgerTotals, openLedger } from '../../host.ts'
import { isDatabase, openSqliteLedger } from '../../sqlite.ts'
import { columns } from '../demo/columns.ts'
import { Interrupted, type Io, jsonLine } from './io.ts'
import { writtenLedger } from './ledger-file.ts'
import { BadInput, EXIT, oneLine } from './problems.ts'
import { optionalSettings } from './settings-file.ts'

export interface LedgerOptions {
  readonly config?: string | undefined
  /** An instant, or how long ago. */
  readonly since?: string | undefined
  readonly by: LedgerGroup
  /** Only what was asked for by this caller. */
  readonly caller?: string | undefined
  /** Where days begin; UTC when left out. */
  readonly zone?: string | undefined
  readonly json?: boolean | undefined
}

/** What was read of a file, and what of it was not. */
interface Reading {
  readonly sum: LedgerSum
  /** Lines that are no attempts. */
  readonly broken: number
  /** Where the first of them stands, and why it is none. */
  readonly firstBroken: string | null
  /** The last line has no end and is no attempt. */
  readonly torn: boolean
}

/** `relevo ledger`: attempts, tokens and cost, as a file has them, of lines or a database. Reads and changes nothing. */
export async function ledger(io: Io, named: string | undefined, options: LedgerOptions, now: () => number = Date.now): Promise<number> {
  const path = named === undefined ? usualPath(io, options.config) : resolve(io.cwd, named)
  const query: LedgerQuery = { by: options.by, since: sinceOf(options.since, now()), caller: options.caller, zone: zoneOf(options) }
  const reading = await readingOf(io, path, query, now)
  if (options.json === true) await io.stdout.write(jsonLine(document(path, query, reading)))
  else await print(io, options.by, reading.sum)
  await tellProblems(io, path, reading, options.json === true)
  return EXIT.ok
}

/** As a run leaves it, where the settings name none. */
const USUAL = join('.relevo', 'ledger.jsonl')

/** What else the settings say does not matter here, nor whether their keys can be read. */
function usualPath(io: Io, config: string | undefined): string {
  const { written, path } = optionalSettings(io, config)
  return writtenLedger(path, written) ?? join(io.cwd, USUAL)
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const AGO = /^(\d{1,9})([mhdw])$/
const ISO = /^\d{4}-\d\d-\d\d/

function sinceOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const [, count, unit = ''] = AGO.exec(text.trim()) ?? []
  const at = count !== undefined ? now - Number(count) * (UNITS_MS[unit] ?? 0) : ISO.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN
  // Before the first instant that ISO 8601 can name is before everything.
  if (Number.isNaN(at))
    throw new BadInput([`--since: \`${text}\` is no instant. Write one as 2026-03-01T12:00:00Z, or how long ago, as 90m, 24h, 7d, 4w.`])
  return Math.max(at, FIRST_INSTANT)
}

const FIRST_INSTANT = -62_167_219_200_000

/** Undefined where nothing is summed by day. */
function zoneOf({ by, zone }: LedgerOptions): string | undefined {
  if (by === 'day') return zone ?? 'UTC'
  if (zone === undefined) return undefined
  throw new BadInput(['--zone: only days begin by a time zone. Leave it out, or ask with --by day.'])
}

function summaryOf(query: LedgerQuery): LedgerSummary {
  try {
    return new LedgerSummary(query)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new BadInput([`--zone: ${error.message}. Write one such as Europe/Madrid or UTC.`])
  }
}

/** Between two looks at the clock and at the interrupt. */
const LINES_A_STEP = 2_000
const QUIET_MS = 1_000

async function readingOf(io: Io, path: string, query: LedgerQuery, now: () => number): Promise<Reading> {
  const summary = summaryOf(query)
  const startedAt = now()
  const found = { broken: 0, firstBroken: null as string | null, torn: false }
  const isDrawing = (): boolean => io.stderr.isTty && now() - startedAt > QUIET_MS
  let isDrawn = false
  try {
    const { size, lines } = isDatabase(path) ? openSqliteLedger(path) : openLedger(path)
    for (const each of lines()) {
      if (each.kind === 'attempt') summary.add(each)
      else if (each.kind === 'torn') found.torn = true
      else {
        found.broken++
        found.firstBroken ??= `line ${each.line}: ${each.problem}`
      }
      if (each.line % LINES_A_STEP !== 0) continue
      await new Promise((next) => setImmediate(next))
      if (io.interrupt.aborted) throw new Interrupted()
      if (!isDrawing()) continue
      isDrawn = true
      await io.stderr.write(`\r\u001b[2Kreading ${oneLine(path)}: ${Math.min(99, Math.floor((100 * each.from) / size))} %`)
    }
  } catch (error) {
    if (!LedgerError.isInstance(error)) throw error
    throw new BadInput([error.message])
  } finally {
    if (isDrawn) await io.stderr.write('\r\u001b[2K')
  }
  return { sum: summary.end(), ...found }
}

function document(path: string, { by, since, caller, zone }: LedgerQuery, { sum, broken, torn }: Reading): object {
  return {
    file: path,
    since: since === undefined ? null : new Date(since).toISOString(),
    by,
    ...(caller === undefined ? {} : { caller }),
    ...(zone === undefined ? {} : { zone }),
    groups: sum.groups.map(({ key, ...totals }) => ({ key, ...totalsDocument(totals) })),
    total: totalsDocument(sum.total),
    leftOut: sum.leftOut,
    broken,
    torn,
  }
}

/** JSON has no whole numbers of any size. */
function totalsDocument(totals: LedgerTotals): object {
  const { costPicoUsd, reportedPicoUsd } = totals
  return {
    ...totals,
    costPicoUsd: costPicoUsd === null ? null : Number(costPicoUsd),
    reportedPicoUsd: reportedPicoUsd === null ? null : Number(reportedPicoUsd),
  }
}

async function print(io: Io, by: LedgerGroup, { groups, total }: LedgerSum): Promise<void> {
  if (total.attempts === 0) return io.stdout.write('no attempts\n')
  // Most ledgers have nothing of it.
  const reported = total.reportedPicoUsd !== null
  const head = [by, 'attempts', 'accepted', 'open', 'input', 'cached', 'output', 'USD', ...(reported ? ['reported'] : [])]
  const rows = groups.map((group) => [group.key === null ? '(none)' : oneLine(group.key), ...cells(group, reported)])
  const lines = columns([head, ...rows, ['total', ...cells(total, reported)]], new Set([1, 2, 3, 4, 5, 6, 7, 8]))
  await io.stdout.write(`${lines.join('\n')}\n`)
}

function cells(totals: LedgerTotals, reported: boolean): string[] {
  const { attempts, accepted, open, input, cachedInput, output, costPicoUsd, unknownCost, subscription, reportedPicoUsd } = totals
  const counts = [attempts, accepted, open, input, cachedInput, output].map((count) => (count === null ? '' : String(count)))
  const parts = [usd(costPicoUsd), subscription === 0 ? '' : 'subscription', unknownCost === 0 ? '' : '?']
  return [...counts, parts.filter((part) => part !== '').join(' + '), ...(reported ? [usd(reportedPicoUsd)] : [])]
}

const PICO_A_MICRO = 1_000_000n
const MICRO = 1_000_000n

/** To a millionth; what is less and not nothing is not shown as nothing, and what is not known is. */
function usd(pico: bigint | null): string {
  if (pico === null) return ''
  const size = pico < 0n ? -pico : pico
  const micro = (size + PICO_A_MICRO / 2n) / PICO_A_MICRO
  if (micro === 0n && size > 0n) return '<0.000001'
  return `${pico < 0n ? '-' : ''}${micro / MICRO}.${String(micro % MICRO).padStart(6, '0')}`
}

async function tellProblems(io: Io, path: string, { sum, broken, firstBroken, torn }: Reading, json: boolean): Promise<void> {
  const tell = (line: string): Promise<void> => io.stderr.write(`${oneLine(line)}\n`)
  const { unknownCost } = sum.total
  if (unknownCost > 0 && !json)
    await tell(
      `note: the cost of ${attemptsText(unknownCost)} is not known, shown as ?: no price, no tokens told, or no end. Set profiles.<id>.price for later ones.`,
    )
  if (sum.leftOut > 0) {
    const what = sum.leftOut === 1 ? 'one older group is' : `${sum.leftOut} older groups are`
    await tell(`note: ${what} only in the total. Ask for fewer with --since.`)
  }
  if (torn)
    await tell(`note: ${path}: the last line was torn, as by a process that was ended while it wrote, and does not count. Nothing is to be done.`)
  if (broken > 0) {
    const what = broken === 1 ? 'one line is no attempt and was' : `${broken} lines are no attempts and were`
    await tell(
      `warning: ${path}: ${what} passed over; ${broken === 1 ? 'it' : 'the first'} is ${firstBroken}. Look whether this is the file that is meant.`,
    )
  }
}

function attemptsText(count: number): string {
  return count === 1 ? 'one attempt' : `${count} attempts`
}
