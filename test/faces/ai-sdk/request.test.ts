import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { turnOf } from '../../../src/faces/ai-sdk/request.ts'
import type { ModelCall } from '../../../src/faces/ai-sdk/specification.ts'

const ask = (call: Partial<ModelCall> = {}) => turnOf({ prompt: [], ...call }, undefined)
const weather = { type: 'function' as const, name: 'weather', inputSchema: { type: 'object' as const } }

describe('a call of the AI SDK as a turn', () => {
  it('settings that a turn knows', () => {
    const { request, warnings } = ask({ maxOutputTokens: 5, temperature: 0.5, topP: 0.9, stopSequences: ['END'], headers: { 'user-agent': 'ai/6' } })
    expect(request.options).toMatchObject({ maxTokens: 5, temperature: 0.5, topP: 0.9, stop: ['END'] })
    expect(warnings).toEqual([])
  })

  it('settings that no turn can keep are warnings, each by name', () => {
    const { warnings } = ask({
      topK: 1,
      presencePenalty: 1,
      frequencyPenalty: 1,
      seed: 1,
      headers: { 'anthropic-beta': 'x' },
      includeRawChunks: true,
      responseFormat: { type: 'json' },
      tools: [
        { ...weather, strict: true },
        { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} },
      ],
    })
    expect(warnings.map((warning) => (warning.type === 'other' ? warning.message : warning.feature))).toEqual([
      'topK',
      'presencePenalty',
      'frequencyPenalty',
      'seed',
      'headers',
      'includeRawChunks',
      'strict of tool weather',
      'provider tool openai.web_search',
      'JSON without a schema',
    ])
  })

  it.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [{ type: 'required' }, 'required'],
    [{ type: 'tool', toolName: 'weather' }, { name: 'weather' }],
  ] as [NonNullable<LanguageModelV3CallOptions['toolChoice']>, unknown][])('tool choice %o', (toolChoice, expected) => {
    expect(ask({ toolChoice, tools: [weather] }).request.options?.toolChoice).toEqual(expected)
    expect(ask({ toolChoice }).request.options?.toolChoice).toBeUndefined()
  })

  it('a schema with its name and description', () => {
    const schema = { type: 'object' as const, properties: {} }
    const responseSchema = (more: object) => ask({ responseFormat: { type: 'json', schema, ...more } }).request.options?.responseSchema
    expect(responseSchema({})).toEqual({ name: 'response', schema })
    expect(responseSchema({ name: 'forecast', description: 'of today' })).toEqual({
      name: 'forecast',
      schema: { ...schema, description: 'of today' },
    })
  })

  it('R1: options by provider; those under relevo are the kernel’s own', () => {
    const { request } = ask({ providerOptions: { anthropic: { thinking: { type: 'adaptive' } }, relevo: { reasoningEffort: 'low' } } })
    expect(request.options).toMatchObject({ providerOptions: { anthropic: { thinking: { type: 'adaptive' } } }, reasoningEffort: 'low' })
    expect(ask({ providerOptions: { relevo: {} } }).request.options?.providerOptions).toBeUndefined()
  })

  it.each([
    ['minimal', 'low', 'compatibility'],
    ['medium', 'medium', undefined],
    ['xhigh', 'high', 'compatibility'],
    ['provider-default', undefined, undefined],
    ['none', undefined, 'unsupported'],
    ['constructor', undefined, 'unsupported'],
  ] as const)('reasoning of version 4: %s', (reasoning, effort, warned) => {
    const { request, warnings } = ask({ reasoning })
    expect(request.options?.reasoningEffort).toBe(effort)
    expect(warnings.map((warning) => warning.type)).toEqual(warned === undefined ? [] : [warned])
  })
})
