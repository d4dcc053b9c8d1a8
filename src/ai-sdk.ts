/** The door `relevo/ai-sdk`: a kernel as a model of the AI SDK. Loads nothing of the AI SDK. */
export { type RelevoModelOptions, relevoModel } from './faces/ai-sdk/model.ts'
export type { RelevoModel } from './faces/ai-sdk/specification.ts'
