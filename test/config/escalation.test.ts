import { describe, expect, it } from 'vitest'
import { brief, check, withProfiles } from './support.ts'

describe('R37 a word for escalation that is not auto', () => {
  it.each([
    ['auto', []],
    ['never', []],
    ['Auto', ['unknown_escalation effortRouting.escalation']],
    ['always', ['unknown_escalation effortRouting.escalation']],
  ])('%s: is told where it was perhaps meant, and keeps every prompt local', (escalation, warned) => {
    const profiles = { 'ollama.l': { model: 'm' }, 'a.x': { model: 'm1', apiKey: 'k' } }
    const modelRoutes = [
      { hint: 'l', modelProvider: 'ollama.l', model: 'm' },
      { hint: 'c', modelProvider: 'a.x', model: 'm1' },
    ]
    const { errors, warnings } = check(withProfiles(profiles, { modelRoutes, effortRouting: { localHint: 'l', cloudHint: 'c', escalation } }))
    expect([brief(errors), brief(warnings)]).toEqual([[], warned])
  })
})
