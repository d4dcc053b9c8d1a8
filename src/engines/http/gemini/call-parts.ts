import type { ToolCall } from '../../../model/message.ts'
import { PartialArguments } from './partial-arguments.ts'

/** A call as it is told, and what its issuer wants back with it. */
export interface SignedCall {
  readonly call: ToolCall
  readonly signature: string | null
}

interface Pending {
  id: string | null
  readonly name: string
  /** The arguments of a call that came whole, as JSON. */
  readonly whole: string | null
  readonly pieces: PartialArguments | null
  /** More of it was announced. */
  open: boolean
  signature: string | null
}

/**
 * Calls out of `functionCall` parts. Most come whole in one part. With streamed arguments the first part brings the name, the later ones
 * have none; the empty part that closes a call may be missing.
 */
export class CallParts {
  readonly #calls: Pending[] = []

  get any(): boolean {
    return this.#calls.length > 0
  }

  /** Takes a part in, or says what is wrong with it. Writes whole arguments out, which a nest too deep exhausts the stack of. */
  add(part: Readonly<Record<string, unknown>>, signature: string | null): string | undefined {
    const begun = this.#continued(part) ?? this.#begun(part)
    if (begun === undefined) return undefined
    begun.signature ??= signature
    begun.open = part.willContinue === true
    const { args, partialArgs } = part
    if (begun.pieces === null) return undefined
    if (typeof args === 'object' && args !== null) begun.pieces.merge(args as Readonly<Record<string, unknown>>)
    return Array.isArray(partialArgs) ? begun.pieces.apply(partialArgs) : undefined
  }

  /** The calls of an answer that ended: by itself, or at a bound, where one that was still open is half a call and no call. */
  told(endedItself: boolean): readonly SignedCall[] {
    return this.#calls
      .filter((call) => endedItself || !call.open)
      .map(({ id, name, whole, pieces, signature }) => ({ call: { id, name, arguments: whole ?? pieces?.text() ?? '{}' }, signature }))
  }

  /** The call that a part goes on with: the last one, by having no name of its own or the same id. */
  #continued(part: Readonly<Record<string, unknown>>): Pending | undefined {
    const last = this.#calls[this.#calls.length - 1]
    if (last === undefined || last.pieces === null) return undefined
    const id = textOf(part.id)
    if (id !== null && last.id !== null && id !== last.id) return undefined
    if (textOf(part.name) !== null && (id === null || id !== last.id)) return undefined
    last.id ??= id
    return last
  }

  #begun(part: Readonly<Record<string, unknown>>): Pending | undefined {
    const { args, partialArgs, willContinue } = part
    const name = textOf(part.name)
    const comesInPieces = Array.isArray(partialArgs) || willContinue === true
    // The part that closes a call says nothing of its own.
    if (name === null && (args === undefined || args === null) && !comesInPieces) return undefined
    const call: Pending = {
      id: textOf(part.id),
      name: name ?? '',
      whole: comesInPieces ? null : (JSON.stringify(args ?? {}) ?? '{}'),
      pieces: comesInPieces ? new PartialArguments() : null,
      open: false,
      signature: null,
    }
    this.#calls.push(call)
    return call
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
