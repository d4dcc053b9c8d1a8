import { describe, expect, it } from 'vitest'
import { brief, check } from './support.ts'

describe('R39 a profile that is local by its family and leads elsewhere', () => {
  const warned = (endpoint: string | null, zone: string | null = null, id = 'ollama.a') =>
    brief(check({ primary: id, profiles: { [id]: { model: 'm', endpoint, zone, ...(id === 'ollama.a' ? {} : { apiKey: 'k' }) } } }).warnings)

  it.each(['https://ollama.com', 'http://8.8.8.8:11434', 'https://gpu.example.org/v1'])('%s is told', (endpoint) => {
    expect(warned(endpoint)).toEqual(['local_zone_far profiles.ollama.a.zone'])
  })

  it.each([
    null,
    'http://127.0.0.1:1',
    'http://localhost:1',
    'http://192.168.1.9:11434',
    'http://nas:11434',
    'http://nas.local',
    'http://gpu.internal',
    'http://[fd00::1]',
  ])('%s is of this network', (endpoint) => {
    expect(warned(endpoint)).toEqual([])
  })

  it('not where the zone was said, nor where the family is no local one', () => {
    expect(warned('https://ollama.com', 'local')).toEqual([])
    expect(warned('https://ollama.com', 'cloud', 'openai.a')).toEqual([])
    expect(warned('https://ollama.com', null, 'openai.a')).toEqual([])
  })
})
