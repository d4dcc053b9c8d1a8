import type { ProviderEvent } from '../../../model/provider-event.ts'
import type { Usage } from '../../../model/usage.ts'
import { finishOf } from '../../http/decoder.ts'
import { isObject, type JsonObject } from '../../http/json-object.ts'
import { jsonText, outputText, textOrJson, textOrNull } from '../json-text.ts'
import type { OutputLine } from '../output-line.ts'
import type { CliDecoder, RunEnd } from '../program.ts'
import { NOTHING_SAID, StreamedText } from './streamed-text.ts'
import { UsageSoFar, usageOf } from './usage.ts'

type Tell = (event: ProviderEvent) => void

/**
 * What `claude` prints with `stream-json` (cli-engines.md §2), one object a line.
 *
 * 1. Complete is a `result` line without error and an exit that agrees. `subtype` says `success` on failures too, so it only ever denies.
 * 2. A message of the model `<synthetic>` is the CLI itself; so is the result after one. Neither is an answer.
 * 3. A subagent says nothing of the answer. Its tools did run, so they are told.
 * 4. As a stream, text is told as it comes (`StreamedText`). As a call it is told once, at the end. Thoughts are told as they come.
 * 5. An answer that was refused, or that ran out of tokens, has ended with that word. The CLI reports both as errors, exit 1, and says which
 *    in a typed field; it has asked for the rest of a long answer three times by then.
 */
export class ClaudeDecoder implements CliDecoder {
  readonly #mode: 'stream' | 'call'
  readonly #text: StreamedText
  readonly #tools = new Set<string>()
  #tell: Tell = () => {}
  #result: JsonObject | null = null
  /** What the model has said since somebody else spoke. */
  #closing = ''
  #spokeItself = false
  /** The CLI has given up on an answer that is too long. */
  #ranOut = false
  #hasThoughts = false
  #contentAfter = false
  readonly #usage = new UsageSoFar()

  constructor(mode: 'stream' | 'call') {
    this.#mode = mode
    this.#text = new StreamedText((text) => this.#tell({ type: 'text', text }))
  }

  get over(): boolean {
    return this.#result !== null
  }

  get contentAfter(): boolean {
    return this.#contentAfter
  }

  get heldLength(): number {
    return this.#closing.length
  }

  get usageSoFar(): Usage | null {
    return this.#result === null ? this.#usage.sum : null
  }

  get broken(): string | null {
    return this.#text.broken
  }

  take({ json }: OutputLine, tell: Tell): void {
    if (json === null || this.broken !== null) return
    if (this.over) {
      this.#contentAfter ||= isContent(json)
      return
    }
    this.#tell = tell
    if (json.type === 'result') this.#result = json
    else if (json.type === 'assistant' && isObject(json.message)) this.#takeMessage(json.message, json)
    else if (json.type === 'user' && isObject(json.message)) this.#takeReply(json.message, isOfSubagent(json))
    else if (json.type === 'stream_event' && this.#mode === 'stream' && isObject(json.event) && !isOfSubagent(json)) this.#takeEvent(json.event)
  }

  end(exitCode: number | null, tell: Tell): RunEnd {
    this.#tell = tell
    const result = this.#result
    if (result === null || this.broken !== null) return { completed: false }
    const said = textOrJson(result.result)
    const isAnswer = result.is_error === false && result.subtype === 'success' && !this.#spokeItself && !OLD_LIMIT.test(said)
    const isWhole = isAnswer && (exitCode === 0 || exitCode === null)
    if (isWhole && !this.#text.told) this.#tellAtEnd(said)
    else if (this.#ranOut) this.#tellAtEnd('')
    const isToldWhole = !isWhole || this.#text.complete(said)
    const usage = usageOf(result)
    if (usage !== null) tell({ type: 'usage', ...usage })
    const usd = result.total_cost_usd
    if (typeof usd === 'number' && usd >= 0) tell({ type: 'reportedCost', usd })
    const reason = this.#ranOut ? 'max_tokens' : textOrNull(result.stop_reason)
    return (isWhole && isToldWhole) || this.#ranOut || reason === 'refusal'
      ? { completed: true, finish: finishOf(FINISH, reason, false) ?? 'stop' }
      : { completed: false }
  }

  /**
   * `result` is the last block of text alone. An answer that was cut by a bound goes on in a second message, with nobody else between, and
   * one message may have several blocks: then the whole is what the model has said since, of which `result` is the end.
   */
  #tellAtEnd(result: string): void {
    const text = this.#closing.endsWith(result) ? this.#closing : result
    if (text !== '' && text !== NOTHING_SAID) this.#tell({ type: 'text', text })
  }

  #takeMessage(message: JsonObject, line: JsonObject): void {
    const blocks = blocksOf(message)
    const isSubagent = isOfSubagent(line)
    const isItself = message.model === ITSELF
    if (!isSubagent) {
      this.#spokeItself = isItself
      this.#ranOut = isItself && line.error === 'max_output_tokens'
    }
    if (isItself) return
    if (!isSubagent) this.#takeText(message, blocks)
    for (const block of blocks) this.#takeTool(block)
  }

  #takeText(message: JsonObject, blocks: readonly JsonObject[]): void {
    const texts = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    if (!this.#hasThoughts) for (const { type, thinking } of blocks) if (type === 'thinking') this.#tellThought(thinking)
    if (this.#mode === 'call') this.#closing += texts.join('')
    else this.#text.print(textOrNull(message.id), texts, textOrNull(message.stop_reason))
  }

  /** What the CLI hands to the model: results of tools, or words of its own. */
  #takeReply(message: JsonObject, isSubagent: boolean): void {
    if (!isSubagent) this.#closing = ''
    for (const block of blocksOf(message)) this.#takeTool(block)
  }

  /** Also of servers: `server_tool_use`, `web_search_tool_result`. */
  #takeTool({ type, id, name, input, tool_use_id, content }: JsonObject): void {
    if (typeof type !== 'string') return
    if (type.endsWith('tool_use')) {
      if (this.#isTold(`call ${textOrNull(id)}`, id)) return
      this.#tell({ type: 'providerToolCall', id: textOrNull(id), name: textOrNull(name) ?? '', arguments: jsonText(input) ?? '{}' })
    } else if (type.endsWith('tool_result')) {
      if (this.#isTold(`result ${textOrNull(tool_use_id)}`, tool_use_id)) return
      this.#tell({ type: 'providerToolResult', id: textOrNull(tool_use_id), name: null, output: outputText(content) })
    }
  }

  #isTold(key: string, id: unknown): boolean {
    const isTold = this.#tools.has(key)
    if (typeof id === 'string') this.#tools.add(key)
    return isTold
  }

  #takeEvent(event: JsonObject): void {
    this.#usage.take(event)
    switch (event.type) {
      case 'message_start':
        return this.#text.beginMessage(isObject(event.message) ? textOrNull(event.message.id) : null)
      case 'content_block_start': {
        const block = event.content_block
        if (isObject(block) && block.type === 'text') this.#text.beginBlock(textOrNull(block.text) ?? '')
        return
      }
      case 'content_block_delta':
        return isObject(event.delta) ? this.#takeDelta(event.delta) : undefined
      case 'message_delta':
        return isObject(event.delta) ? this.#text.stopped(textOrNull(event.delta.stop_reason)) : undefined
      case 'message_stop':
        return this.#text.finishMessage()
    }
  }

  #takeDelta({ type, text, thinking }: JsonObject): void {
    if (type === 'text_delta' && typeof text === 'string') this.#text.addText(text)
    if (type !== 'thinking_delta') return
    this.#hasThoughts = true
    this.#tellThought(thinking)
  }

  #tellThought(text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#tell({ type: 'reasoning', text })
  }
}

/** The model that the CLI gives for its own words. */
const ITSELF = '<synthetic>'

/** Versions of 2025 told a limit as a success with this text and nothing else (cli-engines.md §6.1). */
const OLD_LIMIT = /^\s{0,99}Claude AI usage limit reached\|\d{1,20}\s{0,99}$/

/** Other words stay as the CLI has them. `tool_use`: its tools ran, and nothing is asked of the host. */
const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'stop',
  max_tokens: 'length',
  refusal: 'content_filter',
}

function isOfSubagent(line: JsonObject): boolean {
  return line.parent_tool_use_id !== null && line.parent_tool_use_id !== undefined
}

/** Of the model itself, as text or as a call of a tool, in a piece or whole. */
function isContent(line: JsonObject): boolean {
  if (isOfSubagent(line)) return false
  if (line.type === 'stream_event') return isObject(line.event) && line.event.type === 'content_block_delta'
  return line.type === 'assistant' && isObject(line.message) && line.message.model !== ITSELF && blocksOf(line.message).length > 0
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}
