import { describe, expect, test } from 'vitest'
import type { Budgets } from '../../src/model/settings.ts'
import { type Billing, dayOf, isBarredUnpriced, isOverBudget, liftsAt, type Spent } from '../../src/policy/budget.ts'

const USD = 1e12
const NONE: Budgets = {
  perTurn: null,
  perRun: null,
  perDay: null,
  perProfile: { each: null, own: new Map() },
  unknownPrice: 'exceeds',
  zone: 'UTC',
}
const NOTHING: Spent = { turn: 0, run: 0, day: 0, profiles: new Map() }
const rules = (budgets: Partial<Budgets>, billing: Billing = 'priced') => ({ budgets: { ...NONE, ...budgets }, billing: [billing] })
const own = (usd: Readonly<Record<string, number>>, each: number | null = null) => ({ perProfile: { each, own: new Map(Object.entries(usd)) } })

describe('R34 which entries a budget bars', () => {
  test.each<[string, Partial<Budgets>, Billing, Partial<Spent>, boolean]>([
    ['no bound, whatever was spent', {}, 'priced', { turn: 9 * USD, run: 9 * USD, day: 9 * USD }, false],
    ['below its bound', { perTurn: 1 }, 'priced', { turn: USD - 1 }, false],
    ['at its bound', { perTurn: 1 }, 'priced', { turn: USD }, true],
    ['at a bound that floats a little above it', { perTurn: 0.034 }, 'priced', { turn: 34_000_000_000 }, true],
    ['the run', { perRun: 1 }, 'priced', { run: USD }, true],
    ['the day', { perDay: 1 }, 'priced', { day: USD }, true],
    ['another bound is not asked for what this one counts', { perDay: 1 }, 'priced', { turn: USD, run: USD }, false],
    ['its own bound', own({ 'a.x': 1 }), 'priced', { profiles: new Map([['a.x', USD]]) }, true],
    ['the bound of another', own({ 'b.y': 1 }), 'priced', { profiles: new Map([['a.x', USD]]) }, false],
    ['one for each', own({}, 1), 'priced', { profiles: new Map([['a.x', USD]]) }, true],
    ['its own comes before the one for each', own({ 'a.x': 2 }, 1), 'priced', { profiles: new Map([['a.x', USD]]) }, false],
    ['a bound of nothing', { perTurn: 0 }, 'priced', {}, true],
    ['an unknown price is over any bound', { perDay: 9 }, 'unpriced', {}, true],
    ['and over none where there is none', {}, 'unpriced', {}, false],
    ['one of another profile is none', own({ 'b.y': 1 }), 'unpriced', {}, false],
    ['unless it is not counted', { perDay: 9, unknownPrice: 'ignored' }, 'unpriced', {}, false],
    ['then what is known to be spent still counts', { perDay: 9, unknownPrice: 'ignored' }, 'unpriced', { day: 9 * USD }, true],
    ['what owes nothing', { perTurn: 0, perRun: 0, perDay: 0, ...own({ 'a.x': 0 }) }, 'free', {}, false],
  ])('%s', (_, budgets, billing, spent, expected) => {
    expect(isOverBudget(rules(budgets, billing), { ...NOTHING, ...spent }, 0, 'a.x')).toBe(expected)
  })
})

describe('R34 which entries are barred for want of a price', () => {
  test.each<[string, Partial<Budgets>, Billing, boolean]>([
    ['under any bound', { perDay: 9 }, 'unpriced', true],
    ['under none', {}, 'unpriced', false],
    ['under that of another profile', own({ 'b.y': 1 }), 'unpriced', false],
    ['not where it is not counted, be the bound nothing', { perTurn: 0, unknownPrice: 'ignored' }, 'unpriced', false],
    ['not with a price, be the bound nothing', { perTurn: 0 }, 'priced', false],
  ])('%s', (_, budgets, billing, expected) => {
    expect(isBarredUnpriced(rules(budgets, billing), 0, 'a.x')).toBe(expected)
  })
})

describe('R34 when a budget bars no more', () => {
  const NOON = Date.UTC(2026, 2, 1, 12)
  const spent: Spent = { turn: USD, run: USD, day: USD, profiles: new Map([['a.x', USD]]) }

  test.each<[string, Partial<Budgets>, Billing, number | null]>([
    ['with the next day', { perDay: 1 }, 'priced', Date.UTC(2026, 2, 2)],
    ['of its zone', { perDay: 1, zone: 'America/New_York' }, 'priced', Date.UTC(2026, 2, 2, 5)],
    ['of its profile likewise', own({ 'a.x': 1 }), 'priced', Date.UTC(2026, 2, 2)],
    ['never, of a turn', { perTurn: 1, perDay: 1 }, 'priced', null],
    ['never, of a run', { perRun: 1 }, 'priced', null],
    ['never, without a price', { perDay: 1 }, 'unpriced', null],
    ['when nothing bars it', { perDay: 2 }, 'priced', null],
  ])('%s', (_, budgets, billing, expected) => {
    expect(liftsAt(rules(budgets, billing), spent, 0, 'a.x', NOON)).toBe(expected)
  })

  test('a day of 23 and one of 25 hours end where they end', () => {
    const daily = rules({ perDay: 1, zone: 'Europe/Madrid' })
    expect(liftsAt(daily, spent, 0, 'a.x', Date.UTC(2026, 2, 29, 0, 30))).toBe(Date.UTC(2026, 2, 29, 22))
    expect(liftsAt(daily, spent, 0, 'a.x', Date.UTC(2026, 9, 24, 22, 30))).toBe(Date.UTC(2026, 9, 25, 23))
  })
})

describe('the day of an instant', () => {
  test.each([
    [Date.UTC(2026, 2, 1, 23, 30), 'UTC', '2026-03-01'],
    [Date.UTC(2026, 2, 1, 23, 30), 'Asia/Tokyo', '2026-03-02'],
    [Number.NaN, 'UTC', '1970-01-01'],
    [Number.POSITIVE_INFINITY, 'UTC', '1970-01-01'],
    [1e20, 'UTC', '9999-12-31'],
  ])('%d in %s is %s', (at, zone, expected) => {
    expect(dayOf(at, zone)).toBe(expected)
  })
})
