import { describe, expect, it } from 'vitest'
import { relevoModel } from '../../../src/ai-sdk.ts'
import { relay } from './kit.ts'

const PROMPT = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }]

describe('an answer that does not stream', () => {
  it('thoughts of an answer that did not stream stand in front of its text', async () => {
    const { kernel } = await relay({ 'openai.main/gpt-a': { call: [{ ok: 'said', reasoning: 'thought' }] } })
    const { content } = await relevoModel(kernel).doGenerate({ prompt: PROMPT })
    expect(content).toMatchObject([
      { type: 'reasoning', text: 'thought' },
      { type: 'text', text: 'said' },
    ])
  })
})
