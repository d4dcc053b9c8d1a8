import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parse, ROOT } from '../architecture/source.ts'

const read = (path: string): ts.SourceFile => parse(path, readFileSync(ROOT + path, 'utf8'))
const doors = [...readdirSync(`${ROOT}src`).flatMap((name) => (name.endsWith('.ts') ? [`src/${name}`] : [])), 'machines/index.ts']

/** Names that a door exports as values, each with the file that declares it. */
function values(door: string): { name: string; file: string }[] {
  return read(door).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return []
    const { moduleSpecifier, exportClause } = statement
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier) || exportClause === undefined || !ts.isNamedExports(exportClause))
      return []
    const file = posix.join(posix.dirname(door), moduleSpecifier.text)
    return exportClause.elements.filter((one) => !one.isTypeOnly).map((one) => ({ name: (one.propertyName ?? one.name).text, file }))
  })
}

/** Whether the declaration of `name` says what it is; null where the file declares no such thing. */
function isDescribed(source: ts.SourceFile, name: string): boolean | null {
  for (const statement of source.statements) {
    const isIt = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.some((one) => one.name.getText(source) === name)
      : (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name?.text === name
    if (isIt) return ts.getJSDocCommentsAndTags(statement).length > 0
  }
  return null
}

describe('the docstrings of the doors', () => {
  it.each(doors)('%s says of everything that can be called or read what it is', (door) => {
    const bare = values(door).filter(({ name, file }) => isDescribed(read(file), name) !== true)
    expect(bare).toEqual([])
  })

  it('would notice one that is missing', () => {
    const source = parse('a.ts', '/** Said. */\nexport function said() {}\nexport function bare() {}\nexport const bareToo = 1\n')
    expect(['said', 'bare', 'bareToo', 'gone'].map((name) => isDescribed(source, name))).toEqual([true, false, false, null])
  })
})
