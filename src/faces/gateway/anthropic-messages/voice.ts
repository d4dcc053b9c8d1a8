import type { Outcome, ToolCall } from '../../../index.ts'
import { acceptedUsage } from '../accepted-usage.ts'
import type { Content, Head, StreamVoice, Summary } from '../dialect.ts'
import { type EndingFrame, withRelevo } from '../ending.ts'
import type { Problem } from '../problem.ts'
import { CallIds, inputText, messageOf, stopOf, usageOfMessages } from './answer.ts'
import { anthropicError } from './error.ts'
import { OWN_SIGNATURE } from './own-thought.ts'

const STOP: EndingFrame = { event: 'message_stop', data: '{"type":"message_stop"}' }

/**
 * A streamed message: its start, then one block after the other, then how it ended.
 *
 * 1. One block is open at a time, and each has the next index; `message_stop` carries `relevo`.
 * 2. Passed bytes need no start of ours: they have their own. Where they have no end that is theirs, as in a refusal, ours stands behind them:
 *    clients take a second start for a broken stream.
 * 3. An answer that came whole is said when its outcome is known: its thoughts are in that alone, and clients read what went in from the start
 *    of a message, where a streamed one cannot know it yet.
 */
export class MessagesVoice implements StreamVoice {
  readonly #head: Head
  readonly #ids: CallIds
  #begun = false
  #index = -1
  #open: 'text' | 'thinking' | null = null
  #isWhole = false
  #ending: readonly EndingFrame[] | null = null

  constructor(head: Head) {
    this.#head = head
    this.#ids = new CallIds(head.turn)
  }

  content(event: Content): string | Uint8Array {
    switch (event.type) {
      case 'bytes':
        this.#begun = true
        return event.bytes
      case 'text':
        return this.#text(event.text)
      case 'reasoning':
        return this.#thinking(event.text)
      case 'toolCall':
        return this.#call(event)
      case 'answer':
        this.#isWhole = true
        return ''
      case 'ending':
        this.#ending = event.frames
        return ''
      default:
        // The blocks of tools that ran at the provider are its own: a client would send them back to one that never ran them.
        return ''
    }
  }

  end(outcome: Outcome, relevo: Summary): string {
    if (this.#ending !== null) return withRelevo(terminated(this.#ending), relevo)
    const usage = usageOfMessages(acceptedUsage(outcome))
    const said = this.#isWhole ? this.#whole(outcome, usage) : this.#start()
    return (
      said +
      this.#close() +
      frame('message_delta', { type: 'message_delta', delta: stopOf(outcome), usage }) +
      frame('message_stop', { type: 'message_stop', relevo })
    )
  }

  broken(problem: Problem, relevo: Summary): string {
    return frame('error', anthropicError(problem, relevo))
  }

  #whole({ reasoning, text, toolCalls, served }: Outcome, usage: object): string {
    const start = this.#start(usage, served?.model ?? null)
    return (
      start +
      (reasoning === '' ? '' : this.#thinking(reasoning)) +
      (text === '' ? '' : this.#text(text)) +
      toolCalls.map((call) => this.#call(call)).join('')
    )
  }

  #start(usage: object = usageOfMessages(null), served: string | null = null): string {
    if (this.#begun) return ''
    this.#begun = true
    return frame('message_start', { type: 'message_start', message: messageOf(this.#head, served, usage) })
  }

  #text(text: string): string {
    return this.#opened('text', { type: 'text', text: '' }) + this.#delta(`"text_delta","text":${JSON.stringify(text)}`)
  }

  #thinking(thinking: string): string {
    const opened = this.#opened('thinking', { type: 'thinking', thinking: '', signature: '' })
    return opened + this.#delta(`"thinking_delta","thinking":${JSON.stringify(thinking)}`)
  }

  #call(call: ToolCall): string {
    const block = this.#block({ type: 'tool_use', id: this.#ids.of(call), name: call.name, input: {} })
    const input = this.#delta(`"input_json_delta","partial_json":${JSON.stringify(inputText(call.arguments))}`)
    return block + input + this.#stop()
  }

  #opened(kind: 'text' | 'thinking', block: object): string {
    if (this.#open === kind) return ''
    const opened = this.#block(block)
    this.#open = kind
    return opened
  }

  #block(block: object): string {
    const before = this.#start() + this.#close()
    this.#index += 1
    return before + frame('content_block_start', { type: 'content_block_start', index: this.#index, content_block: block })
  }

  #close(): string {
    if (this.#open === null) return ''
    const signature = this.#open === 'thinking' ? this.#delta(`"signature_delta","signature":"${OWN_SIGNATURE}"`) : ''
    this.#open = null
    return signature + this.#stop()
  }

  #stop(): string {
    return frame('content_block_stop', { type: 'content_block_stop', index: this.#index })
  }

  /** The hot path: one string, no object. */
  #delta(fields: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":{"type":${fields}}}\n\n`
  }
}

/** An end that was taken without its terminator (`completion: lenient`): clients wait for that. */
function terminated(frames: readonly EndingFrame[]): readonly EndingFrame[] {
  return frames.some(({ event, data }) => event === STOP.event || data.includes('"message_stop"')) ? frames : [...frames, STOP]
}

function frame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
