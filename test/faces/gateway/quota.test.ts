import { describe, expect, test } from 'vitest'
import { Quota, type QuotaRules } from '../../../src/faces/gateway/quota.ts'
import type { GatewayKey, Outcome, ProfileDescription } from '../../../src/index.ts'

const MORNING = Date.UTC(2026, 2, 1, 8)
const HOUR = 3_600_000

const key = (over: Partial<GatewayKey> = {}): GatewayKey => ({ id: 'ana', secret: null, models: null, concurrency: 2, perDay: null, ...over })

const PROFILES = [
  { id: 'openai.main', cli: false, zone: 'cloud' },
  { id: 'claude.plan', cli: true, zone: 'cloud' },
  { id: 'ollama.here', cli: false, zone: 'local' },
] as unknown as readonly ProfileDescription[]

function quota(rules: Partial<QuotaRules> = {}, earlier: readonly [string, number][] = []) {
  const clock = { at: MORNING }
  const made = new Quota({
    kernel: { profiles: () => PROFILES },
    rules: () => ({ unknownPrice: 'exceeds', zone: 'UTC', ...rules }),
    earlier: new Map(earlier),
    now: () => clock.at,
  })
  return { made, clock, of: (asked: GatewayKey) => seen(made, asked) }
}

/** Lets one in and out at once, or says why not. */
function seen(made: Quota, asked: GatewayKey): string {
  const admission = made.enter(asked)
  if ('status' in admission) return `${admission.status} ${admission.code} ${admission.retryAfterS}`
  admission.leave(null)
  return 'in'
}

type Cost = readonly [entry: string, cost: number | null, tokens: number | null]

function outcome(...costs: readonly Cost[]): Outcome {
  const attempts = costs.map(([entry, cost, input], index) => ({ n: index + 1, entry, cost, usage: input === null ? null : { input } }))
  return { kind: 'ok', attempts } as unknown as Outcome
}

function spend(made: Quota, asked: GatewayKey, ...costs: readonly Cost[]): void {
  const admission = made.enter(asked)
  if ('status' in admission) throw new Error(admission.message)
  admission.leave(outcome(...costs))
}

describe('GW-06 requests at once', () => {
  test('a key has as many as it may; the next comes back in a second, and each that ends makes room for one', () => {
    const { made, of } = quota()
    const [first, second] = [made.enter(key()), made.enter(key())]
    expect(of(key())).toBe('429 concurrency_exceeded 1')
    if (!('leave' in first) || !('leave' in second)) throw new Error('not let in')
    first.leave(null)
    expect(of(key())).toBe('in')
    second.leave(outcome())
    expect([of(key()), of(key())]).toEqual(['in', 'in'])
  })

  test('one key takes nothing from another', () => {
    const { made, of } = quota()
    made.enter(key({ concurrency: 1 }))
    expect([of(key({ concurrency: 1 })), of(key({ id: 'ben', concurrency: 1 }))]).toEqual(['429 concurrency_exceeded 1', 'in'])
  })
})

describe('GW-06 what a key is told', () => {
  function told(made: Quota, asked: GatewayKey): string {
    const admission = made.enter(asked)
    return 'status' in admission ? admission.message : 'in'
  }

  test.each([
    [1, 'This key may have 1 request under way at once, and has.'],
    [2, 'This key may have 2 requests under way at once, and has.'],
  ])('of %i requests at once', (concurrency, message) => {
    const { made } = quota()
    const asked = key({ concurrency })
    for (let count = 0; count < concurrency; count++) expect(told(made, asked)).toBe('in')
    expect(told(made, asked)).toBe(message)
  })

  test('of what it spent, and of what nobody knows, with who can mend it', () => {
    const [{ made: spent }, { made: unknown }] = [quota(), quota()]
    const paid = key({ perDay: 5 })
    spend(spent, paid, ['openai.main/m1', 5, 5])
    expect(told(spent, paid)).toBe('This key may spend 5 USD a day, and has.')
    spend(unknown, paid, ['openai.main/m1', null, 5])
    expect(told(unknown, paid)).toBe(
      'This key may spend 5 USD a day, and an answer whose price nobody knows counts as all of it: whoever runs the gateway can set `profiles.<id>.price`.',
    )
  })
})

describe('GW-06 USD a day', () => {
  const paid = key({ perDay: 1 })
  const untilMidnight = (16 * HOUR) / 1000

  test('below the bound it is let in, at the bound not, until the next day', () => {
    const { made, clock, of } = quota()
    spend(made, paid, ['openai.main/m1', 0.999_999, 5])
    expect(of(paid)).toBe('in')
    spend(made, paid, ['openai.main/m1', 0.000_001, 5])
    expect(of(paid)).toBe(`429 insufficient_quota ${untilMidnight}`)
    clock.at = MORNING + 16 * HOUR - 1
    expect(of(paid)).toBe('429 insufficient_quota 1')
    clock.at = MORNING + 16 * HOUR
    expect(of(paid)).toBe('in')
  })

  test('every attempt counts, whether it served or not', () => {
    const { made, of } = quota()
    spend(made, paid, ['openai.main/m1', 0.5, 5], ['openai.main/m1', null, null], ['openai.main#2/m1', 0.5, 5])
    expect(of(paid)).toMatch(/insufficient_quota/)
  })

  test('a day is one of the zone of the budgets', () => {
    const { made, clock, of } = quota({ zone: 'Pacific/Auckland' })
    spend(made, paid, ['openai.main/m1', 1, 5])
    // 21:00 there; midnight is three hours off.
    expect(of(paid)).toBe(`429 insufficient_quota ${(3 * HOUR) / 1000}`)
    clock.at += 3 * HOUR
    expect(of(paid)).toBe('in')
  })

  test('R12 settings that were taken anew count from the next answer on', () => {
    const rules: { unknownPrice: QuotaRules['unknownPrice'] } = { unknownPrice: 'ignored' }
    const { made, of } = quota(rules)
    spend(made, paid, ['openai.main/m1', null, 5])
    expect(of(paid)).toBe('in')
    rules.unknownPrice = 'exceeds'
    spend(made, paid, ['openai.main/m1', null, 5])
    expect(of(paid)).toMatch(/insufficient_quota/)
  })

  test('what earlier processes spent today counts, by key', () => {
    const { clock, of } = quota({}, [['ana', 1e12]])
    expect([of(paid), of(key({ id: 'ben', perDay: 1 }))]).toEqual([`429 insufficient_quota ${untilMidnight}`, 'in'])
    clock.at += 24 * HOUR
    expect(of(paid)).toBe('in')
  })

  test('a turn that ends on the next day is paid for on it', () => {
    const { made, clock, of } = quota()
    const late = made.enter(paid)
    clock.at += 24 * HOUR
    if ('leave' in late) late.leave(outcome(['openai.main/m1', 1, 5]))
    expect(of(paid)).toMatch(/insufficient_quota/)
  })

  test('no bound, nothing counted; a bound of nothing, nobody let in', () => {
    const { made, of } = quota()
    spend(made, key(), ['openai.main/m1', 1e6, 5])
    expect([of(key()), of(key({ id: 'none', perDay: 0 }))]).toEqual(['in', `429 insufficient_quota ${untilMidnight}`])
  })

  test.each([
    ['an unknown price', 'exceeds', ['openai.main/m1', null, 5], false],
    ['an unknown price of a pooled key', 'exceeds', ['openai.main#1/m1', null, 5], false],
    ['an unknown price', 'ignored', ['openai.main/m1', null, 5], true],
    ['a program on its plan', 'exceeds', ['claude.plan/m1', null, 5], true],
    ['a model on this machine', 'exceeds', ['ollama.here/m1', null, 5], true],
    ['a call that told of no token', 'exceeds', ['openai.main/m1', null, null], true],
  ] as const)('%s, unknown prices %s: %j; let in afterwards: %s', (_what, unknownPrice, cost, isIn) => {
    const { made, clock, of } = quota({ unknownPrice })
    spend(made, paid, cost)
    expect(of(paid) === 'in').toBe(isIn)
    clock.at += 24 * HOUR
    expect(of(paid)).toBe('in')
  })
})
