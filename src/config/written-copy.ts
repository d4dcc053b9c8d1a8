/**
 * A copy of settings that were found right, so that what their owner does to them later is not what was checked (R12). They nest no deeper than
 * the schema does, and hold lists, plain objects and values.
 */
export function writtenCopy(written: unknown): unknown {
  if (Array.isArray(written)) return written.map(writtenCopy)
  if (typeof written !== 'object' || written === null) return written
  return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, writtenCopy(value)]))
}
