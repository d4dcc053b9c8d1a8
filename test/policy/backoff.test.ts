import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failure } from '../../src/model/failure.ts'
import { firstBackoff, jittered, nextBackoff } from '../../src/policy/backoff.ts'
import { cooldown, limitMs, statedWaitMs } from '../../src/policy/hold.ts'
import { RELIABILITY } from './walks.ts'

describe('R14 backoff', () => {
  test.each([
    [500, 10_000, 500],
    [50, 10_000, 50],
    [49, 10_000, 50],
    [0, 10_000, 50],
    [20_000, 10_000, 10_000],
    [0, 20, 20],
  ])('a setting of %i below a limit of %i begins with %i', (providerBackoffMs, maxBackoffMs, expected) => {
    expect(firstBackoff({ ...RELIABILITY, providerBackoffMs, maxBackoffMs })).toBe(expected)
  })

  test('doubles after each wait and never passes its limit', () => {
    const ladder = [500]
    for (let step = 0; step < 6; step++) ladder.push(nextBackoff(ladder.at(-1) ?? 0, RELIABILITY))
    expect(ladder).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
  })

  test('without jitter chance is not asked', () => {
    const never = (): never => {
      throw new Error('asked')
    }
    expect(jittered(700, RELIABILITY, never)).toBe(700)
  })

  test.each([
    [0, 800],
    [0.5, 1_000],
    [0.999_999, 1_200],
  ])('a jitter of 0.2 with a chance of %d makes 1000 %i', (chance, expected) => {
    expect(jittered(1_000, { ...RELIABILITY, jitter: 0.2 }, () => chance)).toBe(expected)
  })

  test('with any jitter and any chance it is whole, not negative, within its share and its limit', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 20_000 }), share, chance, (ms, jitter, random) => {
        const moved = jittered(ms, { ...RELIABILITY, jitter, maxBackoffMs: 20_000 }, () => random)
        expect(Number.isInteger(moved)).toBe(true)
        expect(moved).toBeGreaterThanOrEqual(Math.max(0, Math.floor(ms * (1 - jitter))))
        expect(moved).toBeLessThanOrEqual(Math.min(20_000, Math.ceil(ms * (1 + jitter))))
      }),
    )
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 2])('a source of chance that answers %s moves it no further than its share', (broken) => {
    const moved = jittered(1_000, { ...RELIABILITY, jitter: 0.2, maxBackoffMs: 20_000 }, () => broken)
    expect(moved).toBeGreaterThanOrEqual(800)
    expect(moved).toBeLessThanOrEqual(1_200)
  })
})

describe('R15 how long a limit lasts', () => {
  const limited = (more: { retryAfterMs?: number; resetAt?: number }) => failure('rate_limited', 'call', 'x', more)

  test.each([
    ['nothing stated', {}, 10_000, 0],
    ['a retry-after', { retryAfterMs: 2_500 }, 2_500, 2_500],
    ['a retry-after of zero', { retryAfterMs: 0 }, 0, 0],
    ['a reset instant', { resetAt: 8_000 }, 7_000, 7_000],
    ['both: the instant is exacter', { resetAt: 8_000, retryAfterMs: 90_000 }, 7_000, 7_000],
    ['a reset that is past', { resetAt: 10 }, 0, 0],
  ])('%s', (_, more, lasts, stated) => {
    expect(limitMs(limited(more), RELIABILITY, 1_000)).toBe(lasts)
    expect(statedWaitMs(limited(more), 1_000)).toBe(stated)
  })

  test('C43 its reason is cooldown, whatever its length', () => {
    expect(cooldown('a.x#2', 5)).toEqual({ key: 'a.x#2', untilAt: 5, reason: 'cooldown' })
  })
})
