import type { CallOptions, ProviderOptions, ToolDefinition, TurnRequest } from '../../index.ts'
import { messagesOf } from './prompt.ts'
import type { ModelCall, Warning } from './specification.ts'

/**
 * A call of the AI SDK as a turn of the kernel, and what of it no turn can do, as warnings: a setting that is not kept is never kept back.
 */
export function turnOf(call: ModelCall, model: string | undefined): { readonly request: TurnRequest; readonly warnings: Warning[] } {
  const warnings = unsupported(call)
  const tools = toolsOf(call, warnings)
  const request: TurnRequest = {
    messages: messagesOf(call.prompt),
    model,
    tools,
    options: optionsOf(call, tools, warnings),
    signal: call.abortSignal,
  }
  return { request, warnings }
}

/** A field that only one provider knows can be given to that provider by name. */
const BY_NAME = 'Give it to a provider by name: `providerOptions: { <family>: { <field of its request> } }`.'

function unsupported(call: ModelCall): Warning[] {
  const { topK, presencePenalty, frequencyPenalty, seed, headers, includeRawChunks } = call
  const settings = { topK, presencePenalty, frequencyPenalty, seed }
  const warnings: Warning[] = []
  for (const [feature, value] of Object.entries(settings)) {
    if (value !== undefined) warnings.push({ type: 'unsupported', feature, details: BY_NAME })
  }
  // The AI SDK names itself in `user-agent` with every call; each profile sends its own.
  const named = Object.keys(headers ?? {}).filter((name) => headers?.[name] !== undefined && name.toLowerCase() !== 'user-agent')
  if (named.length > 0) {
    const details = `${named.join(', ')}: set \`headers\` on the profile that needs them; those of one provider never reach another.`
    warnings.push({ type: 'unsupported', feature: 'headers', details })
  }
  if (includeRawChunks === true) warnings.push({ type: 'unsupported', feature: 'includeRawChunks' })
  return warnings
}

function toolsOf({ tools = [] }: ModelCall, warnings: Warning[]): ToolDefinition[] {
  const definitions: ToolDefinition[] = []
  for (const tool of tools) {
    if (tool.type !== 'function') {
      const details = 'A tool that runs at one provider cannot follow a turn to another.'
      warnings.push({ type: 'unsupported', feature: `provider tool ${tool.id}`, details })
      continue
    }
    const { name, description = '', inputSchema, strict, inputExamples, providerOptions } = tool
    for (const [feature, value] of Object.entries({ strict, inputExamples, providerOptions })) {
      if (value !== undefined) warnings.push({ type: 'unsupported', feature: `${feature} of tool ${name}` })
    }
    definitions.push({ name, description, parameters: inputSchema as ToolDefinition['parameters'] })
  }
  return definitions
}

function optionsOf(call: ModelCall, tools: readonly ToolDefinition[], warnings: Warning[]): CallOptions {
  return {
    maxTokens: call.maxOutputTokens,
    temperature: call.temperature,
    topP: call.topP,
    stop: call.stopSequences,
    toolChoice: tools.length === 0 ? undefined : toolChoiceOf(call),
    responseSchema: schemaOf(call, warnings),
    reasoningEffort: effortOf(call, warnings),
    providerOptions: ownOptions(call),
  }
}

function toolChoiceOf({ toolChoice }: ModelCall): CallOptions['toolChoice'] {
  return toolChoice?.type === 'tool' ? { name: toolChoice.toolName } : toolChoice?.type
}

function schemaOf({ responseFormat }: ModelCall, warnings: Warning[]): CallOptions['responseSchema'] {
  if (responseFormat?.type !== 'json') return undefined
  const { schema, name = 'response', description } = responseFormat
  if (schema === undefined) {
    warnings.push({ type: 'unsupported', feature: 'JSON without a schema', details: 'Give a schema, or ask for JSON in the prompt.' })
    return undefined
  }
  return { name, schema: { ...(description === undefined ? {} : { description }), ...(schema as Record<string, unknown>) } }
}

type Effort = NonNullable<CallOptions['reasoningEffort']>

/** Nearest of the three that every protocol can say. */
const EFFORTS: Readonly<Record<string, Effort>> = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high', max: 'high' }

/** From `reasoning` (version 4), or from `providerOptions.relevo.reasoningEffort`, which wins. */
function effortOf({ reasoning, providerOptions }: ModelCall, warnings: Warning[]): Effort | undefined {
  const asked = providerOptions?.relevo?.reasoningEffort ?? reasoning
  if (asked === undefined || asked === 'provider-default') return undefined
  const effort = typeof asked === 'string' && Object.hasOwn(EFFORTS, asked) ? EFFORTS[asked] : undefined
  const details = `"${String(asked)}" is none of ${Object.keys(EFFORTS).join(', ')}.`
  if (effort === undefined) warnings.push({ type: 'unsupported', feature: 'reasoning effort', details })
  else if (effort !== asked)
    warnings.push({ type: 'compatibility', feature: 'reasoning effort', details: `"${String(asked)}" is sent as "${effort}".` })
  return effort
}

function ownOptions({ providerOptions = {} }: ModelCall): ProviderOptions | undefined {
  const { relevo: _, ...others } = providerOptions
  return Object.keys(others).length === 0 ? undefined : (others as ProviderOptions)
}
