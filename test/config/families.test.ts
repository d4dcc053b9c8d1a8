import { describe, expect, it } from 'vitest'
import { FAMILIES, usualEndpoint, zoneOf } from '../../src/config/families.ts'
import { sound } from './support.ts'

describe('R39 zone', () => {
  it.each([
    ['ollama', null, 'local'],
    ['lmstudio', null, 'local'],
    ['llamacpp', null, 'local'],
    ['vllm', null, 'local'],
    ['localai', 'https://gpu.example.com/v1', 'local'],
    ['openai', null, 'cloud'],
    ['claude', null, 'cloud'],
    ['unheard-of', null, 'cloud'],
    ['openai', 'http://localhost:8080/v1', 'local'],
    ['openai', 'http://LOCALHOST/v1', 'local'],
    ['openai', 'http://127.0.0.1', 'local'],
    ['openai', 'http://127.8.9.1', 'local'],
    ['openai', 'http://[::1]:9/', 'local'],
    ['openai', 'http://127.evil.example/v1', 'cloud'],
    ['openai', 'http://localhost.evil.example/v1', 'cloud'],
    ['openai', 'http://10.0.0.1/v1', 'cloud'],
  ] as const)('%s at %s is %s', (family, endpoint, zone) => expect(zoneOf(family, endpoint)).toBe(zone))

  it('what a profile says itself wins', () => {
    const settings = sound({
      primary: 'ollama.a',
      profiles: { 'ollama.a': { zone: 'cloud', apiKey: 'k' }, 'b.y': { zone: 'local' } },
    })
    expect(settings.profiles.get('ollama.a')?.zone).toBe('cloud')
    expect(settings.profiles.get('b.y')?.zone).toBe('local')
  })
})

describe('families', () => {
  it('give a profile its protocol and address, unless it has its own', () => {
    const settings = sound({
      primary: 'openai.a',
      profiles: {
        'openai.a': { apiKey: 'k' },
        'anthropic.a': { apiKey: 'k' },
        'lmstudio.a': {},
        'openai.b': { apiKey: 'k', api: 'openai-responses', endpoint: 'https://proxy.example/v1' },
        'claude.main': {},
      },
    })
    const of = (id: string) => [settings.profiles.get(id)?.api, settings.profiles.get(id)?.endpoint]
    expect(of('openai.a')).toEqual(['openai-chat', 'https://api.openai.com/v1'])
    expect(of('anthropic.a')).toEqual(['anthropic-messages', 'https://api.anthropic.com'])
    expect(of('lmstudio.a')).toEqual(['openai-chat', 'http://127.0.0.1:1234/v1'])
    expect(of('openai.b')).toEqual(['openai-responses', 'https://proxy.example/v1'])
    expect(of('claude.main')).toEqual([null, null])
  })

  it.each([
    ['azure.my-resource', 'https://my-resource.openai.azure.com/openai/v1'],
    ['azure.Prod7', 'https://prod7.openai.azure.com/openai/v1'],
    ['azure.evil.example', null],
    ['azure.a@evil', null],
    ['azure.-a', null],
    ['azure.a-', null],
    ['azure.$&', null],
    ['azure.bücher', null],
    [`azure.${'a'.repeat(64)}`, null],
    ['azure.', null],
    ['bedrock.us-east-1', 'https://bedrock-runtime.us-east-1.amazonaws.com'],
    ['bedrock.us-gov-west-1', 'https://bedrock-runtime.us-gov-west-1.amazonaws.com'],
    ['bedrock.eusc-de-east-1', 'https://bedrock-runtime.eusc-de-east-1.amazonaws.com'],
    ['bedrock.prod', null],
    ['bedrock.us-east-1.evil', null],
    ['ollama.a', 'http://127.0.0.1:11434'],
    ['gemini.a', 'https://generativelanguage.googleapis.com'],
    ['groq.$&', 'https://api.groq.com/openai/v1'],
    ['unheard-of.x', null],
  ])('the usual address of %s is %s', (profile, endpoint) => expect(usualEndpoint(profile)).toBe(endpoint))

  it('an address of its own wins over the one of an alias', () => {
    const settings = sound({ primary: 'azure.a', profiles: { 'azure.a': { apiKey: 'k', endpoint: 'https://gateway.example' } } })
    expect(settings.profiles.get('azure.a')?.endpoint).toBe('https://gateway.example')
  })

  it('every local family has a loopback address', () => {
    for (const family of FAMILIES.values()) {
      if (family.zone === 'local') expect(zoneOf('any', family.endpoint)).toBe('local')
    }
  })
})
