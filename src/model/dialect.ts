import type { Profile } from './settings.ts'

/**
 * Servers that speak the OpenAI chat protocol and differ in what they take. What each takes is data of the engine
 * (`src/engines/http/openai-chat/dialects.ts`); only the names stand here, since settings are checked against them.
 */
export const CHAT_DIALECTS = [
  'compatible',
  'openai',
  'azure',
  'openrouter',
  'groq',
  'mistral',
  'deepseek',
  'xai',
  'zai',
  'llamacpp',
  'vllm',
  'lmstudio',
  'localai',
] as const
export type ChatDialect = (typeof CHAT_DIALECTS)[number]

/** The dialects of each protocol that has any, by its `api` name. The servers of both protocols of OpenAI are the same; Responses differs on Azure alone. */
export const DIALECTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['openai-chat', CHAT_DIALECTS],
  ['openai-responses', CHAT_DIALECTS],
])

/** The dialect that a profile speaks: its own, else the one named like its family, else what every server understands. */
export function chatDialectOf({ dialect, family }: Pick<Profile, 'dialect' | 'family'>): ChatDialect {
  return [dialect, family].find(isChatDialect) ?? 'compatible'
}

function isChatDialect(name: string | null): name is ChatDialect {
  return CHAT_DIALECTS.some((known) => known === name)
}
