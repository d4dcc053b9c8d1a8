/** A terminal narrower than this is left to break lines by itself: behind the margin of the timeline too little would be left. */
const NARROWEST = 40
/** What stands before the sentence of a fact, and before the bar of content. */
const FACT = /^ *\d+\.\d{3} s {2}\S+ +/
const CONTENT = /^ {21}\S /

/**
 * Lines that fit a terminal of so many columns: broken between words, the rest under the text of its line; a rule is cut. A word that is
 * wider stays whole, so that it can be copied. Null columns: no terminal, nothing is changed. Counts UTF-16 units, which is what the
 * timeline's own words are made of.
 */
export function wrapped(text: string, columns: number | null): string {
  if (columns === null || columns < NARROWEST) return text
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('──') ? [line.slice(0, columns)] : brokenLine(line, columns)))
    .join('\n')
}

function brokenLine(line: string, columns: number): string[] {
  const indent = (FACT.exec(line) ?? CONTENT.exec(line))?.[0].length ?? 2
  const lines: string[] = []
  let rest = line
  while (rest.length > columns) {
    const at = breakAt(rest, indent, columns)
    if (at === -1) break
    lines.push(rest.slice(0, at).trimEnd())
    rest = `${' '.repeat(indent)}${rest.slice(at).trimStart()}`
  }
  return [...lines, rest]
}

/** The last space that leaves the line within its columns, else the first one after them; -1 when there is none behind the indent. */
function breakAt(line: string, indent: number, columns: number): number {
  const within = line.lastIndexOf(' ', columns)
  const start = Math.max(indent, line.length - line.trimStart().length)
  if (within > start) return within
  return line.indexOf(' ', Math.max(columns, start))
}
