import { describe, expect, test } from 'vitest'
import { outageAfter } from '../../../src/policy/team/outage.ts'
import { EMPTY_REGISTER, freeAt, isFree, isLimited, isOut, lifted, reached, withLimit, withOutage } from '../../../src/policy/team/register.ts'
import { entry, known } from './team.ts'

const MINUTE = 60_000
const NOW = 1_000_000

describe('T6 T18 whose a limit and an outage are', () => {
  const limited = withLimit(EMPTY_REGISTER, entry('claude'), { resetAt: NOW + 5 }, NOW)
  const out = withOutage(EMPTY_REGISTER, entry('claude:haiku'), NOW)

  test.each([
    ['claude', true, true],
    ['claude:haiku', false, true],
    ['codex', false, false],
  ])('%s: limited %j, out of reach %j', (engine, isLimitedToo, isOutToo) => {
    expect(isLimited(limited, entry(engine))).toBe(isLimitedToo)
    expect(isOut(out, entry(engine))).toBe(isOutToo)
    expect(isFree(limited, entry(engine))).toBe(!isLimitedToo)
    expect(isFree(out, entry(engine))).toBe(!isOutToo)
  })
})

describe('T5 G13–G16 how long', () => {
  test.each([
    ['claude', null, 60 * MINUTE, false],
    ['claude:haiku', null, 60 * MINUTE, false],
    ['claude.main', null, 60 * MINUTE, false],
    ['codex', null, 30 * MINUTE, false],
    ['anthropic.prod', null, 30 * MINUTE, false],
    ['claude', NOW, MINUTE, false],
    ['claude', NOW - 5, MINUTE, false],
    ['claude', NOW + 1, 1, true],
  ])('%s, reset %j', (engine, resetAt, ms, stated) => {
    expect(withLimit(EMPTY_REGISTER, entry(engine), { resetAt }, NOW).limits.get(engine)).toEqual({ untilAt: NOW + ms, stated })
  })

  test.each([
    ['a reset that comes sooner', NOW + 1, 5_000, false],
    ['a reset that is later is waited for', NOW + 9_000, 9_000, true],
    ['without a reset', null, 60 * MINUTE, false],
  ])('G14 the brake of 5 s: %s', (_, resetAt, ms, stated) => {
    expect(withLimit(EMPTY_REGISTER, entry('claude'), { resetAt }, NOW, 5_000).limits.get('claude')).toEqual({ untilAt: NOW + ms, stated })
  })

  test('T18 1, 2, 4, 8, then 15 minutes each', () => {
    let outage = outageAfter(undefined, 0)
    const waits = [outage.untilAt]
    for (let tries = 2; tries <= 7; tries++) {
      outage = outageAfter(outage, 0)
      waits.push(outage.untilAt)
    }
    expect(waits.map((ms) => ms / MINUTE)).toEqual([1, 2, 4, 8, 15, 15, 15])
  })
})

describe('T15 G24 lifting', () => {
  const register = known({ limits: { claude: NOW, codex: NOW + 1 }, outages: { agy: NOW, m: NOW + 1 } })

  test('what has passed is lifted by a turn that starts, and by nothing else', () => {
    expect(isLimited(register, entry('claude'))).toBe(true)
    const after = lifted(register, NOW)
    expect(['claude', 'codex'].map((engine) => isLimited(after, entry(engine)))).toEqual([false, true])
    expect(['agy', 'm'].map((engine) => isOut(after, entry(engine)))).toEqual([false, true])
  })

  test('T18 an outage that may be tried is remembered until the provider was reached', () => {
    const tried = withOutage(lifted(register, NOW), entry('agy'), NOW)
    expect(tried.outages.get('agy')).toEqual({ tries: 2, untilAt: NOW + 2 * MINUTE, out: true })
    expect(reached(tried, entry('agy:pro')).outages.has('agy')).toBe(false)
    expect(reached(tried, entry('claude'))).toBe(tried)
  })
})

describe('G09 when an entry can be tried again', () => {
  test.each([
    [{ limits: { claude: 50 } }, { at: 50, by: 'reset' }],
    [{ outages: { claude: 50 } }, { at: 50, by: 'probe' }],
    [
      { limits: { claude: 50 }, outages: { claude: 60 } },
      { at: 60, by: 'probe' },
    ],
    [
      { limits: { claude: 70 }, outages: { claude: 60 } },
      { at: 70, by: 'reset' },
    ],
    [
      { limits: { claude: 60 }, outages: { claude: 60 } },
      { at: 60, by: 'reset' },
    ],
  ])('%j: %j', (what, expected) => {
    expect(freeAt(known(what), entry('claude'))).toEqual(expected)
  })
})
