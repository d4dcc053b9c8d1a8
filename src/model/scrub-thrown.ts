import type { Scrub } from './scrub.ts'
import { REDACTED } from './secret.ts'

/**
 * What was thrown, without these values: code of a host throws what it likes, and what signs a request stands near to it.
 *
 * 1. What shows none of the values is handed on itself, so that who threw it finds it again.
 * 2. Otherwise it is a copy of the same class with message, stack, cause and further fields of plain data. What cannot be looked through (a
 *    socket, a request, a function) is left out of a copy, and nothing that holds such is handed on itself.
 * 3. No getter is called, and nothing is changed in what was thrown.
 * 4. It never throws: an object may do so when it is only looked at.
 */
export function scrubThrown(thrown: unknown, scrub: Scrub): unknown {
  if (scrub.isEmpty) return thrown
  try {
    return shows(thrown, scrub, new Set(), 0) ? copied(thrown, scrub, new Map(), 0) : thrown
  } catch {
    return REDACTED
  }
}

/** Deeper than any cause that a person reads. */
const DEEPEST = 16

function shows(value: unknown, scrub: Scrub, seen: Set<object>, depth: number): boolean {
  if (isOpaque(value) || depth > DEEPEST) return true
  if (typeof value !== 'object' || value === null) return scrubbed(value, scrub) !== value
  if (seen.has(value)) return false
  seen.add(value)
  return fieldsOf(value).some(({ key, read }) => scrubbed(key, scrub) !== key || shows(read, scrub, seen, depth + 1))
}

function copied(value: unknown, scrub: Scrub, copies: Map<object, object>, depth: number): unknown {
  if (isOpaque(value) || depth > DEEPEST) return undefined
  if (typeof value !== 'object' || value === null) return scrubbed(value, scrub)
  const present = copies.get(value)
  if (present !== undefined) return present
  const copy: object = Array.isArray(value) ? new Array(value.length) : Object.create(Object.getPrototypeOf(value))
  copies.set(value, copy)
  for (const { key, read, enumerable } of fieldsOf(value)) {
    const clean = copied(read, scrub, copies, depth + 1)
    const name = scrubbed(key, scrub) as PropertyKey
    if (clean !== undefined) Object.defineProperty(copy, name, { value: clean, enumerable, writable: true, configurable: true })
  }
  return copy
}

function scrubbed(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'symbol') return scrub.text(String(value)) === String(value) ? value : Symbol()
  return scrub.data(value)
}

/** Neither an error nor plain data; an accessor of somebody's stands for what it would read. */
function isOpaque(value: unknown): boolean {
  if (value === UNREAD || typeof value === 'function') return true
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Error) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && prototype !== Object.prototype
}

const UNREAD = Symbol('unread')

interface Field {
  readonly key: string | symbol
  readonly read: unknown
  readonly enumerable: boolean
}

function fieldsOf(value: object): Field[] {
  const keys = Reflect.ownKeys(value).filter((key) => !(key === 'length' && Array.isArray(value)))
  return keys.map((key) => {
    const field = Object.getOwnPropertyDescriptor(value, key)
    const isStack = key === 'stack' && value instanceof Error
    const read: unknown = isStack ? value.stack : field !== undefined && 'value' in field ? field.value : UNREAD
    return { key, read, enumerable: field?.enumerable === true }
  })
}
