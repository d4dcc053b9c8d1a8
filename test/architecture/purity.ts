import { isBuiltin } from 'node:module'
import ts from 'typescript'
import { roomOf } from './rooms.ts'
import type { Finding, Tree } from './source.ts'
import { importsOf, lineOf, parse, walk } from './source.ts'

const PURE_ROOMS = new Set(['model', 'config', 'plan', 'policy', 'machines'])

/** Names of the outside world. A file that declares such a name itself (a parameter `process`) means its own. */
const OUTSIDE = new Set([
  'Buffer',
  'WebSocket',
  'XMLHttpRequest',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'global',
  'globalThis',
  'localStorage',
  'navigator',
  'performance',
  'process',
  'queueMicrotask',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'window',
])

const REMEDY = 'take it as an argument; time and chance are arguments'

function declaredNames(source: ts.SourceFile): Set<string> {
  const names = new Set<string>()
  walk(source, (node) => {
    const named =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isImportSpecifier(node) ||
      ts.isImportClause(node)
    if (named && node.name !== undefined && ts.isIdentifier(node.name)) names.add(node.name.text)
  })
  return names
}

/** Whether an identifier stands where a name is only spelt (`x.process`, `{ process: 1 }`), not where a value is read. */
function isSpelling(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node
  if (ts.isQualifiedName(parent)) return parent.right === node
  if (ts.isShorthandPropertyAssignment(parent)) return false
  return 'name' in parent && parent.name === node
}

function isMember(node: ts.Node, object: string, name: string): boolean {
  return ts.isPropertyAccessExpression(node) && node.name.text === name && ts.isIdentifier(node.expression) && node.expression.text === object
}

/** What a node reads from outside, as it is written, or null. */
function effectOf(node: ts.Node, declared: ReadonlySet<string>): string | null {
  if (isMember(node, 'Date', 'now')) return 'Date.now'
  if (isMember(node, 'Math', 'random')) return 'Math.random'
  if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) return 'import.meta'
  const date = ts.isNewExpression(node) || ts.isCallExpression(node)
  if (date && ts.isIdentifier(node.expression) && node.expression.text === 'Date') {
    if (ts.isCallExpression(node)) return 'Date()'
    if ((node.arguments?.length ?? 0) === 0) return 'new Date()'
  }
  if (ts.isIdentifier(node) && OUTSIDE.has(node.text) && !declared.has(node.text) && !isSpelling(node)) return node.text
  return null
}

/** A pure room reads no clock, timer, random source, environment, console or network, and no module of Node. */
export function purity(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    const room = roomOf(file)
    if (room === null || !PURE_ROOMS.has(room)) continue
    const source = parse(file, text)
    const declared = declaredNames(source)
    walk(source, (node) => {
      const effect = effectOf(node, declared)
      if (effect !== null) findings.push({ file, line: lineOf(source, node), message: `${room} is pure and may not use ${effect}; ${REMEDY}` })
    })
    for (const { specifier, line } of importsOf(file, text)) {
      if (isBuiltin(specifier)) findings.push({ file, line, message: `${room} is pure and may not import ${specifier}; ${REMEDY}` })
    }
  }
  return findings
}
