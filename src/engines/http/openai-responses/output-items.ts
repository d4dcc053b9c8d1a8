import { isObject, type JsonObject } from '../json-object.ts'

/** Words of an item that a reader may see, each kind in parts of its own. */
export type Words = 'text' | 'summary' | 'raw'

/** One item of an answer: a message, a thought, a call. It is told in pieces, then whole, and once more in the answer as a whole. */
export interface OutputItem {
  readonly index: number
  /** Empty while only pieces of it came in. */
  type: string
  /** The item as it was told last. */
  value: JsonObject
  /** Arguments or input of a call: fragments so far, or the whole once it was told. */
  input: string
  inputWhole: boolean
  /** Numbers of the parts whose words were told. */
  readonly told: Readonly<Record<Words, Set<number>>>
  /** Characters of text that were told. */
  characters: number
  /** The call of a tool that runs at the provider was told. */
  callTold: boolean
  /** Nothing more is told of it. */
  closed: boolean
}

/**
 * The items of one answer, found again by whatever an event says of them.
 *
 * 1. An id that is known decides; else the place in the output does. Some servers mint an id for every event, others number every item 0.
 * 2. An event that names no place goes on with the item that began last.
 * 3. A piece of an item whose beginning never came (a stream that was resumed) begins it.
 */
export class OutputItems {
  readonly #items: OutputItem[] = []
  readonly #byId = new Map<string, OutputItem>()
  readonly #byIndex = new Map<number, OutputItem>()
  #highest = -1

  get all(): readonly OutputItem[] {
    return this.#items
  }

  /** The place behind which nothing has been told. */
  get highest(): number {
    return this.#highest
  }

  /** The item that a piece belongs to. */
  pieceOf(event: JsonObject): OutputItem {
    return this.#known(event.item_id, event.output_index) ?? this.#begun(event.item_id, event.output_index)
  }

  /** An item that begins; one of which pieces came before is that one. */
  begin(event: JsonObject, value: JsonObject): OutputItem {
    const before = this.#known(value.id, event.output_index)
    const item = before?.type === '' ? before : this.#begun(value.id, event.output_index)
    return described(item, value)
  }

  /** An item that is whole. One that was closed is whole already, unless another took its place. */
  end(event: JsonObject, value: JsonObject): OutputItem {
    const before = this.#known(value.id, event.output_index)
    const isOther = before !== undefined && (before.closed ? before.value.id !== value.id : before.type !== '' && before.type !== value.type)
    return described(before === undefined || isOther ? this.#begun(value.id, event.output_index) : before, value)
  }

  /** The item that the answer as a whole has at this place, or undefined when it was not told before. */
  placed(value: JsonObject, index: number): OutputItem | undefined {
    const byId = typeof value.id === 'string' ? this.#byId.get(value.id) : undefined
    if (byId !== undefined) return byId
    const byIndex = this.#byIndex.get(index)
    return byIndex?.type === value.type || byIndex?.type === '' ? byIndex : undefined
  }

  #known(id: unknown, index: unknown): OutputItem | undefined {
    const byId = typeof id === 'string' ? this.#byId.get(id) : undefined
    if (byId !== undefined) return byId
    if (typeof index === 'number') return this.#byIndex.get(index)
    const last = this.#items[this.#items.length - 1]
    return last?.closed === true ? undefined : last
  }

  #begun(id: unknown, index: unknown): OutputItem {
    const place = typeof index === 'number' ? index : this.#highest + 1
    const item: OutputItem = {
      index: place,
      type: '',
      value: {},
      input: '',
      inputWhole: false,
      told: { text: new Set(), summary: new Set(), raw: new Set() },
      characters: 0,
      callTold: false,
      closed: false,
    }
    this.#items.push(item)
    this.#byIndex.set(place, item)
    if (typeof id === 'string' && id !== '') this.#byId.set(id, item)
    this.#highest = Math.max(this.#highest, place)
    return item
  }
}

export function described(item: OutputItem, value: JsonObject): OutputItem {
  item.value = value
  if (typeof value.type === 'string') item.type = value.type
  return item
}

/** The parts of a list that are objects, each with its place. */
export function partsOf(list: unknown): readonly (readonly [number, JsonObject])[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((part: unknown, at): [number, JsonObject][] => (isObject(part) ? [[at, part]] : []))
}
