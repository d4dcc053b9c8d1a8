import { type Usage, usageFrom } from '../../../model/usage.ts'
import { count } from '../../http/decoder.ts'
import { isObject, type JsonObject } from '../../http/json-object.ts'

/**
 * Tokens of a run that has no result yet, by the events of its messages: a message begins with its input, and ends with its output. Those of
 * subagents are not streamed, so it is what is known and no more.
 */
export class UsageSoFar {
  #before: Usage | null = null
  #message: Usage | null = null

  get sum(): Usage | null {
    return added(this.#before, this.#message)
  }

  take({ type, message, usage }: JsonObject): void {
    if (type === 'message_start') {
      this.#before = this.sum
      this.#message = isObject(message) && isObject(message.usage) ? counted(message.usage, ...OF_API) : null
    }
    const output = type === 'message_delta' && isObject(usage) ? count(usage.output_tokens) : undefined
    if (output !== undefined) this.#message = { ...this.#message, output }
  }
}

function added(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other
  const sum = (name: keyof Usage): number | undefined =>
    one[name] === undefined && other[name] === undefined ? undefined : count((one[name] ?? 0) + (other[name] ?? 0))
  return usageFrom(sum('input'), sum('output'), sum('cachedInput'))
}

/** Names of the counts as the API has them: fresh, written to a cache, read from one, answered. */
const OF_API = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const

/**
 * Of the whole run. It was seen to be all zero where the CLI had asked a second time, while `modelUsage` had the tokens; zero in both is
 * not told.
 */
export function usageOf({ usage, modelUsage }: JsonObject): Usage | null {
  const own = isObject(usage) ? counted(usage, ...OF_API) : null
  if (own !== null) return own
  if (!isObject(modelUsage)) return null
  const total = { input: 0, output: 0, cachedInput: 0 }
  for (const model of Object.values(modelUsage)) {
    const used = isObject(model) ? counted(model, 'inputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens', 'outputTokens') : null
    total.input += used?.input ?? 0
    total.output += used?.output ?? 0
    total.cachedInput += used?.cachedInput ?? 0
  }
  const [input, output, cachedInput] = [count(total.input), count(total.output), count(total.cachedInput)]
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null
  return usageFrom(input, output, cachedInput)
}

function counted(counts: JsonObject, fresh: string, written: string, read: string, output: string): Usage | null {
  const [input, cached, answered] = [count(counts[fresh]), count(counts[read]), count(counts[output])]
  const whole = (input ?? 0) + (count(counts[written]) ?? 0) + (cached ?? 0)
  if (whole === 0 && (answered ?? 0) === 0) return null
  return usageFrom(input === undefined ? undefined : count(whole), answered, cached)
}
