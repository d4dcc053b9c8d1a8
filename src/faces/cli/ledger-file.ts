import { dirname, isAbsolute, join } from 'node:path'
import { jsonlLedger, LedgerError, type OpenedLedger, openLedger, spentByCallerOnDay, spentOnDay } from '../../host.ts'
import type { EarlierSpending, Kernel, Ledger, Settings } from '../../index.ts'
import { openSqliteLedger, sqliteLedger } from '../../sqlite.ts'
import { isObject } from './batch.ts'
import { oneLine } from './problems.ts'

/** Attempts as they are kept where the settings say. */
export interface KeptLedger {
  readonly ledger: Ledger
  /** What it says that earlier processes spent today; nothing where no budget is a day's. */
  readonly earlier: readonly EarlierSpending[]
  /** What each key of the gateway has spent today, by its id, in pico-USD; nothing where none is bounded by the day. */
  readonly callers: ReadonlyMap<string, number>
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
export function keptLedgerOf(settings: Pick<Settings, 'ledger' | 'budgets' | 'gateway'>, options: KeepingOptions): KeptLedger | null {
  const { path, usual, onError } = options
  const { jsonl, sqlite } = settings.ledger
  if (sqlite !== null) return databaseAt(ledgerPath(path, sqlite), settings, options)
  const file = jsonl === null ? usual : ledgerPath(path, jsonl)
  if (file === undefined) return null
  const open = (): OpenedLedger => openLedger(file)
  const earlier = earlierIn(open, settings, options)
  const callers = callersIn(open, settings, options)
  return { ledger: jsonlLedger(file, { onError }), earlier, callers, follow() {}, release() {} }
}

function databaseAt(file: string, settings: Pick<Settings, 'budgets' | 'gateway'>, options: KeepingOptions): KeptLedger {
  // Before the ledger is open.
  const open = (): OpenedLedger => openSqliteLedger(file)
  const earlier = earlierIn(open, settings, options)
  const callers = callersIn(open, settings, options)
  const ledger = sqliteLedger(file, { onError: options.onError })
  let leave = (): void => {}
  return {
    ledger,
    earlier,
    callers,
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

function earlierIn(
  open: () => OpenedLedger,
  { budgets }: Pick<Settings, 'budgets'>,
  { onUnread }: Pick<KeepingOptions, 'onUnread'>,
): readonly EarlierSpending[] {
  if (budgets === null || !isByDay(budgets)) return []
  const unread = (why: string): void => onUnread(`what was spent before does not count against the budgets: ${why}`)
  return readIn(() => spentOnDay(open(), Date.now(), budgets.zone), unread) ?? []
}

function callersIn(
  open: () => OpenedLedger,
  { budgets, gateway }: Pick<Settings, 'budgets' | 'gateway'>,
  { onUnread }: Pick<KeepingOptions, 'onUnread'>,
): ReadonlyMap<string, number> {
  if (gateway.keys.every(({ perDay }) => perDay === null)) return new Map()
  const unread = (why: string): void => onUnread(`what keys of the gateway spent before does not count against their bounds: ${why}`)
  return readIn(() => spentByCallerOnDay(open(), Date.now(), budgets?.zone), unread) ?? new Map()
}

/** A ledger that is not there yet says that nothing was spent. */
function readIn<Read>(read: () => Read, unread: (why: string) => void): Read | null {
  try {
    return read()
  } catch (error) {
    if (!LedgerError.isInstance(error)) throw error
    if (error.code !== 'ledger_no_file') unread(`${oneLine(error.message)} (${error.code})`)
    return null
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
