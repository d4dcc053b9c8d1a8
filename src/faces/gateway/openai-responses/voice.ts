import type { Outcome } from '../../../index.ts'
import { acceptedUsage } from '../accepted-usage.ts'
import type { Content, Head, StreamVoice, Summary } from '../dialect.ts'
import { type EndingFrame, withRelevo } from '../ending.ts'
import { openaiError } from '../openai-error.ts'
import type { Problem } from '../problem.ts'
import { OutputWriter } from './output-writer.ts'
import { Passed } from './passed.ts'
import { endOf, REFUSED, type ResponseStatus, responseId, responseObject, usageOfResponses } from './response-object.ts'

/**
 * A streamed response.
 *
 * 1. `response.completed` or `response.incomplete` ends a whole answer, with `relevo` beside its `response`; nothing else looks like an end.
 * 2. An answer that broke off ends in the pair that the provider itself sends: `error`, then `response.failed`, which carries `relevo`. The
 *    error stands in a field of that name: the openai client raises by that field alone, and takes an end without it for a whole answer.
 * 3. An answer that came whole is said when its outcome is known: its thoughts are in that alone.
 * 4. Passed bytes need no beginning of ours. What is said behind them goes on with their numbers, under their id.
 */
export class ResponsesVoice implements StreamVoice {
  readonly #head: Head
  #writer: OutputWriter | null = null
  #passed: Passed | null = null
  #isWhole = false
  #ending: readonly EndingFrame[] | null = null

  constructor(head: Head) {
    this.#head = head
  }

  content(event: Content): string | Uint8Array {
    switch (event.type) {
      case 'bytes':
        if (this.#passed === null) this.#passed = new Passed(event.bytes)
        else this.#passed.take(event.bytes)
        return event.bytes
      case 'text':
        return this.#say((writer) => writer.text(event.text))
      case 'reasoning':
        return this.#say((writer) => writer.reasoning(event.text))
      case 'toolCall':
        return this.#say((writer) => writer.toolCall(event))
      case 'answer':
        this.#isWhole = true
        return ''
      case 'ending':
        this.#ending = event.frames
        return ''
      default:
        // Tools that ran at a provider and notices have no place in the answer of another.
        return ''
    }
  }

  end(outcome: Outcome, relevo: Summary): string {
    if (this.#ending !== null) return withRelevo(this.#ending, relevo)
    const { status, incomplete_details } = endOf(outcome)
    const usage = acceptedUsage(outcome)
    return this.#say((writer) => {
      const whole = this.#isWhole ? wholeOf(outcome, writer) : ''
      const closing = outcome.kind === 'refused' ? writer.refusal(REFUSED, status) : writer.close(status)
      const response = this.#response(status, writer, { incomplete_details, usage: usage === null ? null : usageOfResponses(usage) })
      return whole + closing + writer.event(`response.${status}`, { response, relevo })
    })
  }

  broken(problem: Problem, relevo: Summary): string {
    return this.#say((writer) => {
      const { code, message } = problem
      const response = this.#response('failed', writer, { error: { code, message } })
      return writer.event('error', openaiError(problem, null)) + writer.event('response.failed', { response, relevo })
    })
  }

  #say(words: (writer: OutputWriter) => string): string {
    if (this.#writer !== null) return words(this.#writer)
    const { turn } = this.#head
    const passed = this.#passed
    const writer = passed === null ? new OutputWriter(turn) : new OutputWriter(turn, passed.sequence, passed.index)
    this.#writer = writer
    return (passed === null ? this.#beginning(writer) : '') + words(writer)
  }

  #beginning(writer: OutputWriter): string {
    const response = this.#response('in_progress', writer)
    return writer.event('response.created', { response }) + writer.event('response.in_progress', { response })
  }

  #response(status: ResponseStatus, { output }: OutputWriter, more: object = {}): object {
    const id = this.#passed?.id ?? responseId(this.#head.turn)
    return { ...responseObject(this.#head, status, output), id, ...more }
  }
}

function wholeOf({ reasoning, text, toolCalls }: Outcome, writer: OutputWriter): string {
  return (
    (reasoning === '' ? '' : writer.reasoning(reasoning)) +
    (text === '' ? '' : writer.text(text)) +
    toolCalls.map((call) => writer.toolCall(call)).join('')
  )
}
