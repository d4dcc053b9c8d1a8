import { describe, expect, it } from 'vitest'
import { absent, databaseFile, kept, raw, rowsIn } from '../adapters/sqlite/rig.ts'
import { readTree, type Tree } from '../architecture/source.ts'
import { close, row } from '../runtime/ledger-file/rig.ts'
import { statements, unfixed } from './files-sql-lint.ts'

const HOSTILE = [
  "x'); DROP TABLE attempt;--",
  "'; DROP TABLE turn; --",
  '" OR 1=1 --',
  '@attempt',
  '?1',
  ':n',
  '$turn',
  "a'||(SELECT group_concat(sql) FROM sqlite_schema)||'",
  '\u0000; DELETE FROM usage',
  '%_\\',
]

describe.skipIf(absent !== null)(`ids in a database${absent === null ? '' : ` (${absent})`}`, () => {
  it('FS-07 are kept as they are, whatever they would mean to SQL; every table stands, with every row', () => {
    const path = databaseFile()
    const ledger = kept(path)
    const rows = HOSTILE.map((text, index) =>
      row({ turn: text, n: index % 2 === 0 ? 1 : 2, participant: text, profile: text, model: text, requested: { profile: text, model: text } }),
    )
    for (const one of rows) ledger.append(one)
    for (const { turn, n } of rows) ledger.close(turn, n, close)
    expect(rowsIn(path)).toEqual(rows.map((one) => ({ ...one, ...close })))
    const database = raw(path, { readonly: true })
    const count = (table: string) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    expect(['turn', 'attempt', 'usage'].map(count)).toEqual([rows.length, rows.length, rows.length])
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()).toEqual(
      expect.arrayContaining(['attempt', 'limit_event', 'turn', 'usage']),
    )
  })

  it('FS-07 so are the keys of holds', () => {
    const path = databaseFile()
    const ledger = kept(path)
    for (const key of HOSTILE) ledger.enterHolds([{ key, untilAt: 2, reason: 'limit' }], 1)
    expect(raw(path, { readonly: true }).prepare('SELECT hold_key FROM limit_event ORDER BY id').pluck().all()).toEqual(HOSTILE)
  })
})

describe('the text of SQL', () => {
  it('FS-07 is fixed before anything is asked: no call of the driver is handed text that a caller has a part in', () => {
    const tree = readTree(['src/adapters'])
    expect(statements(tree)).toBeGreaterThan(5)
    expect(unfixed(tree)).toEqual([])
  })

  it.each([
    ['a template', 'db.prepare(`SELECT * FROM turn WHERE id = #{id}`)'],
    ['a sum', "db.exec('DROP TABLE ' + name)"],
    ['a parameter', 'export function ask(db: D, sql: string) { return db.prepare(sql) }'],
    ['a constant of a function', 'function f() { const sql = `SELECT #{id}`; db.query(sql) }'],
    ['a template that is handed on', 'const all = (table: string) => ask(`SELECT * FROM #{table}`)'],
    ['a call', 'db.prepare(sqlOf(id))'],
    ['a tag', 'db.prepare(sql`SELECT #{id}`)'],
    ['a choice that hands on', "function f(id: string) { db.prepare(id === '' ? 'SELECT 1' : `SELECT #{id}`) }"],
    ['a function that puts it in', 'function sqlOf(id: string) { return `SELECT #{id}` }\ndb.prepare(sqlOf(id))'],
    ['a list of a caller', "function f(columns: string[]) { db.prepare(`SELECT #{columns.join(', ')}`) }"],
    ['a field', 'class A { ask() { db.prepare(`SELECT #{this.id}`) } }'],
    ['a loop', 'function f(all: string[]) { for (const each of all) db.exec(each) }'],
  ])('FS-07 would notice %s', (_, text) => expect(unfixed(planted(text))).not.toEqual([]))

  it.each([
    ['where it is asked', "db.prepare(`SELECT 2`); db.prepare<[], X>('SELECT ?')"],
    ['at the top of its file', "const ALL = 'SELECT 1'\nconst VIEW = `SELECT #{[1].join()}`\ndb.prepare(ALL); db.exec(VIEW)"],
    [
      'made of constants',
      "const C = { a: '@a' }\nfunction f() { const s = Object.entries(C).map(([k, v]) => `#{k} = #{v}`)\n db.prepare(`UPDATE t SET #{s.join(', ')}`) }",
    ],
    [
      'one of two that are',
      "const A = 'a'\nfunction of(v: number) { return `SELECT #{v === 1 ? A : 'b'} ` }\nfunction f(v: number) { db.prepare(of(v)) }",
    ],
  ])('FS-07 takes text that stands %s', (_, text) => expect(unfixed(planted(text))).toEqual([]))
})

/** A file of the adapter, in which `#{` begins what a template has in it. */
const planted = (text: string): Tree => new Map([['src/adapters/sqlite/planted.ts', text.replaceAll('#{', '${')]])
