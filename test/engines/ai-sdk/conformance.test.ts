import { describe, test } from 'vitest'
import { fromAiSdk } from '../../../src/ai-sdk.ts'
import { conformanceCases, loopbackSubject, notApplicable, virtualClock } from '../../../src/testing.ts'
import { PROVIDERS } from './subject.ts'

/** Every promise of the engine contract, kept by the AI SDK's own providers behind `fromAiSdk`. */
const NO_TOOLS = { providerTools: 'the protocol has no tools that run at the provider' }

const SUBJECTS = [
  ['@ai-sdk/openai', 'openai-chat', { ...NO_TOOLS, reasoning: 'this provider reads no reasoning from chat completions' }],
  ['@ai-sdk/openai, responses', 'openai-responses', { providerTools: 'this provider calls a tool of an MCP server by another name: mcp.search' }],
  ['@ai-sdk/openai-compatible', 'openai-chat', NO_TOOLS],
  [
    '@ai-sdk/anthropic',
    'anthropic-messages',
    { providerTools: 'this provider knows the server tools of Anthropic by name, and the one of the case is none' },
  ],
] as const

describe.each(SUBJECTS)('%s behind fromAiSdk conforms', (name, protocol, lacks) => {
  const source = PROVIDERS[name]
  if (source === undefined) throw new Error(`no provider ${name}`)
  const engine = fromAiSdk(source, { api: protocol })
  const subject = loopbackSubject({ name, protocol, engines: () => engine, clock: () => virtualClock(Date.UTC(2026, 2, 1)), lacks })
  for (const one of conformanceCases()) {
    const reason = notApplicable(one, subject)
    if (reason === null) test(one.name, () => one.run(subject))
    else test(one.name, ({ skip }) => skip(`not applicable to ${name}: ${reason}`))
  }
})
