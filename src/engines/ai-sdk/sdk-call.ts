import type { ContentPart, Message } from '../../model/message.ts'
import { textOf } from '../../model/message.ts'
import type { AttemptRequest } from '../contract.ts'
import { isObject, type JsonObject } from '../http/json-object.ts'
import { stated } from '../http/protocol.ts'
import { type IdRule, ownOptions, portableMessages } from '../http/transcript.ts'
import { type AiSdkModel, providerName } from './sdk-model.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>
type ToolMessage = Extract<Message, { role: 'tool' }>

/**
 * An attempt as call options of the AI SDK, in the words of the model's version.
 *
 * 1. Options of the entry's family or profile go to the model's provider, under its name; nobody else's do (R1).
 * 2. What an issuer wants back is put on the part that it came with (see `issued` of `SdkAnswer`), unless the message no longer has that part.
 */
export function callOf(request: AttemptRequest, model: AiSdkModel, abortSignal: AbortSignal): JsonObject {
  const { options, tools, profile } = request
  const { responseSchema, toolChoice } = options
  return stated({
    prompt: promptOf(request, model),
    maxOutputTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    stopSequences: options.stop,
    responseFormat: responseSchema && { type: 'json', name: responseSchema.name, schema: responseSchema.schema },
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, inputSchema: parameters })),
    toolChoice: tools.length === 0 || toolChoice === undefined ? undefined : choiceOf(toolChoice),
    headers: Object.keys(profile.headers).length === 0 ? undefined : profile.headers,
    providerOptions: optionsFor(model, { ...effortOf(request, model), ...ownOptions(request, options.providerOptions) }),
    // Version 4 has a setting for it; elsewhere it is an option of the provider.
    reasoning: isVersion4(model) ? options.reasoningEffort : undefined,
    abortSignal,
  })
}

function choiceOf(choice: NonNullable<AttemptRequest['options']['toolChoice']>): JsonObject {
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.name } : { type: choice }
}

function effortOf({ options }: AttemptRequest, model: AiSdkModel): JsonObject {
  if (options.reasoningEffort === undefined || isVersion4(model)) return {}
  return providerName(model) === 'anthropic' ? { effort: options.reasoningEffort } : { reasoningEffort: options.reasoningEffort }
}

function optionsFor(model: AiSdkModel, own: JsonObject): JsonObject | undefined {
  return Object.keys(own).length === 0 ? undefined : { [providerName(model)]: own }
}

function isVersion4({ specificationVersion }: AiSdkModel): boolean {
  return specificationVersion === 'v4'
}

/** What every provider takes, but for Mistral, which wants ids of its own length. */
const IDS: IdRule = { fits: /^[A-Za-z0-9_-]{1,40}$/, length: 24 }
const IDS_OF_MISTRAL: IdRule = { fits: /^[A-Za-z0-9]{9}$/, length: 9 }

function promptOf(request: AttemptRequest, model: AiSdkModel): JsonObject[] {
  const messages = portableMessages(request, providerName(model) === 'mistral' ? IDS_OF_MISTRAL : IDS)
  const names = new Map<string, string>()
  const prompt: { role: string; content: unknown; providerOptions?: JsonObject }[] = []
  for (const message of messages) {
    const own = optionsFor(model, ownOptions(request, message.providerOptions))
    const last = prompt.at(-1)
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) names.set(call.id ?? '', call.name)
    if (message.role === 'tool' && last?.role === 'tool') (last.content as JsonObject[]).push(resultOf(message, names, model))
    else prompt.push({ role: message.role, content: contentOf(message, names, model), ...(own === undefined ? {} : { providerOptions: own }) })
  }
  return prompt
}

function contentOf(message: Message, names: ReadonlyMap<string, string>, model: AiSdkModel): unknown {
  switch (message.role) {
    case 'system':
      return message.content
    case 'user':
      return partsOf(message.content, model)
    case 'assistant':
      return answerParts(message, model)
    case 'tool':
      return [resultOf(message, names, model)]
  }
}

function partsOf(content: string | readonly ContentPart[], model: AiSdkModel): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : fileOf(part, model)))
}

type Image = Extract<ContentPart, { type: 'image' }>

function fileOf({ mediaType, data = '', url }: Image, model: AiSdkModel): JsonObject {
  if (!isVersion4(model)) return { type: 'file', mediaType, data: url === undefined ? data : new URL(url) }
  return { type: 'file', mediaType, data: url === undefined ? { type: 'data', data } : { type: 'url', url: new URL(url) } }
}

/** Reasoning that its issuer gave, then the text, then the calls: the order in which every provider takes them. */
function answerParts(message: AssistantMessage, model: AiSdkModel): JsonObject[] {
  const issued = message.issued?.data ?? []
  const reasoning = issued
    .filter((each) => each.part === 'reasoning')
    .map(({ text, providerOptions }) => ({ type: 'reasoning', text: typeof text === 'string' ? text : '', providerOptions }))
  const ofText = issued.find((each) => each.part === 'text')
  const content = partsOf(message.content, model).map((part, at) =>
    at === 0 && part.type === 'text' && ofText !== undefined ? { ...part, providerOptions: ofText.providerOptions } : part,
  )
  const ofCalls = new Map(issued.flatMap((each) => (each.part === 'tool-call' ? [[each.at, each] as const] : [])))
  const calls = (message.toolCalls ?? []).map((call, at) => {
    const given = ofCalls.get(at)
    const own = given?.name === call.name ? given : undefined
    return stated({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: inputOf(call.arguments),
      providerOptions: own?.providerOptions,
    })
  })
  return [...reasoning, ...content, ...calls]
}

/** Arguments that are no JSON are kept under one key, so that the model still sees what it wrote. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text) as unknown
  } catch {
    return { invalid_arguments: text }
  }
}

function resultOf(message: ToolMessage, names: ReadonlyMap<string, string>, model: AiSdkModel): JsonObject {
  const toolCallId = message.toolCallId ?? ''
  return { type: 'tool-result', toolCallId, toolName: names.get(toolCallId) ?? 'unknown', output: outputOf(message, model) }
}

function outputOf(message: ToolMessage, model: AiSdkModel): JsonObject {
  const { content } = message
  if (typeof content === 'string' || content.every((part) => part.type === 'text')) {
    return { type: message.isError === true ? 'error-text' : 'text', value: textOf(message) }
  }
  return { type: 'content', value: content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : imageOf(part, model))) }
}

/** Each version has its own word for an image in a tool result; version 2 has none for one at an address. */
function imageOf(part: Image, model: AiSdkModel): JsonObject {
  const { mediaType, data = '', url } = part
  if (isVersion4(model)) return fileOf(part, model)
  if (model.specificationVersion === 'v2') return url === undefined ? { type: 'media', mediaType, data } : { type: 'text', text: url }
  return url === undefined ? { type: 'image-data', mediaType, data } : { type: 'image-url', url }
}

/** Provider metadata that is worth keeping: an object with something in it. */
export function metadataOf(part: JsonObject): JsonObject | undefined {
  const { providerMetadata } = part
  return isObject(providerMetadata) && Object.keys(providerMetadata).length > 0 ? providerMetadata : undefined
}
