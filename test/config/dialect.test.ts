import { describe, expect, it } from 'vitest'
import { CHAT_DIALECTS } from '../../src/model/dialect.ts'
import { brief, check, withProfiles } from './support.ts'

/** [what, config, errors as `code path`] */
const fatal: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['an unknown dialect', withProfiles({ 'groq.y': { dialect: 'grok' } }), ['invalid_setting profiles.groq.y.dialect']],
  ['an unknown dialect where the protocol is open', withProfiles({ 'b.y': { dialect: 'grok' } }), ['invalid_setting profiles.b.y.dialect']],
  [
    'a dialect of a protocol that has none',
    withProfiles({ 'b.y': { api: 'anthropic-messages', dialect: 'groq' } }),
    ['invalid_setting profiles.b.y.dialect'],
  ],
  ['a dialect of a coding-agent CLI', withProfiles({ 'claude.y': { dialect: 'groq' } }), ['invalid_setting profiles.claude.y.dialect']],
  ['a blank dialect', withProfiles({ 'b.y': { dialect: '' } }), ['invalid_setting profiles.b.y.dialect']],
]

describe('R5 the dialect of a profile', () => {
  it.each(fatal)('%s is fatal', (_, config, errors) => expect(brief(check(config).errors)).toEqual(errors))

  it('a dialect that is none is told with those that are', () => {
    const told = (profile: Record<string, unknown>) => check(withProfiles({ 'openai.y': profile })).errors[0]
    expect(told({ dialect: 'llama.cpp' })).toMatchObject({
      message: '`profiles.openai.y.dialect` is no dialect of openai-chat.',
      remedy: `\`llamacpp\` may be meant. Write one of: ${CHAT_DIALECTS.join(', ')}.`,
    })
    expect(told({ dialect: 'constructor' })?.remedy).toBe(`Write one of: ${CHAT_DIALECTS.join(', ')}.`)
    expect(told({ dialect: 'groq', api: 'gemini' })).toMatchObject({
      message: '`profiles.openai.y.dialect` is set, but gemini has no dialects.',
      remedy: 'Remove it.',
    })
    expect(told({ dialect: 'vllm' })).toBeUndefined()
  })

  it.each(['openai-chat', 'openai-responses'])('every one that is known may be set where %s is spoken, also by another family', (api) => {
    for (const dialect of CHAT_DIALECTS) expect(check(withProfiles({ 'own.y': { api, dialect } })).errors).toEqual([])
  })
})
