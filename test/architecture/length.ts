import ts from 'typescript'
import { roomOf } from './rooms.ts'
import type { Finding, Tree } from './source.ts'
import { lineOf, parse, walk } from './source.ts'

/** Past these there are two ideas in it. "About 300" is read as 320: a file is not torn apart for one more explained case. */
export const FILE_LINES = 320
export const FUNCTION_LINES = 60

export function fileLength(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    const lines = text.trimEnd().split('\n').length
    if (lines > FILE_LINES) findings.push({ file, line: FILE_LINES + 1, message: `${lines} lines, ${FILE_LINES} at the most; split it by idea` })
  }
  return findings
}

/** Lines of a function that are neither blank nor comment: explaining more must never make a function too long. */
function codeLines(text: string): number {
  return text.split('\n').filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : 'a function'
}

/** Length of functions in the product; a test's `describe` is a list and may be long. Nested functions count in the outer one too. */
export function functionLength(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    if (roomOf(file) === null) continue
    const source = parse(file, text)
    walk(source, (node) => {
      if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return
      const lines = codeLines(node.getText(source))
      if (lines <= FUNCTION_LINES) return
      findings.push({
        file,
        line: lineOf(source, node),
        message: `${nameOf(node)} has ${lines} lines of code, ${FUNCTION_LINES} at the most; split it by idea`,
      })
    })
  }
  return findings
}
