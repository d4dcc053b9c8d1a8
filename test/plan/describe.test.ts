import { describe, expect, it } from 'vitest'
import type { Board } from '../../src/model/hold.ts'
import type { Plan } from '../../src/model/plan.ts'
import { describePlan } from '../../src/plan/describe.ts'
import { planTurn } from '../../src/plan/plan.ts'
import { sound } from '../config/support.ts'

const now = Date.parse('2026-03-01T00:00:00Z')
const off = { tools: false, toolEvents: false }
const settings = sound({
  primary: 'a.x',
  profiles: {
    'a.x': { apiKeys: ['k1', 'k2'], model: 'm1', fallback: ['b.y', 'c.z', 'd.w', 'e.v'] },
    'b.y': { apiKey: 'k', capabilities: { streaming: false } },
    'c.z': { apiKey: 'k', model: 'm3', capabilities: { toolEvents: false } },
    'd.w': { apiKey: 'k', model: 'm4', capabilities: off },
    'e.v': { apiKey: 'k', model: 'm5', capabilities: { vision: false } },
  },
})

function plan(): Plan {
  const planned = planTurn(settings)
  if ('error' in planned) throw new Error(planned.error.code)
  return planned.plan
}

const holdsOn = (key: string, untilAt: number): Board => new Map([[key, { key, untilAt, reason: 'cooldown' as const }]])
const skips = (ask: object, board: Board = new Map()) => describePlan(plan(), { board, now, ask }).entries.map(({ skip }) => skip)

describe('relevo plan (faces.md §2)', () => {
  it('prints the object of the contract, keys and all', () => {
    const board = holdsOn('a.x#2', now + 30_000)
    expect(JSON.parse(JSON.stringify(describePlan({ ...plan(), entries: plan().entries.slice(0, 3) }, { board, now })))).toEqual({
      target: 'a.x',
      requested: { profile: 'a.x', model: 'm1' },
      entries: [
        { profile: 'a.x', model: 'm1', pinned: true, hold: 'a.x#1', heldUntil: null, skip: null },
        { profile: 'a.x', model: 'm1', pinned: true, hold: 'a.x#2', heldUntil: '2026-03-01T00:00:30.000Z', skip: 'held' },
        { profile: 'b.y', model: null, pinned: false, hold: 'b.y', heldUntil: null, skip: 'no_streaming' },
      ],
      allow: null,
      warnings: [],
    })
  })

  it('R24 says why an entry would not be streamed to', () => {
    expect(skips({})).toEqual([null, null, 'no_streaming', null, null, null])
    expect(skips({ tools: true })).toEqual([null, null, 'no_streaming', 'no_tool_events', 'not_capable', null])
    expect(skips({ vision: true })).toEqual([null, null, 'no_streaming', null, null, 'not_capable'])
    expect(skips({ tools: true, stream: false })).toEqual([null, null, null, null, 'not_capable', null])
  })

  it('R18 a hold ends exactly at its instant', () => {
    expect(skips({}, holdsOn('a.x#1', now))[0]).toBeNull()
    expect(skips({}, holdsOn('a.x#1', now + 1))[0]).toBe('held')
  })

  it('what waiting cannot change comes before a hold', () => {
    expect(skips({ tools: true }, holdsOn('d.w', now + 1))[4]).toBe('not_capable')
    expect(describePlan({ ...plan(), allow: ['b.y'] }, { board: holdsOn('a.x#1', now + 1), now }).entries[0]?.skip).toBe('not_allowed')
  })

  it('a hold without end is still printed', () => {
    expect(describePlan(plan(), { board: holdsOn('a.x#1', Number.MAX_SAFE_INTEGER), now }).entries[0]?.heldUntil).toBe('+275760-09-13T00:00:00.000Z')
  })

  it('R11 no secret stands in it', () => expect(JSON.stringify(describePlan(plan(), { board: new Map(), now }))).not.toMatch(/k1|k2/))
})
