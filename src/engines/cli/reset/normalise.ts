/**
 * Printed text as it is compared and read: one line, one kind of quote, single spaces, no terminal codes (cli-engines.md §6).
 *
 * 1. Normalising twice is normalising once.
 * 2. A code that moves the cursor leaves a space: full-screen programs move where others print one. All other codes leave nothing.
 * 3. A code that never ends loses its introducer only, so that no text behind it is lost.
 * 4. It takes the time of the length of the text: no code's pattern reads over the beginning of another, and parameters have a bound.
 */
const ESCAPE = '\u001b'
const BELL = '\u0007'
/** The one-character forms of `ESC [` and of the end of a string. */
const CSI = '\u009b'
const STRING_END = '\u009c'

const CODES = new RegExp(
  [
    // Control sequences: colours, cursor, erasing. The final byte says which.
    String.raw`(?:${ESCAPE}\[|${CSI})[0-?]{0,999}[ -/]{0,99}([@-~])`,
    // Strings: window titles and links.
    `${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}${STRING_END}]*(?:${BELL}|${ESCAPE}\\\\|${STRING_END})`,
    // Character sets, and everything else that an escape begins.
    `${ESCAPE}(?:[#%(-/][0-~]|[0-~])?`,
    CSI,
  ].join('|'),
  'g',
)

/** Final bytes of the control sequences that go somewhere else. */
const MOVES = /[A-Ha-f`]/

/** Without width, or without meaning in a line of text: marks of direction, joiners, tags, the controls that are no white space. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?![\t-\r\u0085])\p{Cc}/gu

export function normalised(text: string): string {
  return text
    .replace(CODES, (_code, final: string | undefined) => (final !== undefined && MOVES.test(final) ? ' ' : ''))
    .replace(INVISIBLE, '')
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\s\u0085]+/g, ' ')
    .trim()
}
