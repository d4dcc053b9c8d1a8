/**
 * A regular expression as a tree, as far as its cost goes: what is repeated, how often, and what stands around it. Written for the patterns
 * of this project (without the flag `v`); what it does not know it refuses, so that no pattern goes unseen.
 */
export type Node =
  /** One character, or the boundaries and anchors that take none. */
  | { readonly kind: 'one'; readonly source: string; readonly width: 0 | 1 }
  | { readonly kind: 'group'; readonly ways: readonly (readonly Node[])[]; readonly width: 0 | 1 }
  | { readonly kind: 'repeat'; readonly of: Node; readonly least: number; readonly most: number }

export function treeOf(pattern: RegExp): readonly (readonly Node[])[] {
  const reader = new Reader(pattern.source)
  const ways = reader.ways()
  if (!reader.isOver) throw new Error(`${pattern}: a bracket that closes nothing`)
  return ways
}

class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  get isOver(): boolean {
    return this.#at >= this.#source.length
  }

  ways(): Node[][] {
    const ways: Node[][] = [[]]
    while (!this.isOver && this.#source[this.#at] !== ')') {
      if (this.#take('|')) ways.push([])
      else ways.at(-1)?.push(this.#repeated(this.#atom()))
    }
    return ways
  }

  #atom(): Node {
    if (this.#take('(')) {
      const look = this.#match(/^\?(?:[:=!]|<[=!]|<\w+>)/)
      if (look === null && this.#source[this.#at] === '?') throw new Error(`${this.#source}: a group that is not known`)
      const ways = this.ways()
      if (!this.#take(')')) throw new Error(`${this.#source}: a group without an end`)
      return { kind: 'group', ways, width: look !== null && /[=!]$/.test(look) ? 0 : 1 }
    }
    const one = this.#match(/^(?:\[(?:[^\]\\]|\\.)*\]|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[pP]\{\w+\}|\\[1-9]|\\[^\dk]|[^\\[])/is)
    if (one === null) throw new Error(`${this.#source}: ${this.#source.slice(this.#at)} is not known`)
    return { kind: 'one', source: one, width: /^(?:\^|\$|\\b|\\B)$/.test(one) ? 0 : 1 }
  }

  #repeated(of: Node): Node {
    const sign = this.#match(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/)
    if (sign === null) return of
    const [, least = '', comma, most = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(sign) ?? []
    if (sign.startsWith('*')) return { kind: 'repeat', of, least: 0, most: Number.POSITIVE_INFINITY }
    if (sign.startsWith('+')) return { kind: 'repeat', of, least: 1, most: Number.POSITIVE_INFINITY }
    if (sign.startsWith('?')) return { kind: 'repeat', of, least: 0, most: 1 }
    return { kind: 'repeat', of, least: Number(least), most: comma === '' ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most) }
  }

  #take(sign: string): boolean {
    if (this.#source[this.#at] !== sign) return false
    this.#at += 1
    return true
  }

  #match(pattern: RegExp): string | null {
    const found = pattern.exec(this.#source.slice(this.#at))?.[0] ?? null
    this.#at += found?.length ?? 0
    return found
  }
}

function all(ways: readonly (readonly Node[])[]): Node[] {
  return ways.flat().flatMap((node) => [node, ...(node.kind === 'group' ? all(node.ways) : node.kind === 'repeat' ? all([[node.of]]) : [])])
}

type Repeat = Extract<Node, { kind: 'repeat' }>
const repeatsIn = (ways: readonly (readonly Node[])[]): Repeat[] => all(ways).filter((node): node is Repeat => node.kind === 'repeat')
const isUnbounded = ({ most }: Repeat): boolean => most === Number.POSITIVE_INFINITY
const isVariable = ({ least, most }: Repeat): boolean => least !== most

/** How many of its runs have no bound. */
export function unboundedIn(pattern: RegExp): number {
  return repeatsIn(treeOf(pattern)).filter(isUnbounded).length
}

/**
 * What may make a pattern cost more than the length of its text; empty where nothing can.
 *
 * 1. One run without a bound at the most, and none inside of what is repeated, nor with a run of any length inside.
 * 2. What is repeated and has a run of any length inside ends each time at a character that no such run takes: there is one way to read it.
 */
export function faultsOf(pattern: RegExp): string[] {
  const tree = treeOf(pattern)
  const faults: string[] = []
  const repeats = repeatsIn(tree)
  if (repeats.filter(isUnbounded).length > 1) faults.push('two runs without a bound')
  for (const outer of repeats.filter(({ most }) => most > 1)) {
    const inner = repeatsIn([[outer.of]]).filter(isVariable)
    if (inner.some(isUnbounded)) faults.push('a run without a bound is repeated')
    if (isUnbounded(outer) && inner.length > 0) faults.push('a run without a bound repeats runs')
    else if (inner.some(({ most }) => most > 1) && !isParted(outer.of, inner, pattern.flags)) faults.push('what is repeated can be read in two ways')
  }
  return faults
}

/** Whether each way through it has a character that none of its runs takes. */
function isParted(of: Node, inner: readonly Repeat[], flags: string): boolean {
  const taken = inner
    .filter(({ most }) => most > 1)
    .flatMap((repeat) => all([[repeat.of]]).flatMap((node) => (node.kind === 'one' ? [node.source] : [])))
  const isFree = (node: Node): boolean => node.kind === 'one' && node.width === 1 && taken.every((other) => !overlaps(other, node.source, flags))
  const ways = of.kind === 'group' ? of.ways : [[of]]
  return ways.every((way) => !repeatsIn([way]).some(({ most }) => most > 1) || way.some(isFree))
}

const CHARACTERS = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code))

function overlaps(one: string, other: string, flags: string): boolean {
  const set = (source: string): RegExp => new RegExp(`^${source}$`, flags.replace(/[gy]/g, ''))
  const [left, right] = [set(one), set(other)]
  return CHARACTERS.some((character) => left.test(character) && right.test(character))
}

/** The plain texts that stand in a pattern, along each way through it; of a class one of its characters. */
export function literalsOf(pattern: RegExp): string[] {
  const texts = waysText(treeOf(pattern), pattern.flags).split(BREAK)
  return [...new Set(texts)].filter((text) => text !== '')
}

/** No pattern has it. */
const BREAK = '\uffff'

function waysText(ways: readonly (readonly Node[])[], flags: string): string {
  return ways.map((way) => way.map((node) => textOf(node, flags)).join('')).join(BREAK)
}

function textOf(node: Node, flags: string): string {
  if (node.kind === 'group') return `${BREAK}${waysText(node.ways, flags)}${BREAK}`
  if (node.kind === 'repeat') return `${BREAK}${textOf(node.of, flags)}${BREAK}`
  if (node.width === 0) return ''
  return plainOf(node.source) ?? `${BREAK}${memberOf(node.source, flags)}${BREAK}`
}

function plainOf(source: string): string | null {
  if (source.length === 1) return source === '.' ? null : source
  if (/^\\[^\w]$/.test(source)) return source.slice(1)
  const code = /^\\(?:u\{?|x)([0-9a-f]+)\}?$/i.exec(source)?.[1]
  return code === undefined ? null : String.fromCodePoint(Number.parseInt(code, 16))
}

/** Some character of a class. */
function memberOf(source: string, flags: string): string {
  const pattern = new RegExp(`^${source}$`, flags.replace(/[gy]/g, ''))
  return ['a', '1', ' ', '-', '\u001b', ...CHARACTERS].find((character) => pattern.test(character)) ?? ''
}
