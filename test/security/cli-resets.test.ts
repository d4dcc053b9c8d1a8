import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readNotice } from '../../src/engines/cli/notice/read-notice.ts'
import { noticeFailure } from '../../src/engines/cli/notice-failure.ts'
import { NOTICE_PROVIDERS, type NoticeProvider } from '../../src/model/notice.ts'
import { LIMIT_WAITS, limitUntil } from '../../src/policy/limit.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'

const NOW = Date.UTC(2026, 9, 9, 10)
const FARTHEST = (40 * 24 + 1) * 3_600_000
const FAMILY = { claude: 'claude', codex: 'codex', agy: 'agy', gemini: 'gemini-cli' } as const

/** A run of the program that ends on a limit with this reset in its words, or in a field. */
const WORDED: Readonly<Record<NoticeProvider, (reset: string) => string>> = {
  claude: (reset) => `You've hit your limit · resets ${reset}`,
  codex: (reset) => `You've hit your usage limit. Try again in ${reset}.`,
  agy: (reset) => `Individual quota reached. Resets in ${reset}.`,
  gemini: (reset) => `You have exhausted your daily quota on this model. Try again in ${reset}.`,
}

const heard = (provider: NoticeProvider, raw: string, channel: 'stderr' | 'stdout-ndjson') =>
  readNotice({ provider, channel, raw, exitCode: 1, now: NOW, zone: 'UTC', killed: false })

const standing = (resetsAt: unknown) =>
  [
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour', resetsAt } },
    { type: 'result', subtype: 'success', is_error: true, result: "You've hit your limit" },
  ]
    .map((event) => JSON.stringify(event))
    .join('\n')

function untilOf(provider: NoticeProvider, notice: ReturnType<typeof heard>): number {
  const run = { program: provider, phase: 'call', exitCode: 1, signal: null, answered: false, now: NOW } as const
  const { limit, resetAt } = noticeFailure(notice, run)
  if (limit === undefined) throw new Error(`no limit: ${notice.kind}`)
  return limitUntil({ limit, resetAt }, FAMILY[provider], NOW)
}

const defaultUntil = (provider: NoticeProvider) => NOW + (provider === 'claude' ? LIMIT_WAITS.claudeMs : LIMIT_WAITS.otherMs)

describe('LIMIT-07 a reset that is no reset', () => {
  const UNREADABLE = [
    '99999h',
    '1e12',
    '-3h',
    'NaN',
    'Infinity hours',
    `${'9'.repeat(400)}h`,
    'Dec 31, 9999',
    '9999-12-31T00:00:00Z',
    '41 days',
    '40d1h1s',
  ]
  test.each(NOTICE_PROVIDERS.flatMap((provider) => UNREADABLE.map((reset) => [provider, reset] as const)))(
    'LIMIT-07 %s: `resets %s` is a limit with the default wait',
    (provider, reset) => {
      const notice = heard(provider, WORDED[provider](reset), 'stderr')
      expect(notice).toMatchObject({ kind: 'limit_no_reset', resetAt: null })
      expect(untilOf(provider, notice)).toBe(defaultUntil(provider))
    },
  )

  test.each([253_402_214_400, 253_402_214_400_000, '9999-12-31T00:00:00Z', -1, 1e300, '1e12', null, (NOW + FARTHEST) / 1000 + 1])(
    'LIMIT-07 a field %j is no reset, and one that is too far ahead is said to be',
    (resetsAt) => {
      const notice = heard('claude', standing(resetsAt), 'stdout-ndjson')
      expect(notice).toMatchObject({ kind: 'limit_no_reset', resetAt: null })
      expect(untilOf('claude', notice)).toBe(defaultUntil('claude'))
      const isInstant =
        typeof resetsAt === 'number' ? resetsAt > 1e9 && resetsAt < 1e14 && !(resetsAt > 1e11 && resetsAt < 1e12) : resetsAt?.includes('-') === true
      expect(notice.words.endsWith('(it states a reset that is too far ahead to be believed)')).toBe(isInstant)
    },
  )

  test('LIMIT-07 40 days and an hour ahead still is one', () => {
    const at = NOW + FARTHEST
    expect(heard('claude', standing(at / 1000), 'stdout-ndjson')).toMatchObject({ kind: 'limit_reset', resetAt: at })
    expect(heard('codex', WORDED.codex('40d1h'), 'stderr')).toMatchObject({ kind: 'limit_reset', resetAt: at })
  })

  test('LIMIT-07 a sleep that is announced for years is a limit without a reset', () => {
    const notice = heard('gemini', 'Attempt 1 failed: quota. Retrying after 999999999999ms...', 'stderr')
    expect(notice).toMatchObject({ kind: 'limit_no_reset', resetAt: null })
  })

  test('LIMIT-07 whatever number is stated, nobody is held for more than 40 days and an hour, nor past', () => {
    const stated = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.bigInt().map(String),
      fc.tuple(fc.nat(), fc.constantFrom('h', ' days', 'ms', 'w')).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(fc.constantFrom(...NOTICE_PROVIDERS), stated, (provider, value) => {
        for (const notice of [heard(provider, WORDED[provider](String(value)), 'stderr'), heard('claude', standing(value), 'stdout-ndjson')]) {
          if (notice.resetAt !== null) expect(notice.resetAt - NOW).toBeLessThanOrEqual(FARTHEST)
          const until = notice.kind === 'throttle' ? NOW + 1 : untilOf(notice.scope === 'five_hour' ? 'claude' : provider, notice)
          expect(until > NOW && until <= NOW + FARTHEST).toBe(true)
        }
      }),
    )
  })
})

test('LIMIT-07 a wake farther away than a timer reaches is waited for in legs, and does not come at once', () => {
  let now = 0
  const legs: { readonly ms: number; readonly fire: () => void }[] = []
  const setTimer = (ms: number, fire: () => void) => {
    legs.push({ ms, fire })
    return { clear() {}, keepAlive() {} }
  }
  const clock = systemClock({ now: () => now, elapsedMs: () => now, setTimer })
  const wakes: number[] = []
  clock.wakeAt(40 * 24 * 3_600_000, () => void wakes.push(now))
  for (let leg = 0; wakes.length === 0 && leg < 100_000; leg++) {
    now += legs[leg]?.ms ?? 0
    legs[leg]?.fire()
  }
  expect(wakes).toEqual([40 * 24 * 3_600_000])
  expect(legs.length).toBeGreaterThan(1)
  for (const { ms } of legs) expect(ms > 0 && ms < 2 ** 31 - 1).toBe(true)
})
