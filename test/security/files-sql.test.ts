import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { absent, databaseFile, kept, raw, rowsIn } from '../adapters/sqlite/rig.ts'
import { lineOf, parse, readTree, type Tree, walk } from '../architecture/source.ts'
import { close, row } from '../runtime/ledger-file/rig.ts'

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
  it('FS-07 is fixed before anything is asked: no call of the driver is handed text that was put together', () => {
    const tree = readTree(['src/adapters'])
    expect(statements(tree)).toBeGreaterThan(5)
    expect(pieced(tree)).toEqual([])
  })

  it.each([
    ['a template', 'db.prepare(`SELECT * FROM turn WHERE id = #{id}`)'],
    ['a sum', "db.exec('DROP TABLE ' + name)"],
    ['a parameter', 'export function ask(db: D, sql: string) { return db.prepare(sql) }'],
    ['a constant of a function', 'function f() { const sql = `SELECT #{id}`; db.query(sql) }'],
    ['a template that is handed on', 'const all = (table: string) => ask(`SELECT * FROM #{table}`)'],
    ['a call', 'db.prepare(sqlOf(id))'],
    ['a tag', 'db.prepare(sql`SELECT #{id}`)'],
  ])('FS-07 would notice %s', (_, text) => expect(pieced(planted(text))).not.toEqual([]))

  it('FS-07 takes text that stands where it is asked, or at the top of its file', () => {
    const text = [
      "const ALL = 'SELECT 1'",
      'const VIEW = `SELECT #{[1].join()}`',
      "db.prepare(ALL); db.exec(VIEW); db.prepare(`SELECT 2`); db.prepare<[], X>('SELECT ?')",
    ]
    expect(pieced(planted(text.join('\n')))).toEqual([])
  })
})

/** A file of the adapter, in which `#{` begins what a template has in it. */
const planted = (text: string): Tree => new Map([['src/adapters/sqlite/planted.ts', text.replaceAll('#{', '${')]])

const ASKS = new Set(['prepare', 'exec', 'query'])
const IS_SQL = /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|DROP|ALTER|CREATE) /
/** The steps from version to version are constants of the module, and come through a parameter for tests alone. */
const DECIDED = 'src/adapters/sqlite/ledger-schema.ts exec(step)'

function statements(tree: Tree): number {
  let count = 0
  for (const [path, text] of tree) walk(parse(path, text), (node) => void (askedBy(node) !== null && count++))
  return count
}

/** Each place where SQL is put together at run time. */
function pieced(tree: Tree): string[] {
  const found: string[] = []
  for (const [path, text] of tree) {
    const source = parse(path, text)
    const fixed = constantsOf(source)
    walk(source, (node) => {
      const asked = askedBy(node)
      const isPieced = asked !== null && !ts.isStringLiteralLike(asked.sql) && !(ts.isIdentifier(asked.sql) && fixed.has(asked.sql.text))
      if (isPieced && `${path} ${asked.name}(${asked.sql.getText(source)})` !== DECIDED) found.push(`${path}:${lineOf(source, node)}`)
      if (ts.isTemplateExpression(node) && IS_SQL.test(node.getText(source)) && isWithinFunction(node)) found.push(`${path}:${lineOf(source, node)}`)
    })
  }
  return found
}

function askedBy(node: ts.Node): { readonly name: string; readonly sql: ts.Node } | null {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null
  const name = node.expression.name.text
  const [sql] = node.arguments
  return ASKS.has(name) && sql !== undefined ? { name, sql } : null
}

/** Constants at the top of a file: nothing that a caller hands over is in them. */
function constantsOf(source: ts.SourceFile): Set<string> {
  const declared = source.statements.flatMap((statement) => (ts.isVariableStatement(statement) ? statement.declarationList.declarations : []))
  const isText = ({ initializer }: ts.VariableDeclaration) =>
    initializer !== undefined && (ts.isStringLiteralLike(initializer) || ts.isTemplateExpression(initializer))
  return new Set(declared.filter(isText).map(({ name }) => name.getText(source)))
}

function isWithinFunction(node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) if (ts.isFunctionLike(at) || ts.isClassLike(at)) return true
  return false
}
