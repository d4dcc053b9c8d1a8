import type { Emit } from '../decoder.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { stated } from '../protocol.ts'

/**
 * Tools that Google runs itself, as far as the wire shows them: code execution and the general `toolCall`/`toolResponse` as parts, a search
 * only by the queries that `groundingMetadata` names.
 */
export class ProviderTools {
  /** Calls whose result has not come. */
  #owed = 0
  #told = false
  readonly #queries = new Set<string>()
  #sources: string | null = null

  /** A result is still to come, so that no finish reason can be the last one. */
  get owesResult(): boolean {
    return this.#owed > 0
  }

  /** Tells what a part says of such a tool, and gives what of it the provider wants back; undefined when it is no such part. */
  take(part: JsonObject, emit: Emit): JsonObject | undefined {
    const { executableCode, codeExecutionResult, toolCall, toolResponse } = part
    if (isObject(executableCode)) {
      this.#call(executableCode, 'code_execution', without(executableCode), emit)
      return { executableCode }
    }
    if (isObject(codeExecutionResult)) {
      this.#result(codeExecutionResult, 'code_execution', without(codeExecutionResult), emit)
      return { codeExecutionResult }
    }
    if (isObject(toolCall)) {
      const { id, toolType, args = {} } = toolCall
      this.#call(toolCall, nameOf(toolCall), args, emit)
      return { toolCall: stated({ id, toolType, args }) }
    }
    if (isObject(toolResponse)) {
      const { id, toolType, response = {} } = toolResponse
      this.#result(toolResponse, nameOf(toolResponse), response, emit)
      return { toolResponse: stated({ id, toolType, response }) }
    }
    return undefined
  }

  /** A search that ran shows in its queries; they are repeated on later chunks. Where the search is told as parts they say nothing new. */
  takeGrounding(grounding: unknown, emit: Emit): void {
    if (!isObject(grounding) || this.#told) return
    const asked = Array.isArray(grounding.webSearchQueries) ? grounding.webSearchQueries : []
    const queries = asked.filter((query): query is string => typeof query === 'string' && !this.#queries.has(query))
    for (const query of queries) this.#queries.add(query)
    if (queries.length > 0) emit({ type: 'providerToolCall', id: null, name: 'google_search', arguments: JSON.stringify({ queries }) })
    if (Array.isArray(grounding.groundingChunks)) this.#sources = JSON.stringify(grounding.groundingChunks)
  }

  /** What the search found: told once, at the end, because its list grows from chunk to chunk. */
  release(emit: Emit): void {
    if (this.#queries.size === 0 || this.#sources === null) return
    emit({ type: 'providerToolResult', id: null, name: 'google_search', output: this.#sources })
  }

  #call(call: JsonObject, name: string, args: unknown, emit: Emit): void {
    this.#told = true
    this.#owed += 1
    emit({ type: 'providerToolCall', id: idOf(call), name, arguments: JSON.stringify(args) })
  }

  #result(result: JsonObject, name: string, output: unknown, emit: Emit): void {
    this.#told = true
    this.#owed = Math.max(0, this.#owed - 1)
    emit({ type: 'providerToolResult', id: idOf(result), name, output: JSON.stringify(output) })
  }
}

function without({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest
}

function idOf(value: JsonObject): string | null {
  return typeof value.id === 'string' ? value.id : null
}

function nameOf(value: JsonObject): string {
  return typeof value.toolType === 'string' ? value.toolType : 'tool'
}
