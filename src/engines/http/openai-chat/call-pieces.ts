import type { ToolCall } from '../../../model/message.ts'
import { isObject } from '../json-object.ts'

interface Pending {
  id: string | null
  name: string
  arguments: string
}

/**
 * Tool calls as the chat protocol sends them: in pieces keyed by `index` (which may start at 1), whole in one delta, or whole without an
 * index (wire.md §1, §8). Nothing leaves before the finish marker.
 */
export class CallPieces {
  readonly #calls: Pending[] = []
  readonly #byIndex = new Map<number, Pending>()
  /** The first call of each id: an answer may hold as many calls as its bytes allow. */
  readonly #byId = new Map<string, Pending>()

  get any(): boolean {
    return this.#calls.length > 0
  }

  add(piece: unknown): void {
    if (!isObject(piece)) return
    const index = typeof piece.index === 'number' ? piece.index : null
    const id = typeof piece.id === 'string' && piece.id !== '' ? piece.id : null
    const fn = isObject(piece.function) ? piece.function : {}
    const name = typeof fn.name === 'string' ? fn.name : ''
    const call = this.#continued(index, id, name) ?? this.#begun(index)
    call.id ??= id
    if (call.id !== null && !this.#byId.has(call.id)) this.#byId.set(call.id, call)
    if (call.name === '') call.name = name
    if (typeof fn.arguments === 'string') call.arguments += fn.arguments
    else if (isObject(fn.arguments)) call.arguments += JSON.stringify(fn.arguments)
  }

  /** The calls in the order in which they began. No arguments at all are an empty object. */
  whole(): readonly ToolCall[] {
    return this.#calls.map((call) => ({ ...call, arguments: call.arguments === '' ? '{}' : call.arguments }))
  }

  #begun(index: number | null): Pending {
    const call: Pending = { id: null, name: '', arguments: '' }
    this.#calls.push(call)
    if (index !== null) this.#byIndex.set(index, call)
    return call
  }

  /** The call that a piece goes on with; a named piece under another id is a call of its own, even where a bridge reuses the index. */
  #continued(index: number | null, id: string | null, name: string): Pending | undefined {
    if (index !== null) {
      const call = this.#byIndex.get(index)
      const isOther = call !== undefined && name !== '' && id !== null && call.id !== null && call.id !== id
      return isOther ? undefined : call
    }
    if (id !== null) return this.#byId.get(id)
    return name === '' ? this.#calls[this.#calls.length - 1] : undefined
  }
}
