import { isObject } from '../http/json-object.ts'

/** A value of a line as JSON text. What nests deeper than can be written, and what is no JSON, is null. Never throws. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch {
    return null
  }
}

/** A field as it stands when it is text, else as JSON text; nothing is an empty text. */
export function textOrJson(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : (jsonText(value) ?? '')
}

/** The output of a tool: its blocks of text, each on a line; what is no text as JSON. */
export function outputText(content: unknown): string {
  if (!Array.isArray(content)) return textOrJson(content)
  return content.map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : textOrJson(block))).join('\n')
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
