import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parse, ROOT } from '../architecture/source.ts'

interface Row {
  readonly decision: string
  readonly file: string
  readonly name: string
}

/** The rows of the table "decision | owner | rule". */
function ownerRows(text: string): Row[] {
  return [...text.matchAll(/^\| ([^|]+) \| `([^`]+\.ts)` · `(\w+)` \| [^|]*[RT]\d+[^|]*\|$/gm)].map(([, decision = '', file = '', name = '']) => ({
    decision,
    file,
    name,
  }))
}

/** Names of the functions and classes that a file exports. */
function exportedFunctions(path: string, text: string): string[] {
  return parse(path, text).statements.flatMap((statement) => {
    if (!ts.isFunctionDeclaration(statement) && !ts.isClassDeclaration(statement)) return []
    const exported = statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
    return exported && statement.name !== undefined ? [statement.name.text] : []
  })
}

const text = readFileSync(`${ROOT}docs/architecture.md`, 'utf8')
const rows = ownerRows(text)
const read = (file: string) => readFileSync(ROOT + file, 'utf8')

describe('docs/architecture.md: one owner per decision', () => {
  it('every line of the table is a row that this test reads', () => {
    const section = text.slice(text.indexOf('## One owner per decision'))
    const lines = section.split('\n').filter((line) => line.startsWith('| ') && line.includes('.ts'))
    expect(rows.length).toBe(lines.length)
    expect(rows.length).toBeGreaterThan(0)
  })

  it.each(rows)('$decision: $file exports $name', ({ file, name }) => {
    expect(exportedFunctions(file, read(file))).toContain(name)
  })

  it('no decision and no function stands twice', () => {
    const owners = rows.map(({ file, name }) => `${file} ${name}`)
    expect(new Set(owners).size).toBe(owners.length)
    expect(new Set(rows.map(({ decision }) => decision)).size).toBe(rows.length)
  })

  it('every file of src/policy owns a decision', () => {
    const files = readdirSync(`${ROOT}src/policy`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const owned = new Set(rows.map(({ file }) => file))
    expect(files.map((name) => `src/policy/${name}`).filter((file) => !owned.has(file))).toEqual([])
  })

  it('the reader of the table and of the exports would notice an untrue row', () => {
    const planted = ownerRows('| who | `src/policy/who.ts` · `who` | R1 |\n| no rule | `src/policy/who.ts` · `when` | |\n')
    expect(planted).toEqual([{ decision: 'who', file: 'src/policy/who.ts', name: 'who' }])
    expect(exportedFunctions('who.ts', 'export function who() {}\nfunction inner() {}\nexport const value = 1\n')).toEqual(['who'])
  })
})
