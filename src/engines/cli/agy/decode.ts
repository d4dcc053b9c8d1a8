import type { ProviderEvent } from '../../../model/provider-event.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { count } from '../../http/decoder.ts'
import { isObject, type JsonObject } from '../../http/json-object.ts'
import { jsonText, textOrJson } from '../json-text.ts'
import type { OutputLine } from '../output-line.ts'
import type { CliDecoder, RunEnd } from '../program.ts'
import { StepText } from './step-text.ts'

type Tell = (event: ProviderEvent) => void

/**
 * What `agy` prints with `stream-json` (cli-engines.md §5), one object a line: `init`, `step_update` and one `result`.
 *
 * 1. Complete is a `SUCCESS` with a response that is not blank, nothing denied, no print timeout, and an exit that agrees: status and exit
 *    alone are 0 and `SUCCESS` for a timeout and for refused tools as well.
 * 2. Only steps of `agent_response` are the answer: `user_input` has the prompt in the same field.
 * 3. A tool is told when it starts and when it ends, once each.
 */
export class AgyDecoder implements CliDecoder {
  readonly #mode: 'stream' | 'call'
  readonly #text: StepText
  readonly #started = new Set<string>()
  readonly #ended = new Set<string>()
  #tell: Tell = () => {}
  #result: JsonObject | null = null
  #timedOut = false
  #contentAfter = false

  constructor(mode: 'stream' | 'call') {
    this.#mode = mode
    this.#text = new StepText((text) => this.#tell({ type: 'text', text }))
  }

  get over(): boolean {
    return this.#result !== null
  }

  get contentAfter(): boolean {
    return this.#contentAfter
  }

  get broken(): string | null {
    return this.#text.broken
  }

  take({ from, text, json }: OutputLine, tell: Tell): void {
    if (from === 'stderr') this.#timedOut ||= PRINT_TIMEOUT.test(text)
    if (json === null || this.broken !== null) return
    if (this.over) {
      this.#contentAfter ||= isContent(json)
      return
    }
    this.#tell = tell
    if (json.event === 'result' && isObject(json.result)) this.#result = json.result
    else if (json.event === 'step_update' && isObject(json.step_update)) this.#takeStep(json.step_update)
  }

  end(exitCode: number | null, tell: Tell): RunEnd {
    this.#tell = tell
    const result = this.#result
    if (result === null) return { completed: false }
    const usage = isObject(result.usage) ? usageOf(result.usage) : null
    const { response } = result
    const isWhole = result.status === 'SUCCESS' && typeof response === 'string' && response.trim() !== '' && !hasDenied(result) && !this.#timedOut
    const completed = isWhole && (exitCode === 0 || exitCode === null)
    const isTold = completed && this.#text.complete(response)
    if (usage !== null) tell({ type: 'usage', ...usage })
    return isTold ? { completed: true, finish: 'stop' } : { completed: false }
  }

  #takeStep(step: JsonObject): void {
    if (step.step_type === 'agent_response') {
      if (this.#mode === 'stream') this.#text.take(keyOf(step), typeof step.text_delta === 'string' ? step.text_delta : '', step.state)
    } else if (step.step_type === 'tool' || step.step_type === 'subagent') this.#takeTool(step)
  }

  #takeTool(step: JsonObject): void {
    const info = isObject(step.tool_info) ? step.tool_info : {}
    const name = textOrNull(step.tool_name) ?? textOrNull(info.name) ?? String(step.step_type)
    const id = keyOf(step)
    // Without an index the name tells which of them it is, until it has ended.
    const key = id ?? name
    if (!this.#started.has(key)) {
      this.#started.add(key)
      this.#tell({ type: 'providerToolCall', id, name, arguments: jsonText(info.parameters) ?? '{}' })
    }
    if ((step.state !== 'DONE' && step.state !== 'ERROR') || this.#ended.has(key)) return
    if (id === null) this.#started.delete(key)
    else this.#ended.add(key)
    this.#tell({ type: 'providerToolResult', id, name, output: outputOf(info, step) })
  }
}

/** A step of the model that says something, or a tool at work. */
function isContent({ event, step_update: step }: JsonObject): boolean {
  if (event !== 'step_update' || !isObject(step)) return false
  return step.step_type === 'agent_response' ? (textOrNull(step.text_delta) ?? '') !== '' : step.step_type === 'tool'
}

/** On stderr, with exit 0 and `SUCCESS`: what stands in the result is as far as it came. */
const PRINT_TIMEOUT = /^\s*\[agy\] print timeout\b/i

function keyOf({ step_index }: JsonObject): string | null {
  return typeof step_index === 'number' || typeof step_index === 'string' ? `step-${step_index}` : null
}

function outputOf(info: JsonObject, step: JsonObject): string {
  const { error } = info
  const output = textOrJson(info.output ?? step.output)
  return output === '' ? textOrJson(isObject(error) ? error.message : error) : output
}

function hasDenied({ denied_actions: denied }: JsonObject): boolean {
  return Array.isArray(denied) && denied.length > 0
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * In what was captured, `input_tokens` counts the cached ones and `output_tokens` the thoughts: 26 896 with 16 289 of them cached, and 75 with
 * 40 thoughts, in a total of 26 971. Where the total says that one of them was counted apart, it is added. All zero is not told.
 */
function usageOf(usage: JsonObject): Usage | null {
  const [input, output, cached] = [count(usage.input_tokens), count(usage.output_tokens), count(usage.cache_read_tokens)]
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null
  const total = count(usage.total_tokens)
  const beyond = total === undefined ? 0 : total - (input ?? 0) - (output ?? 0)
  const apart = apartIn(beyond, cached ?? 0, count(usage.thinking_tokens) ?? 0)
  return usageFrom(withApart(input, apart.cached), withApart(output, apart.thoughts), cached)
}

function withApart(counted: number | undefined, apart: number): number | undefined {
  return counted === undefined ? undefined : Math.min(counted + apart, Number.MAX_SAFE_INTEGER)
}

/** Which of the two make up what a total has beyond input and output. */
function apartIn(beyond: number, cached: number, thoughts: number): { cached: number; thoughts: number } {
  if (beyond === thoughts) return { cached: 0, thoughts }
  if (beyond === cached) return { cached, thoughts: 0 }
  return beyond === cached + thoughts ? { cached, thoughts } : { cached: 0, thoughts: 0 }
}
