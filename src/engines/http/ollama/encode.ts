import { type ContentPart, type Message, type ToolCall, textOf } from '../../../model/message.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import { argumentsObject } from '../call-arguments.ts'
import { base64Of } from '../image-data.ts'
import type { JsonObject } from '../json-object.ts'
import { stated } from '../protocol.ts'
import { type IdRule, ownOptions, portableMessages, resultsBehindCalls } from '../transcript.ts'

/** Nothing of an id goes over this wire; it only leads from a result to the name of its tool. */
const IDS: IdRule = { fits: /[\s\S]*/, length: 24 }

/** Families of models that take a level of thinking; every other model that thinks takes yes or no, and refuses a level with a 400. */
const LEVELLED = /\bgpt-oss\b/i

/**
 * The JSON body of a chat. Streaming is what the server does unless told otherwise, so it is always told. The protocol cannot force a
 * tool: `required` is left to the model, the name of one leaves only that one to choose.
 */
export function encodeOllama(request: AttemptRequest): JsonObject {
  const { options, mode, model } = request
  const settings = stated({
    num_predict: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
  })
  return stated({
    model,
    messages: encodeMessages(request),
    stream: mode === 'stream',
    options: Object.keys(settings).length === 0 ? undefined : settings,
    format: options.responseSchema?.schema,
    think: thinking(options, model),
    tools: encodeTools(request),
  })
}

/** A server of one's own asks for no key; the hosted one takes a bearer token. */
export function signOllama(request: AttemptRequest): Readonly<Record<string, string>> {
  return request.secret === null ? {} : { authorization: `Bearer ${request.secret.reveal()}` }
}

function thinking({ reasoningEffort }: CallOptions, model: string): boolean | string | undefined {
  if (reasoningEffort === undefined) return undefined
  return LEVELLED.test(model) ? reasoningEffort : true
}

function encodeTools({ tools, options: { toolChoice } }: AttemptRequest): readonly JsonObject[] | undefined {
  if (toolChoice === 'none') return undefined
  const offered = typeof toolChoice === 'object' ? tools.filter((tool) => tool.name === toolChoice.name) : tools
  if (offered.length === 0) return undefined
  return offered.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }))
}

/** A result names its tool and nothing else, so it stands directly behind its call. A message's own options displace nothing that it says. */
function encodeMessages(request: AttemptRequest): readonly JsonObject[] {
  const names = new Map<string, string>()
  return resultsBehindCalls(portableMessages(request, IDS)).map((message) => {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) if (call.id !== null) names.set(call.id, call.name)
    return { ...ownOptions(request, message.providerOptions), ...encodeMessage(message, names) }
  })
}

function encodeMessage(message: Message, names: ReadonlyMap<string, string>): JsonObject {
  const content = textOf(message)
  const images = typeof message.content === 'string' ? undefined : imagesOf(message.content)
  switch (message.role) {
    case 'system':
      return { role: 'system', content }
    case 'user':
      return stated({ role: 'user', content, images })
    case 'tool':
      return stated({ role: 'tool', content, tool_name: message.toolCallId === null ? undefined : names.get(message.toolCallId), images })
    case 'assistant': {
      const calls = message.toolCalls ?? []
      const thoughts = message.issued?.data.map((given) => given.thinking).find((given) => typeof given === 'string')
      return stated({ role: 'assistant', content, images, thinking: thoughts, tool_calls: calls.length === 0 ? undefined : calls.map(encodeCall) })
    }
  }
}

/** Images are bare base64 on this wire, of whatever kind the server finds them to be. */
function imagesOf(content: readonly ContentPart[]): readonly string[] | undefined {
  const images = content.flatMap((part) => (part.type === 'image' ? [base64Of(part, 'Ollama').data] : []))
  return images.length === 0 ? undefined : images
}

function encodeCall(call: ToolCall): JsonObject {
  return { function: { name: call.name, arguments: argumentsObject(call.arguments) } }
}
