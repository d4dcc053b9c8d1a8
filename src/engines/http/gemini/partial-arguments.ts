import { isObject } from '../json-object.ts'

/**
 * Arguments of a call that come in pieces: each names the place of one value by a JSON path (`$.items[0].name`) and brings a text, a number,
 * a boolean or null. A text may itself come in pieces.
 *
 * 1. A piece that cannot be placed makes the call unreadable: half of its arguments are not its arguments.
 * 2. Memory and depth are bounded by the bytes that came: an index beyond the end of a list, or a path deeper than `MAX_DEPTH`, is refused.
 */
export class PartialArguments {
  #root: Container = bare()

  /** Takes in `partialArgs`, or says what is wrong with them. */
  apply(pieces: readonly unknown[]): string | undefined {
    for (const piece of pieces) {
      const wrong = this.#place(piece)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }

  /** Arguments that came as an object beside the pieces. */
  merge(args: Readonly<Record<string, unknown>>): void {
    // A nest too deep to be written is found here, where its event can be named; pieces are never that deep.
    JSON.stringify(args)
    for (const [key, value] of Object.entries(args)) put(this.#root, key, value)
  }

  text(): string {
    return JSON.stringify(this.#root)
  }

  #place(piece: unknown): string | undefined {
    if (!isObject(piece) || typeof piece.jsonPath !== 'string') return 'a piece of arguments without a path'
    // Vertex ends a list by a piece without a value at `path[]`; of an empty list that piece is all there is.
    const endsList = piece.jsonPath.endsWith('[]')
    const steps = stepsOf(endsList ? piece.jsonPath.slice(0, -2) : piece.jsonPath)
    if (steps === undefined) return `a piece of arguments at a path that cannot be read: ${piece.jsonPath.slice(0, 80)}`
    const leaf = steps.pop()
    // The arguments as a whole: an object that is there already.
    if (leaf === undefined) return undefined
    const container = this.#reach(steps, leaf)
    if (container === undefined || !fits(container, leaf)) return `a piece of arguments that has no place: ${piece.jsonPath.slice(0, 80)}`
    settle(container, leaf, valueIn(piece), endsList, piece.willContinue === true)
    return undefined
  }

  /** The object or list that holds `leaf`, made on the way there where it is missing. */
  #reach(steps: readonly Key[], leaf: Key): Container | undefined {
    let container = this.#root
    for (const [at, key] of steps.entries()) {
      if (!fits(container, key)) return undefined
      const next = take(container, key) ?? (typeof (steps[at + 1] ?? leaf) === 'number' ? [] : bare())
      if (typeof next !== 'object') return undefined
      put(container, key, next)
      container = next as Container
    }
    return container
  }
}

type Key = string | number
type Container = Record<string, unknown> | unknown[]

const MAX_DEPTH = 100

/** Without a prototype, so that `__proto__` is a name like any other. */
function bare(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}

function fits(container: Container, key: Key): boolean {
  return Array.isArray(container) ? typeof key === 'number' && key <= container.length : typeof key === 'string'
}

function take(container: Container, key: Key): unknown {
  return (container as Record<Key, unknown>)[key]
}

function put(container: Container, key: Key, value: unknown): void {
  const holder = container as Record<Key, unknown>
  holder[key] = value
}

/** A text goes on where one stands; a piece without a value closes what stands, or is an empty list or object where nothing does. */
function settle(container: Container, leaf: Key, value: unknown, endsList: boolean, willContinue: boolean): void {
  const before = take(container, leaf)
  if (value !== undefined) put(container, leaf, typeof value === 'string' && typeof before === 'string' ? before + value : value)
  else if (before === undefined && !willContinue) put(container, leaf, endsList ? [] : bare())
}

function valueIn(piece: Readonly<Record<string, unknown>>): unknown {
  const { stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') return stringValue
  if (typeof numberValue === 'number') return numberValue
  if (typeof boolValue === 'boolean') return boolValue
  return Object.hasOwn(piece, 'nullValue') ? null : undefined
}

const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\[("(?:[^"\\]|\\.)*")\]/y

/** The names and indices of a path (RFC 9535, as far as it names one place); undefined when it is none. */
function stepsOf(path: string): Key[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: Key[] = []
  STEP.lastIndex = 1
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path)
    if (found === null || steps.length >= MAX_DEPTH) return undefined
    const [, name, index, single, double] = found
    if (index !== undefined) steps.push(Number(index))
    else steps.push(name ?? (single === undefined ? quoted(double ?? '') : single.replaceAll(/\\(.)/g, '$1')))
  }
  return steps
}

function quoted(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    return text.slice(1, -1)
  }
}
