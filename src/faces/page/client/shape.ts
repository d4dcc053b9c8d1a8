/**
 * Checks of what came from outside: each says what is wrong with a value, in words, or null. A recording is a file of anybody's; what the page reads of
 * it is what was looked at here.
 */
export type Check = (value: unknown) => string | null

/** Longest name; a text of people has `text`. */
const NAME_LENGTH = 2_000
/** As far as a date goes. */
const LAST_INSTANT = 8.64e15
const LIST_LENGTH = 10_000

export const text: Check = (value) => (typeof value === 'string' ? null : 'is no text')
export const name: Check = (value) => text(value) ?? (String(value).length <= NAME_LENGTH ? null : `is longer than ${NAME_LENGTH} characters`)
export const flag: Check = (value) => (typeof value === 'boolean' ? null : 'is neither true nor false')
export const figure: Check = (value) => (typeof value === 'number' && Number.isFinite(value) ? null : 'is no number')
export const instant: Check = (value) => figure(value) ?? (Math.abs(value as number) <= LAST_INSTANT ? null : 'is no instant')

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value)

/** Absent is as good. */
export const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined ? null : check(value)

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? null : `is none of ${values.join(', ')}`

export const list =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return 'is no list'
    if (value.length > LIST_LENGTH) return `has more than ${LIST_LENGTH} items`
    for (const [index, each] of value.entries()) {
      const problem = item(each)
      if (problem !== null) return `[${index}] ${problem}`
    }
    return null
  }

/** Fields that are not named may be there and are read by nobody. */
export const fields = (checks: Readonly<Record<string, Check>>): Check => {
  const named = Object.entries(checks)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no object'
    for (const [field, check] of named) {
      const problem = check(Object.hasOwn(value, field) ? (value as Readonly<Record<string, unknown>>)[field] : undefined)
      if (problem !== null) return `${field} ${problem}`.replace(' [', '[')
    }
    return null
  }
}

/** By the text in `field`; what is none of these has a problem of its own. */
export const byField =
  (field: string, checks: ReadonlyMap<string, Check>): Check =>
  (value) => {
    const problem = fields({ [field]: name })(value)
    if (problem !== null) return problem
    const kind = (value as Readonly<Record<string, string>>)[field] ?? ''
    return checks.get(kind)?.(value) ?? (checks.has(kind) ? null : `${field} "${kind.slice(0, 40)}" is not known`)
  }
