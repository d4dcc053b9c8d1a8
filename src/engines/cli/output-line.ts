/** One line that a CLI printed, read once and then shown to whoever listens: the decoder for its answer, the listener for its notices. */
export interface OutputLine {
  readonly from: 'stdout' | 'stderr'
  /** Without its end; a last line without one counts as a line. */
  readonly text: string
  /** The object that the line is, or null when it is none. */
  readonly json: Readonly<Record<string, unknown>> | null
}

/** Reads one line; never throws. Only what begins like an object is parsed, so that prose costs nothing. */
export function outputLine(from: OutputLine['from'], text: string): OutputLine {
  return { from, text, json: from === 'stdout' ? objectOf(text) : null }
}

function objectOf(text: string): OutputLine['json'] {
  if (!text.trimStart().startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
