/** Text of a file as it may stand in a sentence: one line, and not long. Apart from the reader of front matter, whose YAML is not for the core door. */
export function quotable(text: string, length = 60): string {
  const line = text
    .slice(0, length + 1)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return text.length > length ? `${line.slice(0, length)}…` : line
}
