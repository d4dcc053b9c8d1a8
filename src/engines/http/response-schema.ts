import type { CallOptions } from '../contract.ts'
import { isObject, type JsonObject } from './json-object.ts'

/**
 * The schema of an answer, as providers take it that hold a model to one. A caller may write any JSON schema, and these take a part of them:
 *
 * 1. Every object is closed: it allows no field but those that it names. Anthropic refuses a schema with another, and so does OpenAI where
 *    `strict` is said, which wants every field to be required, too.
 * 2. What is sent asks for no less than what was written: an answer that is valid under a closed copy is valid under the schema itself.
 * 3. An object whose fields nobody names can be closed to nothing but an empty one. Such a schema is put into words.
 */
export type ResponseSchema = NonNullable<CallOptions['responseSchema']>
type Schema = ResponseSchema['schema']

/** Some JSON object, of whatever form. */
export function isAnyObject({ schema }: ResponseSchema): boolean {
  return schema.type === 'object' && Object.keys(schema).every((name) => SAYS_NO_FORM.has(name))
}

const SAYS_NO_FORM: ReadonlySet<string> = new Set(['type', '$schema', 'title', 'description'])

/** For a model that is not held to it. The word JSON has to stand in a message for OpenAI's own JSON mode. */
export function inWords(responseSchema: ResponseSchema): string {
  if (isAnyObject(responseSchema)) return 'Answer with one JSON object and nothing else.'
  return `Answer with one JSON object that is valid under this JSON schema: ${JSON.stringify(responseSchema.schema)}`
}

/** Whether OpenAI takes it with `strict` (platform.openai.com/docs/guides/structured-outputs#supported-schemas). */
export function isStrict(schema: Schema): boolean {
  if (Object.keys(schema).some((name) => NEVER_STRICT.has(name))) return false
  if (isObjectSchema(schema)) {
    const { properties, required, additionalProperties } = schema
    const named = isObject(properties) ? Object.keys(properties) : []
    const isWhole = Array.isArray(required) ? named.every((name) => required.includes(name)) : named.length === 0
    if (additionalProperties !== false || !isWhole) return false
  }
  return inner(schema).every(isStrict)
}

const NEVER_STRICT: ReadonlySet<string> = new Set([
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['dependentRequired', 'dependentSchemas', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
])

/** A copy whose objects are all closed, the schema itself where they are; null where that would leave one of them nothing to say. */
export function closed(schema: Schema): Schema | null {
  if (!canBeClosed(schema)) return null
  return inner(schema).every(isClosed) && !isOpen(schema) ? schema : closedCopy(schema)
}

function isClosed(schema: JsonObject): boolean {
  return !isOpen(schema) && inner(schema).every(isClosed)
}

function isOpen(schema: JsonObject): boolean {
  return isObjectSchema(schema) && schema.additionalProperties !== false
}

function canBeClosed(schema: JsonObject): boolean {
  const { properties, patternProperties } = schema
  if (isObject(patternProperties) || togetherOpen(schema)) return false
  if (isOpen(schema) && !(isObject(properties) && Object.keys(properties).length > 0)) return false
  return inner(schema).every(canBeClosed)
}

/** Of parts that hold together each names fields of the same object: closed alone they would exclude each other. */
function togetherOpen({ allOf, anyOf, oneOf, properties }: JsonObject): boolean {
  const isAlone = !isObject(properties)
  const parts = [...(isAlone && Array.isArray(allOf) && allOf.length === 1 ? [] : [allOf]), ...(isAlone ? [] : [anyOf, oneOf])]
  return parts.some((list) => Array.isArray(list) && list.some((each: unknown) => isObject(each) && isOpen(each)))
}

function closedCopy(schema: JsonObject): JsonObject {
  const copy: Record<string, unknown> = { ...schema }
  for (const name of LISTS) {
    const value = schema[name]
    if (Array.isArray(value)) copy[name] = value.map((each: unknown) => (isObject(each) ? closedCopy(each) : each))
  }
  for (const name of MAPS) {
    const value = schema[name]
    if (isObject(value)) copy[name] = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, isObject(each) ? closedCopy(each) : each]))
  }
  const { items } = schema
  if (isObject(items)) copy['items'] = closedCopy(items)
  if (isOpen(schema)) copy['additionalProperties'] = false
  return copy
}

const MAPS = ['properties', '$defs', 'definitions'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** The schemas that stand in it, one level below. */
function inner(schema: JsonObject): JsonObject[] {
  const lists = LISTS.flatMap((name): unknown[] => (Array.isArray(schema[name]) ? (schema[name] as unknown[]) : []))
  const maps = MAPS.flatMap((name): unknown[] => (isObject(schema[name]) ? Object.values(schema[name]) : []))
  return [...lists, ...maps, schema.items].filter(isObject)
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || (type === undefined && isObject(properties))
}
