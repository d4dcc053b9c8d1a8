import type { Outcome, Turn, TurnEvent } from '../../index.ts'
import { abortError, errorOfTurn } from './call-error.ts'
import { PartWriter } from './part-writer.ts'
import { isAnswered, metadataOf } from './result.ts'
import type { ModelPart, Warning } from './specification.ts'

/**
 * A turn as a ReadableStream of the AI SDK.
 *
 * 1. The turn is read when the stream is: a slow reader makes the kernel's flow full, which pauses the provider.
 * 2. `begin` waits for the first content, so that a turn that fails before any rejects the call, as a provider that answers with an error
 *    does. Behind content a failure is an `error` part, and nothing is asked again (R28).
 * 3. An abort errors the stream at once, whatever is still queued; the kernel has cut the provider off in the same tick (R30).
 */
export class TurnStream {
  readonly #turn: Turn
  readonly #writer: PartWriter
  readonly #events: AsyncIterator<TurnEvent>
  readonly #signal: AbortSignal | undefined
  readonly #model: string
  #controller: ReadableStreamDefaultController<ModelPart> | null = null
  #ready: ModelPart[]
  #begun = false
  #over = false

  constructor(turn: Turn, asked: { readonly model: string; readonly warnings: Warning[]; readonly signal: AbortSignal | undefined }) {
    this.#turn = turn
    this.#writer = new PartWriter(turn)
    // Asked for in the tick that made the turn, so that it has a reader from its first event on.
    this.#events = turn[Symbol.asyncIterator]()
    this.#model = asked.model
    this.#signal = asked.signal
    this.#ready = [{ type: 'stream-start', warnings: asked.warnings }]
    this.#signal?.addEventListener('abort', this.#onAbort)
  }

  /** Rejects when the turn ends without content and without an answer. */
  async begin(): Promise<ReadableStream<ModelPart>> {
    try {
      this.#ready.push(...(await this.#more()))
    } catch (error) {
      this.#leave()
      throw error
    }
    this.#begun = true
    return new ReadableStream<ModelPart>(
      {
        start: (controller) => {
          this.#controller = controller
          if (this.#signal?.aborted) this.#onAbort()
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => {
          this.#turn.cancel()
          this.#leave()
        },
      },
      { highWaterMark: 0 },
    )
  }

  async #pull(controller: ReadableStreamDefaultController<ModelPart>): Promise<void> {
    const parts = this.#ready.length > 0 ? this.#ready : await this.#more()
    this.#ready = []
    if (this.#over) return
    for (const part of parts) controller.enqueue(part)
    if (parts.at(-1)?.type !== 'finish') return
    this.#leave()
    controller.close()
  }

  /** The parts of the next events that have any. */
  async #more(): Promise<ModelPart[]> {
    for (;;) {
      const { value, done } = await this.#events.next()
      if (done || this.#over) return []
      if (value.type === 'turn.ended') return this.#ending(value.outcome)
      const parts = this.#writer.partsOf(value)
      if (parts.length > 0) return parts
    }
  }

  async #ending(outcome: Outcome): Promise<ModelPart[]> {
    if (isAnswered(outcome)) return this.#writer.closing(outcome)
    const error = await turnError(this.#turn, outcome, this.#model, this.#signal)
    if (!this.#begun) throw error
    return this.#writer.broken(outcome, error)
  }

  readonly #onAbort = (): void => {
    if (this.#over || this.#controller === null) return
    this.#leave()
    this.#controller.error(abortError(this.#signal?.reason, undefined))
  }

  #leave(): void {
    this.#over = true
    this.#signal?.removeEventListener('abort', this.#onAbort)
    void this.#events.return?.()
  }
}

/** The error of a turn without an answer, as the AI SDK is told it. */
export async function turnError(turn: Turn, outcome: Outcome, model: string, signal: AbortSignal | undefined): Promise<Error> {
  if (outcome.kind === 'cancelled' && signal?.aborted) return abortError(signal.reason, undefined)
  const error = await turn.text.then(
    () => new Error(`a turn that ended as ${outcome.kind} had a text`),
    (rejected: unknown) => (rejected instanceof Error ? rejected : new Error(String(rejected))),
  )
  return errorOfTurn(outcome, error, model, metadataOf(turn, outcome))
}
