import type { ToolDefinition } from '../../../model/message.ts'
import { CannotSend } from '../../cannot-send.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import type { JsonObject } from '../json-object.ts'
import { type Ask, joined, stated } from '../protocol.ts'
import { inWords, isAnyObject, isStrict, type ResponseSchema } from '../response-schema.ts'
import { type Dialect, dialectOf } from './dialects.ts'
import { encodeMessages } from './messages.ts'

/** The JSON body of a chat completion, in the dialect of the profile. */
export function encodeOpenaiChat(request: AttemptRequest): JsonObject {
  const { options, mode, model, profile } = request
  const dialect = dialectOf(profile)
  const streamed = mode === 'stream'
  const tools = toolsOf(request, dialect)
  return stated({
    model,
    messages: [...schemaMessage(options, dialect), ...encodeMessages(request, dialect)],
    stream: streamed ? true : undefined,
    stream_options: streamed && dialect.asksUsage ? { include_usage: true } : undefined,
    [dialect.tokenLimit]: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    ...(options.reasoningEffort === undefined ? {} : EFFORT[dialect.effort](options.reasoningEffort)),
    response_format: options.responseSchema && responseFormat(options.responseSchema, dialect),
    tools: tools.length === 0 ? undefined : tools.map(encodeTool),
    tool_choice: tools.length === 0 ? undefined : toolChoice(options, dialect),
  })
}

/** Authorization by bearer token, or by a header of the server's own. */
export function signOpenaiChat({ secret, profile }: AttemptRequest): Readonly<Record<string, string>> {
  if (secret === null) return {}
  const { keyHeader } = dialectOf(profile)
  return { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${secret.reveal()}` : secret.reveal() }
}

export function addressOpenaiChat(endpoint: string, { model, profile }: Ask): string {
  return dialectOf(profile).address === 'azure' ? azureAddress(endpoint, model) : joined(endpoint, PATH)
}

const PATH = '/chat/completions'

/**
 * A bare resource gets `/openai/v1`; one with an `api-version` that names neither that nor a deployment is of the older kind, where the
 * deployment stands in the path. Any other path is a gateway's own, and kept.
 */
function azureAddress(endpoint: string, model: string): string {
  const url = new URL(endpoint)
  const path = url.pathname.replace(/\/+$/, '')
  const isResource = path === '' || path === '/openai'
  if (!isResource) return joined(endpoint, PATH)
  url.pathname = `/openai/${url.searchParams.has('api-version') ? `deployments/${deploymentOf(model)}` : 'v1'}${PATH}`
  return url.href
}

/** A name of dots alone would be a step up the path, and no address can say it otherwise. */
function deploymentOf(model: string): string {
  if (model === '.' || model === '..') throw new CannotSend(`a model named \`${model}\` has no address: name a deployment`)
  return encodeURIComponent(model)
}

const EFFORT: Readonly<Record<Dialect['effort'], (effort: string) => JsonObject>> = {
  reasoning_effort: (effort) => ({ reasoning_effort: effort }),
  reasoning: (effort) => ({ reasoning: { effort } }),
  thinking: () => ({ thinking: { type: 'enabled' } }),
  'thinking+reasoning_effort': (effort) => ({ thinking: { type: 'enabled' }, reasoning_effort: effort }),
}

function responseFormat(responseSchema: ResponseSchema, dialect: Dialect): JsonObject {
  if (isInWords(responseSchema, dialect)) return { type: 'json_object' }
  const { name, schema } = responseSchema
  return { type: 'json_schema', json_schema: { name, schema, strict: isStrict(schema) } }
}

/** For a server that keeps to JSON but knows no schema, and where no schema says more than that. In front, so that a longer history begins alike. */
function schemaMessage({ responseSchema }: CallOptions, dialect: Dialect): readonly JsonObject[] {
  if (responseSchema === undefined || !isInWords(responseSchema, dialect)) return []
  return [{ role: 'system', content: inWords(responseSchema) }]
}

function isInWords(responseSchema: ResponseSchema, { schema }: Dialect): boolean {
  return schema === 'json_object' || isAnyObject(responseSchema)
}

function toolsOf({ tools, options }: AttemptRequest, { named, none }: Dialect): readonly ToolDefinition[] {
  const { toolChoice: choice } = options
  if (choice === 'none' && none === 'left_out') return []
  return typeof choice === 'object' && named === 'alone' ? tools.filter((tool) => tool.name === choice.name) : tools
}

function encodeTool({ name, description, parameters }: ToolDefinition): JsonObject {
  return { type: 'function', function: { name, description, parameters } }
}

function toolChoice({ toolChoice: choice }: CallOptions, { required, named }: Dialect): unknown {
  if (choice === 'required') return required ?? undefined
  if (typeof choice !== 'object') return choice
  return named === 'object' ? { type: 'function', function: { name: choice.name } } : (required ?? undefined)
}
