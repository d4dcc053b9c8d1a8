import { isObject, type JsonObject } from './json-object.ts'

/**
 * The arguments of a call for a protocol that takes only an object. Arguments that were none are kept under one key, so that the model
 * still sees what it wrote.
 */
export function argumentsObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  return { invalid_arguments: text }
}
