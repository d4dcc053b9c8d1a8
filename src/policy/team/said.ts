/**
 * What of a post is said, and not quoted or shown: quoting an order is not giving it, as quoting a notice is not a limit (T4).
 *
 * 1. Not said: lines in a fence of three or more backticks or tildes, closed or not; lines that begin with `>`; lines of indented code.
 * 2. Colours and other terminal codes, and characters without width, are no text.
 * 3. It takes the time of the length of the text.
 */
export interface SaidLine {
  readonly text: string
  readonly isSaid: boolean
}

const ESCAPE = '\u001b'
const BELL = '\u0007'

/** Control sequences, strings such as window titles and links, the two-character codes; of a code that never ends its first character. */
const INVISIBLE = new RegExp(
  [
    String.raw`${ESCAPE}(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^${BELL}${ESCAPE}\n]*(?:${BELL}|${ESCAPE}\\)|[@-Z\\^_])?`,
    String.raw`[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]`,
    String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]`,
  ].join('|'),
  'g',
)
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/
const QUOTE = /^\s*>/
/** As deep as code stands; what begins with the mark of a list is an item of one. */
const INDENTED = /^(?: {4}| {0,3}\t)(?!\s*(?:[-*+]|\d{1,9}[.)])\s)/

/** Every line of a text, from the first to the last. */
export function saidLines(text: string): SaidLine[] {
  let fence: string | null = null
  let isCode = false
  let isBlank = true
  return text
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, '')
    .split('\n')
    .map((line) => {
      const [, mark = '', rest = ''] = FENCE.exec(line) ?? []
      if (fence !== null) {
        if (mark.startsWith(fence) && rest.trim() === '') fence = null
        return { text: line, isSaid: false }
      }
      // What follows three backticks and has one again is a piece of code in a sentence.
      if (mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) {
        fence = mark
        return { text: line, isSaid: false }
      }
      isCode = INDENTED.test(line) && (isCode || isBlank)
      isBlank = line.trim() === ''
      return { text: line, isSaid: !isCode && !QUOTE.test(line) }
    })
}
