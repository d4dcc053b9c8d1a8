import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { parse, ROOT } from '../architecture/source.ts'

/** The security checks, and the tests that keep them: those whose titles begin with the id of a check, or with several. */
export interface SecurityCheck {
  readonly id: string
  readonly threat: string
  readonly priority: 'must' | 'should'
  /** Which part of the product it is about. */
  readonly owner: string
}

export interface Keeper {
  /** From the root. */
  readonly file: string
  /** Behind those that it stands below, each without the ids of checks at its beginning. */
  readonly title: string
}

export const COPY = join(ROOT, 'test/corpus/security/checks.json')

export function securityChecks(): readonly SecurityCheck[] {
  const { checks } = JSON.parse(readFileSync(COPY, 'utf8')) as { readonly checks: SecurityCheck[] }
  return checks
}

/** Every keeper of the tests as they stand, in the order of files and of titles within one. */
export function keepersOf(ids: readonly string[]): Map<string, Keeper[]> {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !file.includes('/node_modules/'))
    .sort()
  const keepers = new Map<string, Keeper[]>(ids.map((id) => [id, []]))
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    // Most files name none, and a tree takes longer than a look.
    if (!ids.some((id) => text.includes(id))) continue
    for (const { text: whole, below } of titlesIn(file, text)) {
      const { ids: named, title } = withIds(whole)
      for (const id of named)
        keepers.get(id)?.push({ file, title: [...below.map((each) => withIds(each).title), title].filter(saysSomething).join(' › ') })
    }
  }
  return keepers
}

/** Of a title that is an id alone, or nothing that is fixed, a reader learns nothing. */
function saysSomething(title: string): boolean {
  return title.replace(/…/g, '').trim() !== ''
}

const TESTS = new Set(['it', 'test', 'describe'])

/** What a test is called, and the titles that it stands below, the outermost first. */
export interface Title {
  readonly text: string
  readonly below: readonly string[]
}

/** The titles of a file, in its order; what is not fixed in one is `…`. */
export function titlesIn(path: string, text: string): Title[] {
  const titles: Title[] = []
  const collect = (node: ts.Node, below: readonly string[]): void => {
    const title = ts.isCallExpression(node) && TESTS.has(calleeOf(node.expression)) ? titleOf(node.arguments[0]) : null
    if (title !== null) titles.push({ text: title, below })
    const within = title === null ? below : [...below, title]
    node.forEachChild((child) => collect(child, within))
  }
  collect(parse(path, text), [])
  return titles
}

/** Places that a table fills in: `%s`, `$name`. */
const FILLED_IN = /%[sdifjoc]|\$[a-z][\w.]*/g

function titleOf(title: ts.Expression | undefined): string | null {
  if (title === undefined) return null
  if (ts.isStringLiteralLike(title)) return title.text.replace(FILLED_IN, '…')
  if (!ts.isTemplateExpression(title)) return null
  return [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)].join('…').replace(FILLED_IN, '…')
}

/** `it` of `it(…)`, `it.skipIf(…)(…)` and `it.each(…)(…)`; of what is handed to `each` nothing is a title. */
function calleeOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) return calleeOf(node.expression.expression)
  if (ts.isTaggedTemplateExpression(node) && ts.isPropertyAccessExpression(node.tag)) return calleeOf(node.tag.expression)
  return ts.isPropertyAccessExpression(node) && !ARE_PARAMETERS.has(node.name.text) ? calleeOf(node.expression) : ''
}

/** `it.each(…)` takes rows, and not a title. */
const ARE_PARAMETERS = new Set(['each', 'for', 'skipIf', 'runIf', 'extend'])

export function withIds(title: string): { readonly ids: readonly string[]; readonly title: string } {
  const [head = ''] = /^(?:[A-Z]{2,5}-\d{2}(?:[ ,:]+|$))*/.exec(title) ?? []
  return { ids: head.match(/[A-Z]{2,5}-\d{2}/g) ?? [], title: title.slice(head.length) }
}
