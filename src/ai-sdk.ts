/** The door `relevo/ai-sdk`: a kernel as a model of the AI SDK. Loads nothing of the AI SDK. */

export { aiSdkEngines, type FromAiSdkOptions, fromAiSdk } from './engines/ai-sdk/from-ai-sdk.ts'
export { type GuardOptions, guardedFetch, IncompleteAnswer } from './engines/ai-sdk/guarded-fetch.ts'
export type { AiSdkAsk, AiSdkModel, AiSdkSource } from './engines/ai-sdk/sdk-model.ts'
export { type RelevoModelOptions, relevoModel } from './faces/ai-sdk/model.ts'
export type { RelevoModel } from './faces/ai-sdk/specification.ts'
