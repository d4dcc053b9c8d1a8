import { isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser, parseDocument } from 'yaml'
import { quotable } from './quotable.ts'

/**
 * The YAML between the `---` lines of a participant's file, read as nothing but text, lists and maps.
 *
 * 1. The schema is the failsafe one: a scalar is text, so that `no`, `1e3` and `2026-01-01` are what somebody typed. What is written plainly
 *    as nothing, `~` or `null` is null.
 * 2. Tags, anchors, aliases and directives are refused by their first character, before anything is composed: nothing is looked up, nothing
 *    unfolds. So are control characters, some of which the lexer means something by.
 * 3. It is bounded in length and depth; the depth is counted by the parser's own stack, which does not recurse.
 * 4. A value goes by its own key only: `__proto__` is a key like any other, and one that stands twice is told at the second place.
 */
export interface FrontMatterFault {
  /** Offset in the front matter. */
  readonly at: number
  readonly problem: string
  readonly remedy: string
}

export interface FrontMatter {
  /** Null when it is no map that can be read. */
  readonly fields: ReadonlyMap<string, unknown> | null
  /** Where a value stands, by the path of it (`failover`, `failover[1]`), and where a key does when it has none. */
  readonly places: ReadonlyMap<string, number>
  readonly faults: readonly FrontMatterFault[]
  /** The line of an offset, from 1. */
  lineOf(at: number): { readonly line: number; readonly column: number }
}

const MAX_LENGTH = 16_384
/** A list of items in a map nests three levels of the parser; what is deeper is none of our fields. */
const MAX_DEPTH = 16

const REFUSED: Readonly<Record<string, string>> = {
  '!': 'has a tag',
  '&': 'has an anchor',
  '*': 'has an alias',
  '%': 'has a directive',
}
/** Stands in front of a plain or block scalar among the lexemes of yaml. */
const SCALAR_FOLLOWS = '\u001f'
/** The marks of the lexer, which are no characters of the text. */
const MARKS = new Set(['\u0002', '\u0018', SCALAR_FOLLOWS])
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/

export function readFrontMatter(text: string): FrontMatter {
  const lineOf = linesOf(text)
  const unread = (faults: readonly FrontMatterFault[]): FrontMatter => ({ fields: null, places: new Map(), faults, lineOf })
  const refused = refusals(text)
  if (refused.length > 0) return unread(refused)
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, uniqueKeys: false })
  if (document.errors.length > 0) {
    return unread(
      document.errors.map(({ message, pos }) => ({ at: pos[0], problem: `is no YAML: ${inWords(message)}`, remedy: 'Correct this place.' })),
    )
  }
  const { contents } = document
  if (contents === null) return { fields: new Map(), places: new Map(), faults: [], lineOf }
  if (!isMap(contents)) {
    return unread([{ at: startOf(contents), problem: 'has no fields', remedy: 'Write one field a line, such as `provider: claude`.' }])
  }
  return { ...fieldsOf(contents.items), lineOf }
}

function linesOf(text: string): FrontMatter['lineOf'] {
  const counter = new LineCounter()
  counter.addNewLine(0)
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) counter.addNewLine(at + 1)
  return (at) => {
    const { line, col } = counter.linePos(at)
    return { line, column: col }
  }
}

function refusals(text: string): FrontMatterFault[] {
  if (text.length > MAX_LENGTH) {
    return [{ at: 0, problem: `has more than ${MAX_LENGTH} characters`, remedy: 'Keep the fields short; the prompt stands below them.' }]
  }
  const control = text.search(CONTROL)
  if (control >= 0) return [{ at: control, problem: 'has a control character', remedy: 'Remove it.' }]
  const faults: FrontMatterFault[] = []
  const parser = new Parser()
  let at = 0
  let isText = false
  for (const lexeme of new Lexer().lex(text)) {
    const what = isText ? undefined : REFUSED[lexeme[0] ?? '']
    if (what !== undefined) faults.push({ at, problem: what, remedy: 'Write the value itself, in quotes if it begins with this character.' })
    isText = lexeme === SCALAR_FOLLOWS
    if (!MARKS.has(lexeme)) at += lexeme.length
    for (const _ of parser.next(lexeme)) {
      // Whole documents are of no interest here.
    }
    if (parser.stack.length > MAX_DEPTH) return [...faults, { at, problem: 'nests too deep', remedy: 'Write text, or one list of texts.' }]
  }
  return faults
}

type Items = readonly { readonly key: unknown; readonly value: unknown }[]

function fieldsOf(items: Items): Pick<FrontMatter, 'fields' | 'places' | 'faults'> {
  const fields = new Map<string, unknown>()
  const places = new Map<string, number>()
  const faults: FrontMatterFault[] = []
  for (const { key, value } of items) {
    const at = startOf(key)
    if (!isScalar(key)) {
      faults.push({ at, problem: 'has a key that is no word', remedy: 'Write one field a line, such as `provider: claude`.' })
      continue
    }
    const name = String(key.value)
    if (fields.has(name)) {
      faults.push({ at, problem: `has \`${quotable(name)}\` twice`, remedy: 'Keep one of the two.' })
      continue
    }
    fields.set(name, plainValue(value))
    places.set(name, at)
    if (isSeq(value)) for (const [index, item] of value.items.entries()) places.set(`${name}[${index}]`, startOf(item, at))
  }
  return { fields, places, faults }
}

/** Text, null, a list of such, or `{}` for whatever else it is. */
function plainValue(node: unknown): unknown {
  if (node === null) return null
  if (isScalar(node)) return node.type === 'PLAIN' && /^(?:~|null|)$/i.test(String(node.value)) ? null : String(node.value)
  return isSeq(node) ? node.items.map((item) => (isScalar(item) ? plainValue(item) : {})) : {}
}

function startOf(node: unknown, otherwise = 0): number {
  const range = typeof node === 'object' && node !== null ? (node as Partial<Node>).range : undefined
  return range?.[0] ?? otherwise
}

function inWords(message: string): string {
  return quotable(message, 200).replace(/\.$/, '')
}
