import type { Outcome } from '../../../index.ts'
import { acceptedUsage } from '../accepted-usage.ts'
import type { Content, Head, StreamVoice, Summary } from '../dialect.ts'
import { type EndingFrame, withRelevo } from '../ending.ts'
import { openaiError } from '../openai-error.ts'
import type { Problem } from '../problem.ts'
import { finishOf, REFUSED, toolCallOf, usageOfChat } from './answer.ts'

const DONE = 'data: [DONE]\n\n'

/**
 * A streamed chat completion.
 *
 * 1. Its last event with JSON carries `relevo`: the usage chunk where the client asked for one, else the one with the finish reason. No chunk
 *    without a choice is sent to a client that did not ask for usage: many read `choices[0]` of every one.
 * 2. Passed bytes need no head of ours: they have their own.
 * 3. An answer that came whole is said when its outcome is known: its thoughts are in that alone.
 */
export class ChatVoice implements StreamVoice {
  readonly #head: Head
  readonly #prefix: string
  #begun = false
  #calls = 0
  #isWhole = false
  #ending: readonly EndingFrame[] | null = null

  constructor(head: Head) {
    this.#head = head
    const { turn, model, at } = head
    const common = JSON.stringify({ id: `chatcmpl-${turn}`, object: 'chat.completion.chunk', created: Math.floor(at / 1000), model })
    this.#prefix = `data: ${common.slice(0, -1)},"choices":[{"index":0,"delta":`
  }

  content(event: Content): string | Uint8Array {
    switch (event.type) {
      case 'bytes':
        this.#begun = true
        return event.bytes
      case 'text':
        return this.#chunk({ content: event.text })
      case 'reasoning':
        return this.#chunk({ reasoning_content: event.text })
      case 'toolCall':
        return this.#call(event)
      case 'answer':
        this.#isWhole = true
        return ''
      case 'ending':
        this.#ending = event.frames
        return ''
      default:
        // Tools that ran at the provider and notices have no place in this protocol.
        return ''
    }
  }

  end(outcome: Outcome, relevo: Summary): string {
    if (this.#ending !== null) return withRelevo(terminated(this.#wanted(this.#ending)), relevo)
    const whole = this.#isWhole ? this.#whole(outcome) : ''
    const refusal = outcome.kind === 'refused' ? this.#chunk({ refusal: REFUSED }) : ''
    const said = whole + refusal
    const finish = finishOf(outcome)
    const usage = acceptedUsage(outcome)
    if (!this.#head.request.usage || usage === null) return `${said}${this.#chunk({}, finish, relevo)}${DONE}`
    return `${said}${this.#chunk({}, finish)}${this.#usageChunk(usageOfChat(usage), relevo)}${DONE}`
  }

  broken(problem: Problem, relevo: Summary): string {
    return `data: ${JSON.stringify(openaiError(problem, relevo))}\n\n`
  }

  #whole({ reasoning, text, toolCalls }: Outcome): string {
    return (
      (reasoning === '' ? '' : this.#chunk({ reasoning_content: reasoning })) +
      (text === '' ? '' : this.#chunk({ content: text })) +
      toolCalls.map((call) => this.#call(call)).join('')
    )
  }

  /** The kernel asks its entries for usage whether the client did or not. */
  #wanted(frames: readonly EndingFrame[]): readonly EndingFrame[] {
    return this.#head.request.usage ? frames : frames.filter(({ data }) => !isUsageChunk(data))
  }

  #call(call: { readonly id: string | null; readonly name: string; readonly arguments: string }): string {
    const index = this.#calls++
    return this.#chunk({ tool_calls: [{ index, ...toolCallOf(call, index, this.#head.turn) }] })
  }

  #chunk(delta: object, finish: string | null = null, relevo?: Summary): string {
    const role = this.#begun ? '' : `${this.#prefix}{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}\n\n`
    this.#begun = true
    const tail = relevo === undefined ? '' : `,"relevo":${JSON.stringify(relevo)}`
    return `${role}${this.#prefix}${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]${tail}}\n\n`
  }

  #usageChunk(usage: object, relevo: Summary): string {
    const { turn, model, at } = this.#head
    const chunk = { id: `chatcmpl-${turn}`, object: 'chat.completion.chunk', created: Math.floor(at / 1000), model, choices: [], usage, relevo }
    return `data: ${JSON.stringify(chunk)}\n\n`
  }
}

/** An end that was taken without its terminator (R25): clients may take its absence for a break. */
function terminated(frames: readonly EndingFrame[]): readonly EndingFrame[] {
  return frames.some(({ data }) => data === DONE_FRAME.data) ? frames : [...frames, DONE_FRAME]
}

const DONE_FRAME: EndingFrame = { event: null, data: '[DONE]' }

function isUsageChunk(data: string): boolean {
  if (!data.startsWith('{')) return false
  const { choices } = JSON.parse(data) as { choices?: unknown }
  return Array.isArray(choices) && choices.length === 0
}
