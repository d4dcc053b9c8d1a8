import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { type Bill, type CostBasis, type LedgerRow, type Usage, usdOf } from '../../model/usage.ts'
import type { LedgerEntry } from '../../runtime/ledger-line.ts'
import type { EndedBetween, LedgerLine, OpenedLedger } from '../../runtime/read-ledger.ts'
import { openForReading, regularFile } from './ledger-database.ts'
import { asDatabaseFault } from './ledger-fault.ts'
import { versionOf } from './ledger-schema.ts'

/** The first bytes of every SQLite database. */
const MAGIC = Buffer.from('SQLite format 3\0')

/**
 * Whether a database stands there; false as well for what cannot be read. Not for a file that this process keeps a ledger in: it is opened for
 * the look (ledger-database.ts, 2).
 */
export function isDatabase(path: string): boolean {
  try {
    if (regularFile(path) === null) return false
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const found = Buffer.alloc(MAGIC.length)
      readSync(descriptor, found, 0, found.length, 0)
      return found.equals(MAGIC)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return false
  }
}

const READING_WAIT_MS = 5_000
const SIZE = 'SELECT count(*) FROM attempt'
/** What the first version of a ledger lacks: an attempt had a price where it had a cost. */
const FIRST_BILL = `NULL AS iteration, iif(attempt.cost_pico_usd IS NULL, 'unknown', 'metered') AS cost_basis,
  NULL AS price_source, NULL AS price_version, NULL AS price_model, NULL AS reported_pico_usd`
const BILL = `attempt.iteration, attempt.cost_basis,
  attempt.price_source, attempt.price_version, attempt.price_model, attempt.reported_pico_usd`

function attemptsIn(version: number, ended: EndedBetween | undefined): string {
  return `
SELECT attempt.attempt, turn.turn, attempt.n, turn.participant, ${version < 3 ? 'NULL AS caller' : 'turn.caller'}, turn.requested_profile,
  turn.requested_model, attempt.provider_ref, attempt.model, attempt.mode, attempt.started_at, attempt.ended_at, attempt.outcome, attempt.accepted, attempt.cost_pico_usd,
  ${version === 1 ? FIRST_BILL : BILL},
  usage.attempt_id IS NOT NULL AS has_usage, usage.input, usage.cached_input, usage.output
FROM attempt JOIN turn ON turn.id = attempt.turn_id LEFT JOIN usage ON usage.attempt_id = attempt.id
${ended === undefined ? '' : 'WHERE attempt.ended_at BETWEEN @from AND @to'}
ORDER BY attempt.id`
}

/** A row of `attemptsIn`; whole numbers come as bigint. */
interface Found {
  readonly attempt: string
  readonly turn: string
  readonly n: bigint
  readonly iteration: bigint | null
  readonly participant: string | null
  readonly caller: string | null
  readonly requested_profile: string
  readonly requested_model: string
  readonly provider_ref: string
  readonly model: string
  readonly mode: LedgerRow['mode']
  readonly started_at: bigint
  readonly ended_at: bigint | null
  readonly outcome: string | null
  readonly accepted: bigint
  readonly cost_pico_usd: bigint | null
  readonly cost_basis: string
  readonly price_source: string | null
  readonly price_version: string | null
  readonly price_model: string | null
  readonly reported_pico_usd: bigint | null
  readonly has_usage: bigint
  readonly input: bigint | null
  readonly cached_input: bigint | null
  readonly output: bigint | null
}

/**
 * The attempts of a ledger in a database, in order of start, as `openLedger` has those of a file of lines: sizes and places are counted in
 * attempts. It shows one moment, whatever is written meanwhile. Throws a LedgerError, and so does reading its lines.
 */
export function openSqliteLedger(path: string): OpenedLedger {
  const reading = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw asDatabaseFault(path, error, 'read')
    }
  }
  const database = reading(() => openForReading(path, READING_WAIT_MS))
  // Before the first write nothing stands in it, tables neither.
  const version = reading(() => versionOf(database, path))
  const size = version === 0 ? 0 : reading(() => Number(database.prepare(SIZE).pluck().get()))
  return { size, lines: (ended) => linesOf(database, version, ended, (error) => asDatabaseFault(path, error, 'read')) }
}

function* linesOf(
  database: Database,
  version: number,
  ended: EndedBetween | undefined,
  faultOf: (error: unknown) => Error,
): Generator<LedgerLine, void> {
  try {
    if (version === 0) return
    let line = 0
    for (const found of database
      .prepare<[object], Found>(attemptsIn(version, ended))
      .safeIntegers()
      .iterate({ ...ended })) {
      yield { kind: 'attempt', line: line + 1, from: line, ...entryOf(found) }
      line++
    }
  } catch (error) {
    throw faultOf(error)
  } finally {
    database.close()
  }
}

function entryOf(found: Found): LedgerEntry {
  const { attempt, turn, participant, caller, provider_ref: profile, model, mode, ended_at, cost_pico_usd: costPicoUsd } = found
  const row: LedgerRow = {
    turn,
    n: Number(found.n),
    iteration: number(found.iteration),
    ...(participant === null ? {} : { participant }),
    ...(caller === null ? {} : { caller }),
    requested: { profile: found.requested_profile, model: found.requested_model },
    profile,
    model,
    mode,
    startedAt: Number(found.started_at),
    endedAt: number(ended_at),
    // A later version may know more of these, and of what an attempt is billed by.
    outcome: found.outcome as LedgerRow['outcome'],
    accepted: found.accepted === 1n,
    ...billOf(found),
  }
  return { event: ended_at === null ? 'attempt.started' : 'attempt.ended', attempt, row, costPicoUsd }
}

function billOf(found: Found): Bill {
  const { cost_basis, price_source: source, price_version: version, price_model: model } = found
  const costPicoUsd = number(found.cost_pico_usd)
  return {
    usage: found.has_usage === 0n ? null : usageOf(found),
    costPicoUsd,
    cost: usdOf(costPicoUsd),
    costBasis: cost_basis as CostBasis,
    price: source === null || model === null ? null : { source, version, model },
    reportedPicoUsd: number(found.reported_pico_usd),
  }
}

function number(found: bigint | null): number | null {
  return found === null ? null : Number(found)
}

function usageOf({ input, cached_input: cachedInput, output }: Found): Usage {
  return { ...count('input', input), ...count('output', output), ...count('cachedInput', cachedInput) }
}

function count(name: keyof Usage, found: bigint | null): Usage {
  return found === null ? {} : { [name]: Number(found) }
}
