import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3Reasoning,
  LanguageModelV3StreamPart,
  LanguageModelV3Text,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
  SharedV3Warning,
} from '@ai-sdk/provider'

/**
 * The model interface of the AI SDK as this face fills it in: what versions 3 and 4 have in common.
 *
 * 1. What is taken is wider than either version, what is given back narrower than both, so that one implementation is a model of each.
 *    `test/types/ai-sdk.test-d.ts` holds it against both.
 * 2. Of `@ai-sdk/provider` there are types only. Version 4 is not named: it would not be found where the types of version 3 are installed.
 */
export type SpecificationVersion = 'v3' | 'v4'

/** A LanguageModel of the AI SDK over a kernel. */
export interface RelevoModel<Version extends SpecificationVersion = SpecificationVersion> {
  readonly specificationVersion: Version
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Record<string, RegExp[]>
  doGenerate(call: ModelCall): Promise<ModelAnswer>
  doStream(call: ModelCall): Promise<ModelStream>
}

export interface ModelCall extends Omit<LanguageModelV3CallOptions, 'prompt' | 'tools' | 'providerOptions'> {
  readonly prompt: readonly PromptMessage[]
  readonly tools?: readonly CallTool[] | undefined
  readonly providerOptions?: PartOptions | undefined
  /** Version 4 only. */
  readonly reasoning?: string | undefined
}

export type CallTool =
  | {
      readonly type: 'function'
      readonly name: string
      readonly description?: string
      readonly inputSchema: unknown
      readonly inputExamples?: unknown
      readonly strict?: boolean
      readonly providerOptions?: PartOptions
    }
  | { readonly type: 'provider'; readonly id: string; readonly name: string; readonly args: unknown }

export type PromptMessage =
  | { readonly role: 'system'; readonly content: string; readonly providerOptions?: PartOptions | undefined }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly PromptPart[]; readonly providerOptions?: PartOptions | undefined }

export type PartOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** One part of a message, whatever it is: its `type` says which of the fields it has. */
export interface PromptPart {
  readonly type: string
  readonly text?: string | undefined
  /** Bytes, base64 or a URL (version 3), or one of them under its name (version 4). */
  readonly data?: unknown
  readonly mediaType?: string | undefined
  readonly toolCallId?: string | undefined
  readonly toolName?: string | undefined
  readonly input?: unknown
  readonly output?: ToolOutput | undefined
  readonly providerExecuted?: boolean | undefined
  readonly providerOptions?: PartOptions | undefined
}

export interface ToolOutput {
  readonly type: string
  readonly value?: unknown
  readonly reason?: string | undefined
}

export type Warning = SharedV3Warning
export type Metadata = SharedV3ProviderMetadata
export type ModelUsage = LanguageModelV3Usage
export type FinishReason = LanguageModelV3FinishReason
export type ModelContent = LanguageModelV3Text | LanguageModelV3Reasoning | LanguageModelV3ToolCall
export type ModelPart = Exclude<LanguageModelV3StreamPart, { type: 'file' | 'source' | 'tool-approval-request' | 'raw' }>

export interface ModelAnswer {
  content: ModelContent[]
  finishReason: FinishReason
  usage: ModelUsage
  providerMetadata: Metadata
  response: { id: string; timestamp: Date; modelId?: string; headers: Record<string, string> }
  warnings: Warning[]
}

export interface ModelStream {
  stream: ReadableStream<ModelPart>
  response: { headers: Record<string, string> }
}
