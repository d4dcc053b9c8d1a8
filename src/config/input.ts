import type { z } from 'zod'
import type { Diagnostic } from '../model/plan.ts'
import { invalidSetting, pathText, unknownSetting } from './diagnostics.ts'
import type { Field } from './fields.ts'
import { fieldAt, namesUnder, settingFields } from './fields.ts'
import { jsonCopy } from './json-copy.ts'
import { nearest } from './nearest.ts'
import type { SettingsInput } from './schema.ts'
import { settingsSchema } from './schema.ts'

/**
 * Reads what the operator wrote so that one fault does not hide the next (R5: all at once).
 *
 * 1. A fault is reported, then what is at fault is cut out of a copy, and the copy is read again; the rest is thus always checked.
 * 2. A required text that is absent reads as blank: what blank means there is told with its own code by check.ts.
 * 3. The input is never changed, and no message repeats a value of it.
 */
export interface ReadInput {
  /** What remains readable; null only when the input is no object at all. */
  readonly input: SettingsInput | null
  readonly errors: readonly Diagnostic[]
}

/** What other programs call a setting of ours, where no letter leads from one name to the other. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['baseurl', 'endpoint'],
  ['apibase', 'endpoint'],
  ['url', 'endpoint'],
  ['protocol', 'api'],
  ['key', 'apiKey'],
])

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Deeper than any setting stands; what is deeper is cut, so that a circle or an endless nest cannot be followed. */
const MAX_DEPTH = 8
/** Each round cuts at least one fault; a fault that comes back is cut one level higher. */
const MAX_ROUNDS = 2 * MAX_DEPTH

export function readInput(written: unknown): ReadInput {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) {
    return { input: null, errors: [invalidSetting([], 'are no object', 'Write an object with `primary` and `profiles`.')] }
  }
  const errors = new Findings()
  const copy = copied(written, [], errors)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const parsed = settingsSchema.safeParse(copy)
    if (parsed.success) return { input: parsed.data, errors: errors.list }
    for (const issue of parsed.error.issues) repair(copy, issue, errors)
  }
  return { input: null, errors: errors.list }
}

/** Findings by path, so that the second reading of a repaired place says nothing new. */
class Findings {
  readonly list: Diagnostic[] = []
  /** Places that were cut already. */
  readonly cut = new Set<string>()
  /** Places where nothing stood and a blank was put. */
  readonly filled = new Set<string>()
  #fields: Field[] | undefined
  readonly #paths = new Set<string>()

  get fields(): Field[] {
    this.#fields ??= settingFields()
    return this.#fields
  }

  add(finding: Diagnostic): void {
    if (this.#paths.has(finding.path)) return
    this.#paths.add(finding.path)
    this.list.push(finding)
  }

  addUnknown(path: Path): void {
    const known = namesUnder(this.fields, path.slice(0, -1)).filter((name) => !name.startsWith('<'))
    const name = String(path.at(-1))
    const meant = ELSEWHERE.get(name.toLowerCase().replaceAll(/[-_]/g, '')) ?? ''
    this.add(unknownSetting(path, known.includes(meant) ? meant : nearest(name, known), known))
  }

  addInvalid(path: Path, issue: Issue): void {
    const missing = this.filled.has(pathText(path))
    const field = fieldAt(this.fields, path)
    const form = field === undefined ? 'remove it' : `write ${field.type}${field.default === null ? '' : `, or nothing for ${field.default}`}`
    const remedy = issue.code === 'custom' ? 'Correct it or remove it.' : `${missing ? 'Add it' : 'Correct it'}: ${form}.`
    this.add(invalidSetting(path, missing ? 'is missing' : problemText(issue), remedy))
  }
}

/** What the schema calls by the words of a library. */
const KINDS: Readonly<Record<string, string>> = { array: 'a list', object: 'an object', record: 'an object' }

function problemText(issue: Issue): string {
  switch (issue.code) {
    case 'custom':
      return issue.message
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? `of type ${issue.expected}`}`
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be ${issue.inclusive === true ? 'at least' : 'over'} ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    default:
      return 'has none of the forms it may have'
  }
}

function repair(copy: Record<string, unknown>, issue: Issue, errors: Findings): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      errors.addUnknown([...issue.path, key])
      cut(copy, [...issue.path, key])
    }
    return
  }
  const path = issue.path
  const place = pathText(path)
  if (valueAt(copy, path) === undefined && !errors.filled.has(place)) {
    errors.filled.add(place)
    put(copy, path, '')
  } else {
    errors.addInvalid(path, issue)
    cutHigher(copy, path, errors)
  }
}

/** Cuts the place, or what holds it when cutting the place did not help: a required number can only go with its object. */
function cutHigher(copy: Record<string, unknown>, path: Path, errors: Findings): void {
  let length = path.length
  while (length > 1 && errors.cut.has(pathText(path.slice(0, length)))) length--
  errors.cut.add(pathText(path.slice(0, length)))
  cut(copy, path.slice(0, length))
}

function valueAt(copy: unknown, path: Path): unknown {
  let value: unknown = copy
  for (const segment of path) value = isContainer(value) ? value[String(segment)] : undefined
  return value
}

function put(copy: Record<string, unknown>, path: Path, value: unknown): void {
  const holder = valueAt(copy, path.slice(0, -1))
  if (isContainer(holder)) holder[String(path.at(-1))] = value
}

/** Profiles, routes and items of lists leave a blank behind: what refers to them, and the paths of their neighbours, must stay true. */
function cut(copy: Record<string, unknown>, path: Path): void {
  const holder = valueAt(copy, path.slice(0, -1))
  if (!isContainer(holder)) return
  const isNamed = path.length === 2 && (path[0] === 'profiles' || path[0] === 'modelRoutes')
  if (isNamed) holder[String(path[1])] = {}
  else if (Array.isArray(holder)) holder[Number(path.at(-1))] = ''
  else delete holder[String(path.at(-1))]
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A copy without prototype tricks: an own `__proto__` is refused like any unknown key, which a record would drop in silence. */
function copied(value: object, path: Path, errors: Findings): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (key === '__proto__') errors.addUnknown([...path, key])
    else copy[key] = copiedValue((value as Record<string, unknown>)[key], [...path, key], errors)
  }
  return copy
}

const JSON_ONLY = 'Write text, finite numbers, true, false, null, lists and objects.'

/** What stands here is the provider's, and no schema of ours knows it. */
function isBodyField(path: Path): boolean {
  return path.length === 4 && path[0] === 'profiles' && path[2] === 'body'
}

function copiedValue(value: unknown, path: Path, errors: Findings): unknown {
  if (isBodyField(path)) return jsonCopy(value, path, (at, problem) => errors.add(invalidSetting(at, problem, JSON_ONLY)))
  if (typeof value !== 'object' || value === null) return value
  if (path.length >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((item, index) => copiedValue(item, [...path, index], errors))
  return copied(value, path, errors)
}
