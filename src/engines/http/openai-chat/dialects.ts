import { type ChatDialect, chatDialectOf } from '../../../model/dialect.ts'
import type { Profile } from '../../../model/settings.ts'
import type { IdRule } from '../transcript.ts'

/**
 * How servers of the chat protocol differ, as data: nothing else here knows one by its name.
 *
 * 1. A row says only what was read in a public reference or SDK; where nothing is known it is the row `compatible`.
 * 2. What no server differs in has no column. The system message has the role `system` everywhere: OpenAI's reasoning models take it as
 *    theirs (`developer`), most others refuse that word. A stream ends everywhere as the profile says (`completion`, R25).
 */
export interface Dialect {
  /** Name of the limit of output tokens. */
  readonly tokenLimit: 'max_tokens' | 'max_completion_tokens'
  /** Ask for usage by `stream_options.include_usage`; a server that does not know the field tells usage unasked. */
  readonly asksUsage: boolean
  /** Header that carries the key: as a bearer token, or bare. */
  readonly keyHeader: 'authorization' | 'api-key'
  /** `base`: below the endpoint. `azure`: below `/openai/v1`, or the deployment of the model where the endpoint has an `api-version`. */
  readonly address: 'base' | 'azure'
  /** How reasoning effort is said. */
  readonly effort: 'reasoning_effort' | 'reasoning' | 'thinking' | 'thinking+reasoning_effort'
  /** `json_object`: the server knows no schema, so it goes into a system message in front. */
  readonly schema: 'json_schema' | 'json_object'
  /** Word for "some tool must be called"; null: it cannot be said, and the choice is left to the model. */
  readonly required: 'required' | 'any' | null
  /** `object`: by name. `alone`: it is the only tool sent, and some tool must be called. */
  readonly named: 'object' | 'alone'
  /** `none`: by that word. `left_out`: no tools are sent. */
  readonly none: 'none' | 'left_out'
  readonly ids: IdRule
  /** How the reasoning of an answer goes back to its issuer: under the field it came in, as `reasoning_details`, as parts, or not at all. */
  readonly reasoning: 'field' | 'details' | 'parts' | 'none'
  /** Field that every assistant message must have, so that one without reasoning gets it empty. */
  readonly demanded: 'reasoning_content' | null
  /** A tool result repeats the name of its tool. */
  readonly resultName: boolean
  /** Images of a tool result: in it, or in a user message behind the results of the step. */
  readonly resultImages: 'in_result' | 'behind'
  /** A user message may follow a tool result; false: an assistant message has to stand between. */
  readonly userAfterResult: boolean
  /** Where a message's own provider options go: on the message, or on its last part. */
  readonly options: 'message' | 'part'
}

/** OpenAI refuses an id of more than 40 characters; the others name no limit of their own. */
const IDS: IdRule = { fits: /^[\x21-\x7e]{1,40}$/, length: 24 }

/** What is understood by every server that calls itself compatible. */
const COMPATIBLE: Dialect = {
  tokenLimit: 'max_tokens',
  asksUsage: true,
  keyHeader: 'authorization',
  address: 'base',
  effort: 'reasoning_effort',
  schema: 'json_schema',
  required: 'required',
  named: 'object',
  none: 'none',
  ids: IDS,
  reasoning: 'none',
  demanded: null,
  resultName: false,
  resultImages: 'behind',
  userAfterResult: true,
  options: 'message',
}

export const CHAT_DIALECT_TABLE: Readonly<Record<ChatDialect, Dialect>> = {
  compatible: COMPATIBLE,
  // platform.openai.com/docs/api-reference/chat: max_tokens is deprecated and refused by the o-series.
  openai: { ...COMPATIBLE, tokenLimit: 'max_completion_tokens' },
  // learn.microsoft.com azure/foundry/openai/api-version-lifecycle (v1 without api-version); packages/azure of vercel/ai (api-key, deployments).
  azure: { ...COMPATIBLE, tokenLimit: 'max_completion_tokens', keyHeader: 'api-key', address: 'azure' },
  // openrouter.ai/docs/use-cases/reasoning-tokens: effort in an object, reasoning_details back unchanged; prompt-caching: cache_control on a part.
  openrouter: { ...COMPATIBLE, effort: 'reasoning', reasoning: 'details', options: 'part' },
  // groq-python types/chat: max_tokens deprecated, no stream_options (usage comes in x_groq), `reasoning` on assistant messages.
  groq: { ...COMPATIBLE, tokenLimit: 'max_completion_tokens', asksUsage: false, reasoning: 'field' },
  // mistralai/client-python models; 422 extra_forbidden for stream_options and max_completion_tokens (openai-agents-python#442,
  // openclaude#739); ids of 9 letters and digits (magentic#276); 3230 for a user behind a tool (litellm#17761); `any` in vercel/ai.
  mistral: {
    ...COMPATIBLE,
    asksUsage: false,
    required: 'any',
    named: 'alone',
    ids: { fits: /^[A-Za-z0-9]{9}$/, length: 9 },
    reasoning: 'parts',
    resultName: true,
    resultImages: 'in_result',
    userAfterResult: false,
  },
  // api-docs.deepseek.com guides/thinking_mode (toggle, effort, reasoning_content back, else 400) and guides/json_mode; every assistant
  // message must have the field, also one of another provider (hermes-agent#15228, packages/deepseek of vercel/ai).
  deepseek: {
    ...COMPATIBLE,
    effort: 'thinking+reasoning_effort',
    schema: 'json_object',
    reasoning: 'field',
    demanded: 'reasoning_content',
  },
  // packages/xai of vercel/ai: max_completion_tokens, effort, stream_options; reasoning is not taken back.
  xai: { ...COMPATIBLE, tokenLimit: 'max_completion_tokens' },
  // docs.z.ai guides/capabilities/thinking-mode (toggle, thinking back with results) and struct-output; tool_choice is `auto` alone and
  // stream_options unknown (java.agentscope.io integration/model/glm).
  zai: {
    ...COMPATIBLE,
    asksUsage: false,
    effort: 'thinking',
    schema: 'json_object',
    required: null,
    named: 'alone',
    none: 'left_out',
    reasoning: 'field',
  },
  // ggml-org/llama.cpp tools/server: tool_choice is read as a word, an object counts as none; reasoning_content is given to the template.
  llamacpp: { ...COMPATIBLE, named: 'alone', reasoning: 'field' },
  vllm: COMPATIBLE,
  // lmstudio-bug-tracker#670: tool_choice takes none, auto and required, no object.
  lmstudio: { ...COMPATIBLE, named: 'alone' },
  localai: COMPATIBLE,
}

/** The row of the dialect that a profile speaks. */
export function dialectOf(profile: Pick<Profile, 'dialect' | 'family'>): Dialect {
  return CHAT_DIALECT_TABLE[chatDialectOf(profile)]
}
