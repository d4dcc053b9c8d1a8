import { EMPTY, type PageState } from './state.ts'

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] }
type MapOf<Name extends keyof PageState> = PageState[Name] extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never
type ListOf<Name extends keyof PageState> = PageState[Name] extends readonly (infer Item)[] ? Item[] : never

/**
 * A state that is being made of another one: each map and list is copied when it is first written to, so that a batch of a thousand events copies
 * ten thousand turns once and not a thousand times.
 */
export class Draft {
  #state: Writable<PageState>
  readonly #own = new Set<keyof PageState>()

  constructor(state: PageState) {
    this.#state = { ...state }
  }

  /** What it has come to; reading only. */
  get state(): PageState {
    return this.#state
  }

  set<Name extends keyof PageState>(name: Name, value: PageState[Name]): void {
    this.#state[name] = value
  }

  /** From now on as if nothing had been told. */
  clear(): void {
    this.#state = { ...EMPTY, said: this.#state.said }
    this.#own.clear()
  }

  map<Name extends keyof PageState>(name: Name): MapOf<Name> {
    if (!this.#own.has(name)) {
      this.#own.add(name)
      this.#state[name] = new Map(this.#state[name] as unknown as ReadonlyMap<unknown, unknown>) as unknown as PageState[Name]
    }
    return this.#state[name] as unknown as MapOf<Name>
  }

  list<Name extends keyof PageState>(name: Name): ListOf<Name> {
    if (!this.#own.has(name)) {
      this.#own.add(name)
      this.#state[name] = [...(this.#state[name] as unknown as readonly unknown[])] as unknown as PageState[Name]
    }
    return this.#state[name] as unknown as ListOf<Name>
  }

  /** Appends to a list that keeps the latest `bound`; a tenth more, so that not each item moves all. */
  push<Name extends keyof PageState>(name: Name, item: ListOf<Name>[number], bound: number): void {
    const list = this.list(name) as unknown[]
    list.push(item)
    if (list.length > bound * 1.1) list.splice(0, list.length - bound)
  }

  say(text: string): void {
    this.#state.said = { n: this.#state.said.n + 1, text }
  }
}
