import { expect } from 'vitest'
import type { WrittenConfig } from './arbitraries.ts'
import type { Played } from './play.ts'
import { type Law, ofType, ownOf, scriptedText, turnsOf } from './seen.ts'

/** What a reader, a ledger and an outcome are told, and that they are told the same (R21, R27, R28, R33, R34). */
export const textOnce: Law = (scenario, played) => {
  for (const { events, outcome, calls } of turnsOf(scenario, played)) {
    const shown = ofType(events, 'text')
      .map((event) => event.text)
      .join('')
    const streamed = calls.find((call) => call.mode === 'stream')
    if (shown !== '') {
      const sources = calls.filter((call) => scriptedText(call.item).startsWith(shown))
      expect(sources.map((call) => call.mode)).toContain('stream')
      // A mark of its own tells the source apart; blanks and letters alone may begin several texts.
      if (/\[\d+\]/.test(shown)) expect(sources).toEqual([streamed])
    }
    const drafts = ofType(events, 'draft').map((event) => event.text)
    for (const [index, draft] of drafts.entries()) expect(draft.startsWith(drafts[index - 1] ?? '')).toBe(true)
    const answered = outcome.kind === 'ok' || outcome.kind === 'incomplete'
    const served = outcome.attempts.at(-1)
    const item = calls.find((call) => call.n === served?.n)?.item
    if (answered) expect(outcome.text).toBe(scriptedText(item))
    if (answered && served?.mode === 'stream' && ofType(events, 'output.committed').length > 0) expect(shown).toBe(outcome.text)
    expect(outcome.partialText).toBe(answered || shown === '' ? null : shown)
  }
}

export const moneyAddsUp: Law = (scenario, played) => {
  const rows = played.ledger
  for (const { outcome, asked, events } of turnsOf(scenario, played)) {
    const own = rows.filter((row) => row.turn === asked.id)
    expect(own.map((row) => [row.n, row.mode, row.outcome, row.accepted, row.endedAt])).toEqual(
      outcome.attempts.map((attempt) => [attempt.n, attempt.mode, attempt.result, attempt.accepted, attempt.endedAt]),
    )
    expect(own.map((row) => row.n)).toEqual(ofType(events, 'attempt.started').map((event) => event.n))
    expect(own.map((row) => row.n)).toEqual(own.map((_, index) => index + 1))
    const billed = own.filter((row) => row.usage !== null)
    for (const row of billed) expectCost(scenario.config, row)
    // Whole pico-USD: the sum is exact, in whatever order.
    const sum = billed.reduce((before, row) => before + (row.costPicoUsd ?? 0), 0)
    expect(outcome.cost).toBe(billed.length === 0 || billed.some((row) => row.cost === null) ? null : sum / 1e12)
  }
  expect(rows.every((row) => row.endedAt !== null)).toBe(true)
}

function expectCost(config: WrittenConfig, row: Played['ledger'][number]): void {
  const rate = ownOf(config, row.profile).price[row.model]
  const { usage } = row
  if (rate === undefined || usage?.input === undefined || usage.output === undefined) {
    expect(row.cost).toBeNull()
    return
  }
  const cached = usage.cachedInput ?? 0
  const dollars = ((usage.input - cached) * rate.input + cached * (rate.cachedInput ?? rate.input) + usage.output * rate.output) / 1_000_000
  expect(Number.isSafeInteger(row.costPicoUsd)).toBe(true)
  expect(row.cost).toBe((row.costPicoUsd ?? 0) / 1e12)
  expect(row.cost).toBeCloseTo(dollars, 12)
  expect(row).toMatchObject({ costBasis: 'metered', price: { source: 'settings', version: null, model: row.model } })
}

const DAY_MS = 86_400_000

/** What had surely been spent when an attempt began is below every bound that its entry has. */
export const withinBudgets: Law = ({ config }, { ledger }) => {
  const { budgets } = config
  if (budgets === null) return
  for (const row of ledger) {
    const { price, zone } = ownOf(config, row.profile)
    const profile = row.profile.split('#')[0] ?? ''
    const isPriced = price[row.model] !== undefined
    if (!isPriced && zone === 'local') continue
    const before = ledger.filter((each) => (each.turn === row.turn ? each.n < row.n : (each.endedAt ?? Number.POSITIVE_INFINITY) < row.startedAt))
    const today = before.filter((each) => Math.floor((each.endedAt ?? 0) / DAY_MS) === Math.floor(row.startedAt / DAY_MS))
    const spent = (rows: typeof ledger): number => rows.reduce((sum, each) => sum + (each.costPicoUsd ?? 0), 0) / 1e12
    const { perTurn, perRun, perDay, perProfile } = budgets
    const own = typeof perProfile === 'number' || perProfile === null ? perProfile : (perProfile[profile] ?? null)
    const bounds: readonly (readonly [number | null, number])[] = [
      [perTurn, spent(before.filter((each) => each.turn === row.turn))],
      [perRun, spent(before)],
      [perDay, spent(today)],
      [own, spent(today.filter((each) => (each.profile.split('#')[0] ?? '') === profile))],
    ]
    for (const [usd, used] of bounds) {
      if (usd === null) continue
      if (!isPriced) expect(budgets.unknownPrice, `${row.turn} ${row.n}`).toBe('ignored')
      expect(used, `${row.turn} ${row.n}`).toBeLessThan(usd)
    }
  }
}

export const identities: Law = (scenario, played) => {
  for (const { outcome, events } of turnsOf(scenario, played)) {
    const answered = outcome.kind === 'ok' || outcome.kind === 'incomplete'
    expect(outcome.attempts.filter((attempt) => attempt.accepted).map((attempt) => attempt.n)).toEqual(answered ? [outcome.attempts.length] : [])
    expect(outcome.served !== null).toBe(answered)
    if (!answered) expect([outcome.attribution, outcome.notice, outcome.recoveredFrom]).toEqual([null, null, null])
    if (!answered) continue
    const entries = ofType(events, 'turn.started')[0]?.entries ?? []
    const later = entries.indexOf(outcome.attempts.at(-1)?.entry ?? '') > 0
    expect(outcome.attribution !== null).toBe(later || outcome.served?.model !== outcome.requested?.model)
    if (outcome.attribution !== null) expect(outcome.attribution).toEqual({ requested: outcome.requested, served: outcome.served })
  }
}

/** What is told twice is told alike: facts, outcome and their order. */
export const factsAgree: Law = (scenario, played) => {
  for (const { outcome, events } of turnsOf(scenario, played)) {
    const told = events.flatMap((event) => (event.type === 'attempt.failed' || event.type === 'entry.skipped' ? [event.event] : []))
    expect(told).toEqual(outcome.failures)
    expect(told.map((event) => event.event)).toEqual(told.map((_, index) => index + 1))
    let open = 0
    for (const event of events) {
      if (event.type === 'attempt.started') expect(++open).toBe(1)
      if (event.type === 'attempt.ended') expect(--open).toBe(0)
      if (event.type === 'attempt.failed') expect(open).toBe(0)
    }
    const waits = events.filter((event) => event.type === 'wait.started' || event.type === 'wait.ended').map((event) => event.type)
    expect(waits).toEqual(waits.map((_, index) => (index % 2 === 0 ? 'wait.started' : 'wait.ended')))
    expect(waits.length % 2).toBe(0)
    if (outcome.kind === 'all_held') expect(outcome.retryAt).toBeGreaterThan(outcome.endedAt)
    else if (outcome.kind === 'budget') expect([null, (Math.floor(outcome.endedAt / DAY_MS) + 1) * DAY_MS]).toContain(outcome.retryAt)
    else expect(outcome.retryAt).toBeNull()
  }
}
