import { describe, expect, it } from 'vitest'
import { paidTo } from '../../../src/adapters/genai-prices/paid-to.ts'
import { FAMILIES, usualEndpoint } from '../../../src/config/families.ts'

const hosted = [...FAMILIES].filter(([, { zone, endpoint }]) => zone === 'cloud' && endpoint !== null)

describe('R34 who is paid for what is sent to an address', () => {
  it.each(hosted.map(([name, { alias }]) => [`${name}.${alias?.example ?? 'main'}`]))('the usual address of %s is somebody’s', (profile) => {
    expect(paidTo(usualEndpoint(profile))).toEqual(expect.any(String))
  })

  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://API.OpenAI.com./v1', 'openai'],
    ['https://generativelanguage.googleapis.com', 'google'],
    ['https://my-resource.openai.azure.com/openai/v1', 'azure'],
    ['https://bedrock-runtime.eu-west-1.amazonaws.com', 'aws'],
  ])('%s: %s', (address, provider) => {
    expect(paidTo(address)).toBe(provider)
  })

  it.each([
    null,
    '',
    'api.openai.com',
    'https://api.openai.com.evil.example/v1',
    'https://evil.example/https://api.openai.com/v1',
    'https://api.openai.com@evil.example/v1',
    'https://not-api.openai.com.',
    'https://a.b.openai.azure.com',
    'https://bedrock-runtime.eu-west-1.amazonaws.com.evil.example',
    'https://litellm.internal/v1',
    'http://127.0.0.1:11434',
  ])('%j is the address of nobody who is known', (address) => {
    expect(paidTo(address)).toBeNull()
  })
})
