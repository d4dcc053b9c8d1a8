import { Lexer, LineCounter, Parser, parseDocument } from 'yaml'
import { jsonFault } from './json-fault.ts'

/** A place of a settings file that cannot be read as YAML or JSON. Line and column count from 1. */
export interface TextFault {
  readonly line: number
  readonly column: number
  /** What is wrong, in one line. */
  readonly message: string
}

export type SettingsText = { readonly value: unknown } | { readonly faults: readonly TextFault[] }

/**
 * Reads the text of a settings file, without looking at what the settings mean. YAML is 1.2 core: `no` is a word. An empty file is null.
 * A key that stands twice is a fault in both languages: one of the two values would be lost in silence.
 */
export function readSettingsText(text: string, language: 'yaml' | 'json'): SettingsText {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text
  return language === 'json' ? readJson(plain) : readYaml(plain)
}

function readJson(text: string): SettingsText {
  if (text.trim() === '') return { value: null }
  const fault = jsonFault(text)
  if (fault !== null) return { faults: [{ ...placeOf(text, fault.at), message: fault.message }] }
  return { value: JSON.parse(text) }
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/** No settings nest deeper. The parser recurses where a text nests, and a text of ten thousand brackets ends the process. */
const MAX_YAML_DEPTH = 200

/** Where a text nests too deep to be composed, or null. Its levels are counted by the parser's own stack, which does not recurse. */
function tooDeepAt(text: string): number | null {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) {
      // Whole documents are of no interest here.
    }
    if (parser.stack.length > MAX_YAML_DEPTH) return parser.offset
  }
  return null
}

function readYaml(text: string): SettingsText {
  const deepAt = tooDeepAt(text)
  if (deepAt !== null) return { faults: [{ ...placeOf(text, deepAt), message: 'it nests too deep' }] }
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  if (document.errors.length > 0) {
    return {
      faults: document.errors.map(({ code, message, pos }) => {
        const { line, col } = lineCounter.linePos(pos[0])
        // The parser tells a program there how it should have been called.
        return { line, column: col, message: code === 'MULTIPLE_DOCS' ? 'a second document begins here' : withoutQuote(message) }
      }),
    }
  }
  try {
    return { value: document.toJS() }
  } catch (error) {
    // Aliases that unfold without end are refused by the parser; it tells no place.
    return { faults: [{ line: 1, column: 1, message: withoutQuote((error as Error).message) }] }
  }
}

/** The parser ends some messages with what stands at the place, and there a key may stand. */
function withoutQuote(message: string): string {
  return message
    .replace(/(?:: | \\).*$|\.$/s, '')
    .replace(/\s+/g, ' ')
    .trim()
}
