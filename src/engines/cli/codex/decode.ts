import type { ProviderEvent } from '../../../model/provider-event.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { count } from '../../http/decoder.ts'
import { isObject, type JsonObject } from '../../http/json-object.ts'
import { jsonText, outputText, textOrJson, textOrNull } from '../json-text.ts'
import type { OutputLine } from '../output-line.ts'
import type { CliDecoder, RunEnd } from '../program.ts'

type Tell = (event: ProviderEvent) => void

/**
 * What `codex exec --json` prints (cli-engines.md §3), one object a line.
 *
 * 1. Complete is `turn.completed` and an exit that agrees; without an `agent_message` the answer is an empty one (R19). An `error` line is not
 *    the end of anything, an item of that type is a warning; both are the business of the listener.
 * 2. The answer is the last `agent_message`. None is known to be the last before the turn is complete, so the text is told then: after a
 *    stream that broke off codex asks again and prints its message a second time. An earlier one, of other words, was said on the way.
 * 3. A tool is told once where it starts and once where it is done, by the id of its item.
 */
export class CodexDecoder implements CliDecoder {
  readonly broken = null
  readonly #started = new Set<string>()
  readonly #done = new Set<string>()
  #isOver = false
  #isCompleted = false
  #message: string | null = null
  #hasThoughts = false
  #usage: Usage | null = null
  #contentAfter = false

  get over(): boolean {
    return this.#isOver
  }

  get contentAfter(): boolean {
    return this.#contentAfter
  }

  take({ json }: OutputLine, tell: Tell): void {
    if (json === null) return
    if (this.#isOver) {
      this.#contentAfter ||= isContent(json)
      return
    }
    switch (json.type) {
      case 'item.started':
        return isObject(json.item) ? this.#takeStarted(json.item, tell) : undefined
      case 'item.completed':
        return isObject(json.item) ? this.#takeCompleted(json.item, tell) : undefined
      case 'turn.completed':
        this.#isOver = true
        this.#isCompleted = true
        this.#usage = isObject(json.usage) ? usageOf(json.usage) : null
        return
      case 'turn.failed':
        this.#isOver = true
    }
  }

  end(exitCode: number | null, tell: Tell): RunEnd {
    const isWhole = this.#isCompleted && (exitCode === 0 || exitCode === null)
    if (isWhole && this.#message !== null) tell({ type: 'text', text: this.#message })
    if (this.#usage !== null) tell({ type: 'usage', ...this.#usage })
    return isWhole ? { completed: true, finish: 'stop' } : { completed: false }
  }

  #takeStarted(item: JsonObject, tell: Tell): void {
    const id = textOrNull(item.id)
    // Without an id its end could not be told apart from another's: it is told when it is done.
    if (id !== null) this.#tellCall(item, id, tell)
  }

  #takeCompleted(item: JsonObject, tell: Tell): void {
    if (item.type === 'agent_message') this.#takeMessage(textOrNull(item.text), tell)
    else if (item.type === 'reasoning') this.#tellThought(textOrNull(item.text), tell)
    else this.#takeTool(item, tell)
  }

  #takeMessage(text: string | null, tell: Tell): void {
    if (text === null || text === '' || text === this.#message) return
    this.#tellThought(this.#message, tell)
    this.#message = text
  }

  /** Each comes whole, so they are parted. */
  #tellThought(text: string | null, tell: Tell): void {
    if (text === null || text === '') return
    tell({ type: 'reasoning', text: this.#hasThoughts ? `\n\n${text}` : text })
    this.#hasThoughts = true
  }

  #takeTool(item: JsonObject, tell: Tell): void {
    const tool = toolOf(item)
    const id = textOrNull(item.id)
    if (tool === undefined || (id !== null && this.#done.has(id))) return
    if (id !== null) this.#done.add(id)
    this.#tellCall(item, id, tell)
    tell({ type: 'providerToolResult', id, name: tool.name(item), output: tool.output(item) })
  }

  #tellCall(item: JsonObject, id: string | null, tell: Tell): void {
    const tool = toolOf(item)
    if (tool === undefined || (id !== null && this.#started.has(id))) return
    if (id !== null) this.#started.add(id)
    tell({ type: 'providerToolCall', id, name: tool.name(item), arguments: jsonText(tool.asked(item)) ?? '{}' })
  }
}

/** A message, or a tool at work. */
function isContent({ type, item }: JsonObject): boolean {
  if (type !== 'item.completed' || !isObject(item)) return false
  return item.type === 'agent_message' ? (textOrNull(item.text) ?? '') !== '' : toolOf(item) !== undefined
}

interface Tool {
  name(item: JsonObject): string
  asked(item: JsonObject): unknown
  output(item: JsonObject): string
}

const named = (name: string) => () => name
const fields =
  (...names: readonly string[]) =>
  (item: JsonObject) =>
    Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])))

/** The items that are a tool at work (codex-rs/exec, exec_events.rs). `todo_list` and `plan` are the model's own notes. */
const TOOLS: Readonly<Record<string, Tool>> = {
  command_execution: { name: named('command_execution'), asked: fields('command'), output: (item) => textOrJson(item.aggregated_output) },
  file_change: { name: named('file_change'), asked: fields('changes'), output: (item) => textOrJson(item.status) },
  mcp_tool_call: {
    name: (item) => [item.server, item.tool].filter((part) => typeof part === 'string').join('.'),
    asked: (item) => item.arguments ?? {},
    output: ({ result, error }) => (isObject(error) ? textOrJson(error.message) : isObject(result) ? outputText(result.content) : ''),
  },
  web_search: { name: named('web_search'), asked: fields('query', 'action'), output: () => '' },
  collab_tool_call: {
    name: (item) => textOrNull(item.tool) ?? 'collab_tool_call',
    asked: fields('prompt', 'receiver_thread_ids'),
    output: (item) => textOrJson(item.agents_states),
  },
}

function toolOf({ type }: JsonObject): Tool | undefined {
  return typeof type === 'string' && Object.hasOwn(TOOLS, type) ? TOOLS[type] : undefined
}

/** Of the thread, which is this one run. `input_tokens` has the cached ones in it; zero everywhere is its word for unknown. */
function usageOf({ input_tokens, cached_input_tokens, output_tokens }: JsonObject): Usage | null {
  const [input, cachedInput, output] = [count(input_tokens), count(cached_input_tokens), count(output_tokens)]
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null
  return usageFrom(input, output, cachedInput)
}
