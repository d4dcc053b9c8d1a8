/** One line that a CLI printed, read once and then shown to whoever listens: the decoder for its answer, the listener for its notices. */
export interface OutputLine {
  readonly from: 'stdout' | 'stderr'
  /** Without its end; a last line without one counts as a line. */
  readonly text: string
  /** The object that the line is, or null when it is none. */
  readonly json: Readonly<Record<string, unknown>> | null
  /** It begins like an object and is none: an event that was cut off. */
  readonly isCut?: true
}

/** Reads one line; never throws. Only what begins like an object is parsed, so that prose costs nothing. */
export function outputLine(from: OutputLine['from'], text: string): OutputLine {
  if (from === 'stderr' || !/^\s*\{/.test(text)) return { from, text, json: null }
  try {
    return { from, text, json: JSON.parse(text) as Record<string, unknown> }
  } catch {
    return { from, text, json: null, isCut: true }
  }
}
