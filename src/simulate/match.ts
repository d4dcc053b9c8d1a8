/** One place where a trace is not as expected. */
export interface Mismatch {
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

/**
 * Compares a trace with the part of it that a scenario expects (docs/scenarios.md): an object matches when every key it names matches, an array
 * in length and order, null must be null, and `holds` is exact.
 */
export function mismatches(expected: unknown, actual: unknown, path = ''): Mismatch[] {
  if (Array.isArray(expected)) return arrayMismatches(expected, actual, path)
  if (isRecord(expected)) return recordMismatches(expected, actual, path)
  return Object.is(expected, actual) ? [] : [{ path, expected, actual }]
}

function arrayMismatches(expected: readonly unknown[], actual: unknown, path: string): Mismatch[] {
  if (!Array.isArray(actual) || actual.length !== expected.length) return [{ path, expected, actual }]
  return expected.flatMap((each, index) => mismatches(each, actual[index], `${path}[${index}]`))
}

function recordMismatches(expected: Readonly<Record<string, unknown>>, actual: unknown, path: string): Mismatch[] {
  if (!isRecord(actual)) return [{ path, expected, actual }]
  const found = Object.entries(expected).flatMap(([key, each]) => mismatches(each, actual[key], path === '' ? key : `${path}.${key}`))
  const extra = path === 'holds' ? Object.keys(actual).filter((key) => !(key in expected)) : []
  return [...found, ...extra.map((key) => ({ path: `holds.${key}`, expected: undefined, actual: actual[key] }))]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
