import { z } from 'zod'
import { settingsSchema } from './schema.ts'

/** One setting as a person reads about it. */
export interface Field {
  /** Segments of its path: a name, `<key>` for any key of a record, `[i]` for any place in a list. */
  readonly path: readonly string[]
  readonly type: string
  /** JSON text of the default, or null when the field is required. */
  readonly default: string | null
  readonly description: string
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Every field of the settings, parents before children, in the order of the schema. */
export function settingFields(): Field[] {
  const fields: Field[] = []
  collect(z.toJSONSchema(settingsSchema, { io: 'input' }), [], fields)
  return fields
}

/** `profiles.<id>.fallback`, `modelRoutes[i].hint`. */
export function fieldPath(path: readonly string[]): string {
  return path.reduce((text, segment) => (segment.startsWith('[') ? `${text}${segment}` : text === '' ? segment : `${text}.${segment}`), '')
}

/** The field that a concrete path such as `['profiles', 'a.x', 'model']` belongs to, or the nearest one above it. */
export function fieldAt(fields: readonly Field[], path: readonly PropertyKey[]): Field | undefined {
  for (let length = path.length; length > 0; length--) {
    const found = fields.find((field) => field.path.length === length && field.path.every((segment, index) => fits(segment, path[index])))
    if (found !== undefined) return found
  }
  return undefined
}

/** The names that may stand directly under a concrete path. */
export function namesUnder(fields: readonly Field[], path: readonly PropertyKey[]): string[] {
  return fields
    .filter((field) => field.path.length === path.length + 1 && path.every((segment, index) => fits(field.path[index], segment)))
    .map((field) => field.path[path.length] ?? '')
}

function fits(pattern: string | undefined, segment: PropertyKey | undefined): boolean {
  if (pattern === undefined || segment === undefined) return false
  if (pattern === '[i]') return typeof segment === 'number'
  return pattern.startsWith('<') ? typeof segment === 'string' : pattern === segment
}

/** A credential's forms are one field: `{ env }` and `{ file }` are ways to write it. */
function collect(schema: JsonSchema, path: readonly string[], into: Field[]): void {
  if (isCredential(schema)) return
  const object = alternatives(schema).find((one) => one.type === 'object' || one.type === 'array')
  if (object === undefined) return
  for (const [name, child] of Object.entries(object.properties ?? {})) {
    if (typeof child === 'boolean') continue
    const required = object.required?.includes(name) === true
    add(child, [...path, name], required, into)
  }
  collectMembers(object, path, into)
}

/** Members of a record or a list have a type but no default of their own: only what stands inside them is listed. */
function collectMembers(object: JsonSchema, path: readonly string[], into: Field[]): void {
  if (typeof object.additionalProperties === 'object') collect(object.additionalProperties, [...path, `<${keyName(object)}>`], into)
  const items = object.items
  if (typeof items === 'object' && !Array.isArray(items)) collect(items, [...path, '[i]'], into)
}

function add(schema: JsonSchema, path: readonly string[], required: boolean, into: Field[]): void {
  into.push({
    path,
    type: typeText(schema),
    default: required ? null : JSON.stringify(schema.default),
    description: schema.description ?? '',
  })
  collect(schema, path, into)
}

function keyName(object: JsonSchema): string {
  const names = object.propertyNames
  return typeof names === 'object' && names.description !== undefined ? names.description : 'key'
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  const inner = schema.anyOf
  return inner === undefined ? [schema] : inner.flatMap((one) => (typeof one === 'boolean' ? [] : alternatives(one)))
}

function isCredential(schema: JsonSchema): boolean {
  return alternatives(schema).filter((one) => one.type === 'object').length > 1
}

function typeText(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return [...new Set(alternatives(schema).map(typeText))].join(' | ')
  if (schema.type === 'array')
    return `list of ${typeof schema.items === 'object' && !Array.isArray(schema.items) ? memberText(schema.items) : 'anything'}`
  if (schema.type === 'object') return objectText(schema)
  if (schema.type === 'integer' || schema.type === 'number') return `${schema.type}${boundsText(schema)}`
  return Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? schema.title ?? 'anything')
}

function memberText(items: JsonSchema): string {
  const text = typeText(items)
  return text.includes(' | ') ? `(${text})` : text
}

function objectText(schema: JsonSchema): string {
  if (typeof schema.additionalProperties === 'object') return `${keyName(schema)} → ${typeText(schema.additionalProperties)}`
  const names = Object.keys(schema.properties ?? {})
  return names.length === 1 ? `{ ${names[0]} }` : 'object'
}

function boundsText(schema: JsonSchema): string {
  if (schema.exclusiveMinimum === 0) return ' over 0'
  const limit = schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER ? ` to ${schema.maximum}` : ''
  return schema.minimum === undefined ? '' : limit === '' ? ` of at least ${schema.minimum}` : ` from ${schema.minimum}${limit}`
}
