import { describe, expect, it } from 'vitest'
import { entryName } from '../../src/model/plan.ts'
import { type PlanAsk, planTurn } from '../../src/plan/plan.ts'
import { sound } from '../config/support.ts'

const team = sound({
  team: {},
  profiles: { 'b.y': { apiKey: 'k', model: 'm2' } },
  modelRoutes: [{ hint: 'b', modelProvider: 'b.y', model: 'm2' }],
})

function told(ask: PlanAsk) {
  const planned = planTurn(team, ask)
  return 'error' in planned
    ? { code: planned.error.code, path: planned.error.path, requested: planned.requested }
    : planned.plan.entries.map(entryName)
}

describe('settings without a primary, as those of a team', () => {
  it.each([undefined, 'm1', 'hint:none'])('say so where %s is asked for', (model) => {
    expect(told({ model })).toEqual({ code: 'unknown_primary', path: 'primary', requested: null })
  })

  it('serve what a route or a target leads to', () => {
    expect(told({ model: 'hint:b' })).toEqual(['b.y/m2'])
    expect(told({ targets: [{ profile: 'b.y' }] })).toEqual(['b.y/m2'])
  })
})
