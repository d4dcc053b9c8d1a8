/**
 * Every name that spans and metrics have, in one table: the conventions for generative AI are still in development and have renamed their
 * metrics before.
 *
 * 1. What the conventions name has their name, in the version that is asked for; all else begins with `relevo.`.
 * 2. An attribute of a metric is bounded by the settings: no name of a turn, of a participant or a caller, or of a model that a caller typed (TEL-02).
 */

/**
 * `1.36`: the names of the semantic conventions 1.36, which most backends and other libraries know. `inference`: those that the conventions
 * have moved on to since they have a repository of their own, not released yet.
 */
export const NAME_VERSIONS = ['1.36', 'inference'] as const
export type NameVersion = (typeof NAME_VERSIONS)[number]

export interface MetricNames {
  readonly duration: string
  readonly timeToFirstChunk: string
  /** Tokens of an attempt: a distribution, or only their sum. */
  readonly tokens: 'histogram' | 'counter'
  readonly inputTokens: TokenName
  readonly outputTokens: TokenName
}

interface TokenName {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

export const METRIC_NAMES: Readonly<Record<NameVersion, MetricNames>> = {
  '1.36': {
    duration: 'gen_ai.client.operation.duration',
    timeToFirstChunk: 'gen_ai.client.operation.time_to_first_chunk',
    tokens: 'histogram',
    inputTokens: { name: 'gen_ai.client.token.usage', attributes: { 'gen_ai.token.type': 'input' } },
    outputTokens: { name: 'gen_ai.client.token.usage', attributes: { 'gen_ai.token.type': 'output' } },
  },
  inference: {
    duration: 'gen_ai.client.inference.duration',
    timeToFirstChunk: 'gen_ai.client.inference.time_to_first_chunk',
    tokens: 'counter',
    inputTokens: { name: 'gen_ai.client.inference.usage.input_tokens', attributes: { 'gen_ai.token.modality': 'unknown' } },
    outputTokens: { name: 'gen_ai.client.inference.usage.output_tokens', attributes: { 'gen_ai.token.modality': 'unknown' } },
  },
}

/** Attributes that the conventions name, alike in both versions. */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  stream: 'gen_ai.request.stream',
  responseModel: 'gen_ai.response.model',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  errorType: 'error.type',
} as const

/** Attributes of our own. */
export const OWN = {
  turn: 'relevo.turn.id',
  participant: 'relevo.participant',
  caller: 'relevo.caller',
  requestedProfile: 'relevo.requested.profile',
  requestedModel: 'relevo.requested.model',
  servedProfile: 'relevo.served.profile',
  servedModel: 'relevo.served.model',
  outcome: 'relevo.turn.outcome',
  attempts: 'relevo.turn.attempts',
  turnCost: 'relevo.turn.cost',
  number: 'relevo.attempt.number',
  entry: 'relevo.attempt.entry',
  result: 'relevo.attempt.result',
  accepted: 'relevo.attempt.accepted',
  attemptCost: 'relevo.attempt.cost',
  profile: 'relevo.profile',
  from: 'relevo.from',
  to: 'relevo.to',
  reason: 'relevo.reason',
  key: 'relevo.key',
  until: 'relevo.until',
  waitMs: 'relevo.wait_ms',
} as const

export const SPAN = { turn: 'relevo.turn', operation: 'chat' } as const

export const EVENT = {
  backoff: 'relevo.backoff',
  wait: 'relevo.wait',
  hold: 'relevo.hold',
  handoff: 'relevo.handoff',
  recovery: 'relevo.recovery',
} as const

export const OWN_METRICS = {
  turnDuration: 'relevo.turn.duration',
  attempts: 'relevo.attempts',
  fallbacks: 'relevo.fallbacks',
  holds: 'relevo.holds',
} as const

/** Stands for every model that no entry of the settings is pinned to. */
export const OTHER_MODEL = 'other'

/** Families whose provider the conventions call otherwise; every other one is called by its own name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  'gemini-cli': 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  claude: 'anthropic',
  codex: 'openai',
}

/** `openai.main#2` is called `openai`. */
export function providerOf(family: string): string {
  return PROVIDERS[family] ?? family
}
