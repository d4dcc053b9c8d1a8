import type { ProviderEvent } from '../../../model/provider-event.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { count } from '../../http/decoder.ts'
import { isObject, type JsonObject } from '../../http/json-object.ts'
import { jsonText, textOrJson } from '../json-text.ts'
import type { OutputLine } from '../output-line.ts'
import type { CliDecoder, RunEnd } from '../program.ts'
import { readInstant } from '../reset/read-reset.ts'
import { HeldText } from './held-text.ts'

type Tell = (event: ProviderEvent) => void

/**
 * What the Gemini CLI prints with `stream-json` (cli-engines.md §4), one object a line.
 *
 * 1. Complete is a `result` of status `success`, an exit that agrees, and no `error` event but warnings: it exits with 0 after a stream that was
 *    cut as well. Without text the answer is empty (R19).
 * 2. Text is held back until then. When a stream breaks off it asks again by itself, unless its settings say otherwise (defaults.ts), and
 *    prints the text of the next try behind that of the last, with no event between (nonInteractiveCli.ts passes over the event of a retry).
 *    Where the next try is good, its run is a success with the text of both: where the text shows it (held-text.ts), the run is broken.
 * 3. Tools are told as they run, since they cannot be taken back.
 */
export class GeminiDecoder implements CliDecoder {
  readonly #text = new HeldText()
  #result: JsonObject | null = null
  #hasError = false
  #broken: string | null = null
  #contentAfter = false

  get over(): boolean {
    return this.#result !== null
  }

  get contentAfter(): boolean {
    return this.#contentAfter
  }

  get heldLength(): number {
    return this.#text.length
  }

  /** Told with the result alone: a run that fails after all says more of why. */
  get broken(): string | null {
    return this.#broken
  }

  take({ json }: OutputLine, tell: Tell): void {
    if (json === null) return
    if (this.over) {
      this.#contentAfter ||= isContent(json)
      return
    }
    switch (json.type) {
      case 'message':
        if (json.role === 'assistant' && typeof json.content === 'string') this.#text.add(json.content, readInstant(json.timestamp)?.at ?? null)
        return
      case 'tool_use':
        this.#text.part()
        return tell({ type: 'providerToolCall', id: textOrNull(json.tool_id), name: textOrNull(json.tool_name) ?? '', arguments: argumentsOf(json) })
      case 'tool_result':
        this.#text.part()
        return tell({ type: 'providerToolResult', id: textOrNull(json.tool_id), name: null, output: outputOf(json) })
      case 'error':
        this.#hasError ||= json.severity !== 'warning'
        return
      case 'result':
        this.#result = json
        if (json.status !== 'success' || this.#hasError || !this.#text.isBegunTwice) return
        this.#broken = 'it began its answer again after a break, and printed both'
        tellUsage(json, tell)
    }
  }

  end(exitCode: number | null, tell: Tell): RunEnd {
    const result = this.#result
    if (result === null || this.#broken !== null) return { completed: false }
    const text = this.#text.whole
    const completed = result.status === 'success' && !this.#hasError && (exitCode === 0 || exitCode === null)
    if (completed && text.trim() !== '') tell({ type: 'text', text })
    tellUsage(result, tell)
    return completed ? { completed, finish: 'stop' } : { completed }
  }
}

/** Text of the model, or a tool at work. */
function isContent({ type, role, content }: JsonObject): boolean {
  return type === 'tool_use' || (type === 'message' && role === 'assistant' && typeof content === 'string' && content !== '')
}

function tellUsage({ stats }: JsonObject, tell: Tell): void {
  const usage = isObject(stats) ? usageOf(stats) : null
  if (usage !== null) tell({ type: 'usage', ...usage })
}

function argumentsOf({ parameters }: JsonObject): string {
  return jsonText(parameters) ?? '{}'
}

/** A tool that prints nothing for people has no `output`. */
function outputOf({ output, error }: JsonObject): string {
  const text = textOrJson(output)
  return text === '' ? textOrJson(isObject(error) ? error.message : error) : text
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * Of the whole run, all its models. `input_tokens` has the cached ones; `output_tokens` lacks the thoughts, which are in the total alone
 * (stream-json-formatter.ts). All zero is not told.
 */
function usageOf(stats: JsonObject): Usage | null {
  const [input, output, total, cached] = [count(stats.input_tokens), count(stats.output_tokens), count(stats.total_tokens), count(stats.cached)]
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null
  const beside = total === undefined || input === undefined ? 0 : total - input
  return usageFrom(input, output === undefined ? undefined : Math.max(output, beside), cached)
}
