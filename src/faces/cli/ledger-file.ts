import { dirname, isAbsolute, join } from 'node:path'
import { jsonlLedger, LedgerError, type OpenedLedger, openLedger, spentOnDay } from '../../host.ts'
import type { EarlierSpending, Kernel, Ledger, Settings } from '../../index.ts'
import { openSqliteLedger, sqliteLedger } from '../../sqlite.ts'
import { isObject } from './batch.ts'
import { oneLine } from './problems.ts'

/** Attempts as they are kept where the settings say. */
export interface KeptLedger {
  readonly ledger: Ledger
  /** What it says that earlier processes spent today; nothing where no budget is a day's. */
  readonly earlier: readonly EarlierSpending[]
  /** Enters the holds of the kernel, too, where the ledger has a place for them. */
  follow(kernel: Kernel): void
  /** Lets go of the file, and of the kernel. */
  release(): void
}

export interface KeepingOptions {
  /** Of the settings. */
  readonly path: string
  /** A file of lines where the settings name none. */
  readonly usual?: string | undefined
  /** Told why attempts are not being kept. */
  readonly onError: (error: LedgerError) => void
  /** Told that budgets do not know what was spent before. */
  readonly onUnread: (line: string) => void
}

/** What the ledger of these settings says of the day; nothing where they name none. Makes no file, and never throws. */
export function earlierOf(
  settings: Pick<Settings, 'ledger' | 'budgets'>,
  options: Pick<KeepingOptions, 'path' | 'onUnread'>,
): readonly EarlierSpending[] {
  const { jsonl, sqlite } = settings.ledger
  if (sqlite !== null) return earlierIn(() => openSqliteLedger(ledgerPath(options.path, sqlite)), settings, options)
  return jsonl === null ? [] : earlierIn(() => openLedger(ledgerPath(options.path, jsonl)), settings, options)
}

/** The ledger of these settings; null where neither they nor the options name one. Never throws. */
export function keptLedgerOf(settings: Pick<Settings, 'ledger' | 'budgets'>, options: KeepingOptions): KeptLedger | null {
  const { path, usual, onError } = options
  const { jsonl, sqlite } = settings.ledger
  if (sqlite !== null) return databaseAt(ledgerPath(path, sqlite), settings, options)
  const file = jsonl === null ? usual : ledgerPath(path, jsonl)
  if (file === undefined) return null
  const earlier = earlierIn(() => openLedger(file), settings, options)
  return { ledger: jsonlLedger(file, { onError }), earlier, follow() {}, release() {} }
}

function databaseAt(file: string, settings: Pick<Settings, 'budgets'>, options: KeepingOptions): KeptLedger {
  // Before the ledger is open.
  const earlier = earlierIn(() => openSqliteLedger(file), settings, options)
  const ledger = sqliteLedger(file, { onError: options.onError })
  let leave = (): void => {}
  return {
    ledger,
    earlier,
    follow(kernel) {
      const entering = kernel.holds$.subscribe((holds) => ledger.enterHolds(holds))
      leave = () => entering.unsubscribe()
    },
    release() {
      leave()
      ledger.release()
    },
  }
}

/** A ledger that is not there yet says that nothing was spent. */
function earlierIn(
  open: () => OpenedLedger,
  { budgets }: Pick<Settings, 'budgets'>,
  { onUnread }: Pick<KeepingOptions, 'onUnread'>,
): EarlierSpending[] {
  if (budgets === null || !isByDay(budgets)) return []
  try {
    return spentOnDay(open(), Date.now(), budgets.zone)
  } catch (error) {
    if (!LedgerError.isInstance(error)) throw error
    if (error.code !== 'ledger_no_file')
      onUnread(`what was spent before does not count against the budgets: ${oneLine(error.message)} (${error.code})`)
    return []
  }
}

function isByDay({ perDay, perProfile }: NonNullable<Settings['budgets']>): boolean {
  return perDay !== null || perProfile.each !== null || perProfile.own.size > 0
}

/** Where the settings of the file `path` keep a ledger; null where they name none, or something that is none. */
export function writtenLedger(path: string, written: unknown): string | null {
  const named = isObject(written) && isObject(written['ledger']) ? [written['ledger']['jsonl'], written['ledger']['sqlite']] : []
  const file = named.find((each): each is string => typeof each === 'string' && each !== '')
  return file === undefined ? null : ledgerPath(path, file)
}

/** A ledger is meant from the settings file on, as that is where somebody wrote the path. */
function ledgerPath(settings: string, written: string): string {
  return isAbsolute(written) ? written : join(dirname(settings), written)
}
