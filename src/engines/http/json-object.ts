export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the value can be written as JSON: what was read may nest deeper than can be written. */
export function isWritable(value: JsonObject): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
