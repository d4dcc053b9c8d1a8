import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LedgerRows } from '../../../src/adapters/sqlite/ledger-rows.ts'
import { bringUpToDate, STEPS } from '../../../src/adapters/sqlite/ledger-schema.ts'
import { isDatabase, openSqliteLedger } from '../../../src/adapters/sqlite/read-sqlite-ledger.ts'
import { type SqliteLedgerOptions, sqliteLedger } from '../../../src/adapters/sqlite/sqlite-ledger.ts'
import type { LedgerError } from '../../../src/runtime/ledger-error.ts'
import { AT, close, folder, row } from '../../runtime/ledger-file/rig.ts'
import { absent, databaseFile, kept, raw, rowsIn } from './rig.ts'

/** Errors that entering a row tells. */
function told(path: string, options: SqliteLedgerOptions = {}): LedgerError[] {
  const errors: LedgerError[] = []
  const ledger = sqliteLedger(path, { onError: (error) => errors.push(error), ...options })
  ledger.append(row())
  ledger.close('t1', 1, close)
  expect(ledger.rows()).toEqual([row(close)])
  ledger.release()
  return errors
}

/** A database that a later relevo made. */
function later(path: string): string {
  const ledger = kept(path)
  ledger.append(row())
  ledger.release()
  const database = raw(path)
  database.pragma('user_version = 7')
  database.close()
  return path
}

function foreign(path: string, statement = 'CREATE TABLE theirs (a)'): string {
  const database = raw(path)
  database.exec(statement)
  database.close()
  return path
}

const UNUSABLE: readonly (readonly [string, (path: string) => string])[] = [
  ['ledger_no_folder', (path) => join(path, 'gone', 'ledger.db')],
  ['ledger_not_a_file', (path) => path],
  ['ledger_not_a_file', () => '/dev/null'],
  [
    'ledger_not_a_file',
    (path) => {
      symlinkSync(join(path, 'a'), join(path, 'a'))
      return join(path, 'a')
    },
  ],
  [
    'ledger_not_a_ledger',
    (path) => {
      writeFileSync(join(path, 'ledger.jsonl'), '{"v":1,"event":"attempt.started"}\n'.repeat(100))
      return join(path, 'ledger.jsonl')
    },
  ],
  ['ledger_not_a_ledger', (path) => foreign(join(path, 'theirs.db'))],
  ['ledger_not_a_ledger', (path) => foreign(join(path, 'theirs.db'), 'PRAGMA user_version = 1')],
  ['ledger_later_version', (path) => later(join(path, 'later.db'))],
  ['ledger_unusable', (path) => join(path, 'ledger.db ')],
]

describe.skipIf(absent !== null)('R34 a database that cannot be written', () => {
  it.each(UNUSABLE)('%s is told once, in one line; nothing is thrown, and what stands there stays as it is', (code, make) => {
    const place = folder()
    const path = make(place)
    const before = readdirSync(place).map((name) => [name, readable(join(place, name))])
    const errors = told(path)
    expect(errors.map((error) => error.code)).toEqual([code])
    expect(errors[0]?.message).toMatch(/^\/[\S ]*: (?:the|`better).*\. [A-Z].*\.$/)
    expect(readdirSync(place).map((name) => [name, readable(join(place, name))])).toEqual(before)
  })

  it('a database that somebody keeps for himself is waited for once; it is entered when it is free, by the end of the attempt whole', () => {
    const path = databaseFile()
    kept(path).append(row({ turn: 't0' }))
    const other = raw(path)
    other.exec('BEGIN IMMEDIATE')
    const waited: number[] = []
    const codes: string[] = []
    const ledger = sqliteLedger(path, { onError: ({ code }) => codes.push(code), busyTimeoutMs: 200 })
    for (const n of [1, 2, 3]) {
      const from = performance.now()
      ledger.append(row({ n }))
      waited.push(performance.now() - from)
    }
    expect(codes).toEqual(['ledger_locked'])
    expect(waited[0]).toBeGreaterThan(190)
    expect((waited[1] ?? 0) + (waited[2] ?? 0)).toBeLessThan(190)
    other.exec('COMMIT')
    ledger.close('t1', 3, close)
    ledger.release()
    expect(rowsIn(path)).toEqual([row({ turn: 't0' }), row({ n: 3, ...close })])
  })

  it('a damaged one says so, writing and reading, and keeps the turn', () => {
    const path = databaseFile()
    const ledger = kept(path)
    for (let n = 1; n <= 200; n++) ledger.append(row({ turn: `t${n}` }))
    ledger.release()
    truncateSync(path, 4096)
    expect(told(path).map(({ code }) => code)).toEqual(['ledger_damaged'])
    expect(() => [...openSqliteLedger(path).lines()]).toThrow(expect.objectContaining({ code: 'ledger_damaged' }))
  })

  it('SQLite out of room is told as a full disk, leaves whole what was there, and goes on when there is room', () => {
    const path = databaseFile()
    kept(path).append(row())
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    const codes: string[] = []
    const ledger = sqliteLedger(path, { onError: ({ code }) => codes.push(code) })
    const { enter } = LedgerRows.prototype
    const entering = vi.spyOn(LedgerRows.prototype, 'enter').mockImplementationOnce(function (this: LedgerRows, ...entered) {
      enter.apply(this, entered)
      throw full
    })
    onTestFinished(() => entering.mockRestore())
    ledger.append(row({ n: 2 }))
    expect(codes).toEqual(['ledger_disk_full'])
    expect(rowsIn(path)).toEqual([row()])
    // Turn and attempt had been entered by then; neither stays.
    expect(raw(path).prepare('SELECT count(*) FROM turn').pluck().get()).toBe(1)
    ledger.append(row({ n: 3 }))
    ledger.release()
    expect(rowsIn(path)).toEqual([row(), row({ n: 3 })])
  })
})

describe.skipIf(absent !== null)('R34 the version of a database', () => {
  const steps = ['CREATE TABLE one (a) STRICT', 'CREATE TABLE two (a)', 'INSERT INTO two VALUES (1)']
  const tables = (path: string) => raw(path).prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()

  it('an older one is brought up to date by the steps it lacks, in one transaction, or not at all', () => {
    const path = databaseFile()
    const database = raw(path)
    expect(() => bringUpToDate(database, path, ['CREATE TABLE one (a)', 'no statement'])).toThrow()
    expect(tables(path)).toEqual([])
    const [first = '', second = '', third = ''] = steps
    bringUpToDate(database, path, [first.replace(' STRICT', '')])
    expect(() => bringUpToDate(database, path, [first, second, 'no statement'])).toThrow()
    expect([tables(path), database.pragma('user_version', { simple: true })]).toEqual([['one'], 1])
    bringUpToDate(database, path, [first, second, third])
    bringUpToDate(database, path, [first, second, third])
    expect(database.prepare('SELECT count(*) FROM two').pluck().get()).toBe(1)
    expect(() => bringUpToDate(database, path, [first])).toThrow(expect.objectContaining({ code: 'ledger_later_version' }))
  })

  it('one of the first version is read as it is, changed by who writes it alone, and has a price where it has a cost', () => {
    const path = databaseFile()
    writeFileSync(path, '', { mode: 0o600 })
    const database = raw(path)
    bringUpToDate(database, path, STEPS.slice(0, 1))
    database.exec("INSERT INTO turn (writer, turn, requested_profile, requested_model) VALUES ('w', 't1', 'a.x', 'm1')")
    const old = database.prepare(
      `INSERT INTO attempt (attempt, turn_id, n, provider_ref, model, mode, started_at, ended_at, outcome, accepted, cost_pico_usd)
       VALUES (?, 1, ?, 'b.y', 'm2', 'call', ${AT}, ${AT + 9}, 'ok', 1, ?)`,
    )
    old.run('w-1', 1, 5)
    old.run('w-2', 2, null)
    const first = [
      { n: 1, iteration: null, costPicoUsd: 5, costBasis: 'metered', price: null, reportedPicoUsd: null },
      { n: 2, iteration: null, costPicoUsd: null, costBasis: 'unknown', price: null, reportedPicoUsd: null },
    ]
    expect([rowsIn(path), database.pragma('user_version', { simple: true })]).toMatchObject([first, 1])
    kept(path).append(row({ costBasis: 'subscription' }))
    expect([rowsIn(path), database.pragma('user_version', { simple: true })]).toMatchObject([[...first, { costBasis: 'subscription' }], 3])
    expect(database.prepare('SELECT unknown_cost, subscription FROM turn_cost').raw().all()).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  it('one of the second version is read as it is, and changed by who writes it: who asked before nobody knows', () => {
    const path = databaseFile()
    writeFileSync(path, '', { mode: 0o600 })
    const database = raw(path)
    bringUpToDate(database, path, STEPS.slice(0, 2))
    database.exec("INSERT INTO turn (writer, turn, participant, requested_profile, requested_model) VALUES ('w', 't1', 'ana', 'a.x', 'm1')")
    database.exec(
      `INSERT INTO attempt (attempt, turn_id, n, provider_ref, model, mode, started_at, accepted) VALUES ('w-1', 1, 1, 'b.y', 'm2', 'call', ${AT}, 0)`,
    )
    expect(rowsIn(path)).toEqual([row({ participant: 'ana' })])
    kept(path).append(row({ caller: 'web' }))
    expect(rowsIn(path)).toEqual([row({ participant: 'ana' }), row({ caller: 'web' })])
    expect(database.prepare('SELECT participant, caller, attempts FROM turn_cost ORDER BY turn_id').raw().all()).toEqual([
      ['ana', null, 1],
      [null, 'web', 1],
    ])
    expect(database.pragma('user_version', { simple: true })).toBe(3)
  })
})

describe.skipIf(absent !== null)('R34 a database that others touch', () => {
  it('one that was moved away keeps all that was written to it, and is begun anew', () => {
    const path = databaseFile()
    const ledger = kept(path)
    ledger.append(row())
    renameSync(path, `${path}.1`)
    ledger.close('t1', 1, close)
    expect([rowsIn(`${path}.1`), rowsIn(path)]).toEqual([[row()], [row(close)]])
    ledger.release()
    expect(raw(`${path}.1`).pragma('integrity_check', { simple: true })).toBe('ok')
  })

  it('two that keep one file which is moved away: neither file is damaged, whoever comes first, and none of the rows is lost', () => {
    const path = databaseFile()
    const [one, other] = [kept(path), kept(path)]
    for (const ledger of [one, other]) for (let n = 1; n <= 20; n++) ledger.append(row({ n }))
    renameSync(path, `${path}.1`)
    for (let n = 1; n <= 20; n++) for (const ledger of [other, one]) ledger.close('t1', n, close)
    for (const ledger of [one, other]) ledger.release()
    for (const each of [`${path}.1`, path]) expect(raw(each).pragma('integrity_check', { simple: true })).toBe('ok')
    expect(rowsIn(`${path}.1`)).toHaveLength(40)
    expect(rowsIn(path)).toHaveLength(40)
  })

  it('one that was deleted, or whose folder was, is begun anew; one that was replaced is written', () => {
    const place = join(folder(), 'place')
    const path = join(place, 'ledger.db')
    mkdirSync(place)
    const codes: string[] = []
    const ledger = sqliteLedger(path, { onError: ({ code }) => codes.push(code) })
    ledger.append(row())
    rmSync(place, { recursive: true })
    ledger.append(row({ n: 2 }))
    mkdirSync(place)
    ledger.append(row({ n: 3 }))
    expect(rowsIn(path)).toEqual([row({ n: 3 })])
    for (const name of readdirSync(place)) rmSync(join(place, name))
    ledger.append(row({ n: 4 }))
    expect(rowsIn(path)).toEqual([row({ n: 4 })])
    ledger.release()
    copyFileSync(path, `${path}.2`)
    ledger.append(row({ n: 5 }))
    renameSync(`${path}.2`, path)
    ledger.append(row({ n: 6 }))
    expect(rowsIn(path)).toEqual([row({ n: 4 }), row({ n: 6 })])
    expect(codes).toEqual(['ledger_no_folder'])
    ledger.release()
    expect(readdirSync(dirname(path))).toEqual(['ledger.db'])
  })
})

describe.skipIf(absent !== null)('R34 reading a database', () => {
  it.each([
    ...UNUSABLE.filter(([code]) => !['ledger_unusable', 'ledger_no_folder'].includes(code)),
    ['ledger_no_file', (path: string) => join(path, 'gone.db')] as const,
  ])('%s', (code, make) => {
    const path = make(folder())
    expect(() => openSqliteLedger(path)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/^\/.*: the .*\. [A-Z].*\.$/) }))
  })

  it('nothing is a ledger without attempts, and reading leaves nothing behind', () => {
    const path = databaseFile()
    writeFileSync(path, '', { mode: 0o600 })
    expect(rowsIn(path)).toEqual([])
    const ledger = kept(path)
    ledger.append(row())
    ledger.release()
    const before = readFileSync(path)
    expect(rowsIn(path)).toEqual([row()])
    expect([readdirSync(dirname(path)), readFileSync(path)]).toEqual([['ledger.db'], before])
  })

  it('shows one moment while it is being written, and never waits for it', () => {
    const path = databaseFile()
    const ledger = kept(path)
    for (let n = 1; n <= 3; n++) ledger.append(row({ n }))
    const { size, lines } = openSqliteLedger(path)
    const read = lines()
    expect([size, read.next().value]).toMatchObject([3, { kind: 'attempt', line: 1, from: 0, row: { n: 1 } }])
    ledger.close('t1', 3, close)
    ledger.append(row({ n: 4 }))
    expect([...read]).toMatchObject([{ row: { n: 2 } }, { event: 'attempt.started', row: { n: 3 } }])
  })

  it('a database is told from other files by its first bytes', () => {
    const place = folder()
    const path = databaseFile()
    kept(path).append(row())
    writeFileSync(join(place, 'lines'), '{}\n')
    writeFileSync(join(place, 'empty'), '')
    expect([path, join(place, 'lines'), join(place, 'empty'), place, '/dev/null', join(place, 'gone')].map(isDatabase)).toEqual([
      true,
      ...Array(5).fill(false),
    ])
  })
})

function readable(path: string): string | null {
  try {
    return readFileSync(path, 'hex')
  } catch {
    return null
  }
}
