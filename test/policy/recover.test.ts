import { describe, expect, test } from 'vitest'
import type { FailureKind } from '../../src/model/failure.ts'
import { recover } from '../../src/policy/recover.ts'
import { planOf, type ViewShape, viewOf } from './walks.ts'

const AB = planOf(['a.x', 'b.y'])
const LONE = planOf(['a.x'])

/** Order and budgets of the recovery after a stream of `failed`. */
function recovered(shape: ViewShape, kind: FailureKind, failed = 0): string {
  const walk = recover(viewOf({ ...shape, spent: { [failed]: 1 } }), failed, kind)
  expect(walk.at).toBe(0)
  expect(walk.visits.every((visit) => visit.spent === 0)).toBe(true)
  return walk.order.map((index) => `${shape.plan.entries[index]?.label}:${walk.visits[index]?.budget}`).join(' ')
}

describe('R26 R29 the walk of a recovery', () => {
  test.each<[string, ViewShape, FailureKind, string]>([
    ['R29 an empty stream grants its entry one call, which comes first', { plan: AB }, 'empty', 'a.x:1 b.y:2'],
    ['R29 a failure that is no emptiness leaves the entry out', { plan: AB }, 'network', 'a.x:0 b.y:2'],
    ['R29 so does emptiness without retries', { plan: AB, reliability: { providerRetries: 0 } }, 'empty', 'a.x:0 b.y:1'],
    ['R29 the only candidate has one call', { plan: LONE }, 'network', 'a.x:1'],
    ['R29 both grants on one entry are one call', { plan: LONE }, 'empty', 'a.x:1'],
    ['R29 a held entry is no candidate', { plan: AB, held: { 'b.y': 5_000 } }, 'network', 'a.x:1 b.y:2'],
    ['R29 nor is one outside the allow-list', { plan: planOf(['a.x', 'b.y'], ['a.x']) }, 'network', 'a.x:1 b.y:2'],
    ['C07 a hold on the failed entry itself is waited out', { plan: LONE, held: { 'a.x': 5_000 } }, 'rate_limited', 'a.x:1'],
    ['C15 an entry that refused is never asked again', { plan: LONE }, 'refusal', 'a.x:0'],
  ])('%s', (_, shape, kind, expected) => {
    expect(recovered(shape, kind)).toBe(expected)
  })

  test('C09 the grant comes first, then plan order with an earlier entry whole', () => {
    expect(recovered({ plan: planOf(['a.x', 'b.y', 'c.z']) }, 'empty', 1)).toBe('b.y:1 a.x:2 c.z:2')
  })

  test('C12 an overflow shortens, once in the turn', () => {
    const walk = recover(viewOf({ plan: AB }), 0, 'context_window')
    expect([walk.history, walk.shortenedOnce]).toEqual(['shortened', true])
    const other = recover(viewOf({ plan: AB }), 0, 'network')
    expect([other.history, other.shortenedOnce]).toEqual(['original', false])
  })
})
