import { describe, expect, test } from 'vitest'
import { KernelSpending } from '../../src/runtime/spending.ts'

const NOON = Date.UTC(2026, 2, 1, 12)
const MIDNIGHT = Date.UTC(2026, 2, 2)

describe('R34 what a day has spent', () => {
  test('is found again by a clock that was set back over midnight, and forward again', () => {
    const spending = new KernelSpending(() => 'UTC', [])
    spending.add('a.x', 5, MIDNIGHT - 1)
    spending.add('a.x', 7, MIDNIGHT)
    expect(spending.spent(0, MIDNIGHT - 1).day).toBe(5)
    spending.add('b.y', 1, MIDNIGHT - 1)
    expect(spending.spent(0, MIDNIGHT).day).toBe(7)
    expect(spending.spent(0, MIDNIGHT - 1)).toMatchObject({
      run: 13,
      day: 6,
      profiles: new Map([
        ['a.x', 5],
        ['b.y', 1],
      ]),
    })
  })

  test('is that of the day of another zone, when a reload names one', () => {
    let zone = 'UTC'
    const spending = new KernelSpending(() => zone, [])
    spending.add('a.x', 5, NOON - 2 * 3_600_000 - 1)
    spending.add('a.x', 7, NOON - 2 * 3_600_000)
    zone = 'Pacific/Kiritimati'
    expect(spending.spent(0, NOON).day).toBe(7)
    zone = 'UTC'
    expect(spending.spent(0, NOON).day).toBe(12)
  })

  test('is kept of the latest hours alone', () => {
    const spending = new KernelSpending(() => 'UTC', [])
    const quarter = 900_000
    for (let at = NOON; at < NOON + 9 * 96 * quarter; at += quarter) spending.add('a.x', 1, at)
    expect(spending.spent(0, NOON).day).toBe(0)
    expect(spending.spent(0, NOON + 8 * 96 * quarter).day).toBe(96)
  })

  test.each([Number.NaN, undefined, null, -1, 1n])('counts nothing of an earlier cost of %s', (cost) => {
    const earlier = [
      { profile: 'a.x', at: NOON, costPicoUsd: cost as number },
      { profile: 'a.x', at: NOON, costPicoUsd: 2 },
    ]
    expect(new KernelSpending(() => 'UTC', earlier).spent(0, NOON)).toMatchObject({ day: 2, profiles: new Map([['a.x', 2]]) })
  })
})
