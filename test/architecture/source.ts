import { readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** The project's root folder, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Path from the root, with forward slashes → text. Rules read trees, never the disk, so that a planted violation is three lines. */
export type Tree = ReadonlyMap<string, string>

/** A broken rule: where it is, and what to do about it. */
export interface Finding {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** One import, re-export, `import('…')` or type import. */
export interface Import {
  readonly specifier: string
  readonly line: number
  /** Path from the root when the specifier is relative, else null. */
  readonly target: string | null
}

/** The TypeScript files of the given folders, packages that are installed in one left out; a folder that does not exist yet has none. */
export function readTree(folders: readonly string[]): Tree {
  const tree = new Map<string, string>()
  for (const folder of folders) {
    if (statSync(ROOT + folder, { throwIfNoEntry: false }) === undefined) continue
    for (const path of filesBelow(folder)) if (/\.tsx?$/.test(path)) tree.set(path, readFileSync(ROOT + path, 'utf8'))
  }
  return tree
}

function filesBelow(folder: string): string[] {
  return readdirSync(ROOT + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' ? [] : filesBelow(path)
  })
}

export function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
}

/** The line, from 1, on which a node begins. */
export function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}

/** Calls `visit` on the node and everything below it. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]
  return undefined
}

/** Every way in which a file names another module, type-only ones included. */
export function importsOf(path: string, text: string): Import[] {
  const source = parse(path, text)
  const found: Import[] = []
  walk(source, (node) => {
    const literal = specifierOf(node)
    if (literal === undefined || !ts.isStringLiteralLike(literal)) return
    const relative = literal.text.startsWith('.')
    found.push({
      specifier: literal.text,
      line: lineOf(source, node),
      target: relative ? posix.join(posix.dirname(path), literal.text) : null,
    })
  })
  return found
}
