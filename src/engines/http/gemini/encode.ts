import type { AttemptRequest, CallOptions } from '../../contract.ts'
import type { JsonObject } from '../json-object.ts'
import { stated } from '../protocol.ts'
import { contentsOf } from './contents.ts'

/** The JSON body of a call. The model stands in the address, and so does whether the answer is streamed. */
export function encodeGemini(request: AttemptRequest): JsonObject {
  const { options, tools, model } = request
  const system = request.messages.flatMap((message) => (message.role === 'system' && message.content !== '' ? [{ text: message.content }] : []))
  const config = generationConfig(options, model)
  return stated({
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    contents: contentsOf(request, { withIds: !isVertex(request.profile.endpoint), wantsSignature: checksSignatures(model) }),
    // `parameters` takes a subset of OpenAPI only; this field takes the JSON schema that a caller has.
    tools:
      tools.length === 0
        ? undefined
        : [{ functionDeclarations: tools.map(({ name, description, parameters }) => ({ name, description, parametersJsonSchema: parameters })) }],
    toolConfig: tools.length === 0 ? undefined : toolConfig(options),
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
  })
}

export function signGemini({ secret }: AttemptRequest): Readonly<Record<string, string>> {
  if (secret === null) return {}
  const value = secret.reveal()
  return OAUTH_TOKEN.test(value) ? { authorization: `Bearer ${value}` } : { 'x-goog-api-key': value }
}

/** How the access tokens of Google Cloud begin, which Vertex takes; an API key begins otherwise. */
const OAUTH_TOKEN = /^ya29\./

/** Vertex refuses the ids of calls, which its own answers do not have. */
function isVertex(endpoint: string | null): boolean {
  return endpoint !== null && /\/publishers\/[^/]+/.test(endpoint)
}

/** Generations that are known to come before 3. A Gemini of another name is taken for a newer one: new names appear more often than old. */
const BEFORE_3 = /(?:^|\/)gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$|robotics-er-1)/
const BEFORE_2_5 = /(?:^|\/)gemini-(?:[12](?:-|$)|1\.|2\.0|pro(?:-vision)?$|robotics-er-1\.0)/
const GEMINI = /(?:^|\/)gemini-/

function checksSignatures(model: string): boolean {
  return GEMINI.test(model) && !BEFORE_3.test(model)
}

function generationConfig({ maxTokens, temperature, topP, stop, responseSchema, reasoningEffort }: CallOptions, model: string): JsonObject {
  return stated({
    maxOutputTokens: maxTokens,
    temperature,
    topP,
    stopSequences: stop,
    responseMimeType: responseSchema && 'application/json',
    responseJsonSchema: responseSchema?.schema,
    thinkingConfig: reasoningEffort && thinkingConfig(reasoningEffort, model),
  })
}

/** Tokens of thought that Google itself takes an effort for, on models that count tokens instead of naming a level. */
const BUDGETS = { low: 1024, medium: 8192, high: 24_576 } as const

/** How hard to think; undefined for a model that cannot, which would refuse the request for it. */
function thinkingConfig(effort: keyof typeof BUDGETS, model: string): JsonObject | undefined {
  if (!GEMINI.test(model) || BEFORE_2_5.test(model)) return undefined
  const amount = BEFORE_3.test(model) ? { thinkingBudget: BUDGETS[effort] } : { thinkingLevel: effort }
  return { ...amount, includeThoughts: true }
}

const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const

function toolConfig({ toolChoice }: CallOptions): JsonObject | undefined {
  if (toolChoice === undefined) return undefined
  const config = typeof toolChoice === 'object' ? { mode: 'ANY', allowedFunctionNames: [toolChoice.name] } : { mode: MODES[toolChoice] }
  return { functionCallingConfig: config }
}
