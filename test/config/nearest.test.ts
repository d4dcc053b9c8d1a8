import { describe, expect, it } from 'vitest'
import { nearest } from '../../src/config/nearest.ts'

describe('nearest', () => {
  it.each([
    ['providerRetrys', 'providerRetries'],
    ['apikey', 'apiKey'],
    ['modle', 'model'],
    ['colour', null],
    ['x', null],
  ] as const)('%s → %s', (word, meant) => expect(nearest(word, ['providerRetries', 'apiKey', 'apiKeys', 'model'])).toBe(meant))
})
