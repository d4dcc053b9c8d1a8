import type { Profile } from '../../model/settings.ts'

/**
 * A language model of the AI SDK, of version 2, 3 or 4, as far as an engine needs it. Nothing of the AI SDK is imported: what a model gives
 * is looked at by hand, as what comes over any wire is.
 */
export interface AiSdkModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(call: never): PromiseLike<object>
  doStream(call: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** What an attempt hands to whoever makes its model. */
export interface AiSdkAsk {
  /** The model that this attempt is for: the pin of its entry, or what the caller asked. */
  readonly model: string
  /** The credential of this attempt; one of a pool differs from attempt to attempt. Undefined where the profile has none. */
  readonly apiKey: string | undefined
  /** Make the provider with it: it sees to it that no truncated stream passes for a whole one. */
  readonly fetch: typeof globalThis.fetch
  readonly profile: Profile
}

/** A model, or how to make one for an attempt. */
export type AiSdkSource = AiSdkModel | ((ask: AiSdkAsk) => AiSdkModel)

/** `openai` of `openai.chat`: the name that provider options go by. */
export function providerName(model: AiSdkModel): string {
  return model.provider.split('.')[0] ?? model.provider
}
