import type { ToolDefinition } from '../../../model/message.ts'
import { CannotSend } from '../../cannot-send.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import type { JsonObject } from '../json-object.ts'
import { stated } from '../protocol.ts'
import { inWords, isAnyObject, isStrict, type ResponseSchema } from '../response-schema.ts'
import { inputOf } from './input-items.ts'

/**
 * The JSON body of a response.
 *
 * 1. Nothing is kept at the provider (`store: false`): any entry can go on with any history. Thoughts travel encrypted instead.
 * 2. The protocol has no stop sequences. Left out silently they would let a text run on, so such a request goes to an entry that knows them.
 */
export function encodeOpenaiResponses(request: AttemptRequest): JsonObject {
  const { options, tools, mode, model } = request
  if (options.stop !== undefined && options.stop.length > 0) throw new CannotSend(NO_STOP)
  const { instructions, items } = inputOf(request)
  return stated({
    model,
    instructions,
    input: [...wordsOf(options), ...items],
    stream: mode === 'stream' ? true : undefined,
    store: false,
    include: NEVER_THINK.test(model) ? undefined : ['reasoning.encrypted_content'],
    max_output_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    reasoning: options.reasoningEffort && { effort: options.reasoningEffort },
    text: options.responseSchema && { format: formatOf(options.responseSchema) },
    tools: tools.length === 0 ? undefined : tools.map(toolOf),
    tool_choice: tools.length === 0 ? undefined : toolChoice(options),
  })
}

const NO_STOP = 'openai-responses has no stop sequences: leave `stop` out, or give the profile `api: openai-chat`'

/**
 * Models of OpenAI that refuse to be asked for encrypted thoughts because they have none (`Encrypted content is not supported with this
 * model`), also as the name of a deployment. The list is closed: newer models think. For a deployment of another name set `body: {include: []}`.
 */
const NEVER_THINK = /gpt-?(?:3|4|5[\d.-]*-chat)|chat-?gpt|chat-latest/i

function formatOf(responseSchema: ResponseSchema): JsonObject {
  const { name, schema } = responseSchema
  return isAnyObject(responseSchema) ? { type: 'json_object' } : { type: 'json_schema', name, schema, strict: isStrict(schema) }
}

/** JSON that no schema holds to a form is asked for in words, too: in the input, where the protocol looks for them. */
function wordsOf({ responseSchema }: CallOptions): readonly JsonObject[] {
  if (responseSchema === undefined || !isAnyObject(responseSchema)) return []
  return [{ type: 'message', role: 'system', content: inWords(responseSchema) }]
}

/** `strict` is stated because it is true when left out, and refuses schemas that every other protocol takes. */
function toolOf({ name, description, parameters }: ToolDefinition): JsonObject {
  return { type: 'function', name, description, parameters, strict: false }
}

function toolChoice({ toolChoice }: CallOptions): unknown {
  return typeof toolChoice === 'object' ? { type: 'function', name: toolChoice.name } : toolChoice
}
