import { describe, expect, it } from 'vitest'
import { reduced } from '../../../../src/faces/page/client/reduce.ts'
import { BOUNDS, EMPTY, keyOf, type PageState } from '../../../../src/faces/page/client/state.ts'
import type { PageEvent } from '../../../../src/faces/page/page-event.ts'
import { actor, attemptEnded, attemptStarted, BEGIN, KERNEL, row, sampleEvents, status, TEAM, told } from '../../../browser/page/sample.ts'

const opened: PageEvent = { type: 'page.opened', at: BEGIN, version: 1, title: 'run', showsText: true, team: TEAM, takesOrders: true }

/** Every event by itself, as a slow stream hands them over. */
const oneByOne = (events: readonly PageEvent[]): PageState => events.reduce((state, event) => reduced(state, [event]), EMPTY)

describe('the state of the page', () => {
  const state = reduced(EMPTY, [opened, ...sampleEvents()])

  it('is the same however the events are cut into batches', () => {
    expect(oneByOne([opened, ...sampleEvents()])).toEqual(state)
  })

  it('writes into no state that was handed out', () => {
    const events = sampleEvents()
    const before = reduced(EMPTY, [opened, ...events.slice(0, 8)])
    const copy = structuredClone(before)
    reduced(before, events.slice(8))
    expect(before).toEqual(copy)
  })

  it('has the turn with its attempts, its wait and its commit', () => {
    const turn = state.turns.get(keyOf(KERNEL, 'turn-1'))
    expect(turn).toMatchObject({ kind: 'ok', served: { profile: 'openai.spare' }, startedAt: BEGIN, endedAt: BEGIN + 4_000 })
    expect(turn?.attempts.map(({ n, result, committedAt }) => [n, result, committedAt])).toEqual([
      [1, 'rate_limited', null],
      [2, 'ok', BEGIN + 2_300],
    ])
    expect(turn?.waits).toEqual([{ startedAt: BEGIN + 900, endedAt: BEGIN + 1_700, ms: 800, why: 'backoff', key: 'openai.spare', cut: false }])
    expect(turn?.remarks.map(({ text }) => text)).toEqual(['hold on anthropic.main: limit'])
  })

  it('R34 sums what was told and counts what was not: unknown is never 0', () => {
    const free = row('turn-3', 1, 'claude', 'opus', { output: 7 }, null) as Extract<PageEvent, { type: 'row.closed' }>
    const { sums } = reduced(state, [{ ...free, row: { ...free.row, costBasis: 'subscription' } }])
    expect(sums.get(keyOf('anthropic.main', 'claude-sonnet'))).toMatchObject({
      input: { sum: 0, told: 0, unknown: 1 },
      costPicoUsd: { told: 0, unknown: 1 },
    })
    expect(sums.get(keyOf('openai.spare', 'gpt-5'))).toMatchObject({
      input: { sum: 1_200, told: 1, unknown: 0 },
      costPicoUsd: { sum: 12_300_000_000 },
    })
    const subscribed = sums.get(keyOf('claude', 'opus'))
    expect(subscribed).toMatchObject({ input: { told: 0, unknown: 1 }, output: { sum: 7, told: 1 }, costPicoUsd: { told: 0, unknown: 0 } })
    expect(subscribed?.bases).toEqual({ metered: 0, subscription: 1, unknown: 0 })
  })

  it('knows where an actor was before, and since when it is where it is', () => {
    const engine = state.actors.get(keyOf(KERNEL, 'e:1'))
    expect(engine).toMatchObject({ state: 'limited', before: 'available', event: 'hold.reported', steps: 2, status: 'active' })
    const later = reduced(state, [{ ...actor('e:1', 'engine', 'anthropic.main', 'limited', 'hold.reported'), at: BEGIN + 9_000 }])
    expect(later.actors.get(keyOf(KERNEL, 'e:1'))).toMatchObject({ since: BEGIN + 4_000, before: 'available', steps: 3 })
  })

  it('begins anew with page.opened, so that a stream that comes back tells nothing twice', () => {
    const again = reduced(state, [opened, ...sampleEvents()])
    expect({ ...again, said: null }).toEqual({ ...state, said: null })
  })

  it('takes a team that began later, and says why nothing more comes', () => {
    const late = reduced(EMPTY, [
      { ...opened, team: null },
      { type: 'team.opened', at: BEGIN + 5, ...TEAM },
      { type: 'page.closed', at: BEGIN + 9, why: 'over' },
    ])
    expect([late.opened?.team?.name, late.closed]).toEqual([TEAM.name, 'over'])
  })

  it('lets the clock stand where it was over: what is shown is as it was then, and no countdown goes on', () => {
    const time: PageEvent = { type: 'page.time', at: BEGIN + 6_000, rate: 300 }
    const over = reduced(state, [time, { type: 'page.closed', at: BEGIN + 7_000, why: 'over' }])
    expect(over.clock).toEqual({ at: BEGIN + 7_000, rate: 0 })
    const slow = reduced(state, [time, { type: 'page.closed', at: BEGIN + 7_000, why: 'slow' }])
    expect(slow.clock).toEqual({ at: BEGIN + 6_000, rate: 300 })
  })

  it('names a turn that is used again anew', () => {
    const again = reduced(state, [
      told({ type: 'turn.started', turn: 'turn-1', at: BEGIN + 9_000, requested: { profile: 'a', model: 'm' }, entries: [] }),
    ])
    expect(again.turns.get(keyOf(KERNEL, 'turn-1'))).toMatchObject({ startedAt: BEGIN + 9_000, attempts: [], endedAt: null })
    expect([...again.turns.keys()].at(-1)).toBe(keyOf(KERNEL, 'turn-1'))
  })

  it('says what changed', () => {
    expect(state.said.text).toBe('planner asks for approval')
    expect(
      reduced(state, [
        { type: 'team.told', at: BEGIN, event: { type: 'state.entered', at: BEGIN, state: 'paused' }, status: status({ state: 'paused' }) },
      ]).said.text,
    ).toBe('team: paused')
  })
})

describe('the state of the page is bounded', () => {
  const many = (count: number, event: (index: number) => PageEvent): PageState =>
    reduced(
      EMPTY,
      Array.from({ length: count }, (_, index) => event(index)),
    )

  it('lets the oldest turns go, counts their attempts and keeps the latest', () => {
    const state = many(BOUNDS.attempts + 50, (index) => told(attemptStarted(`turn-${index}`, BEGIN + index, 1, 'a/m')))
    expect(state.attempts).toEqual({ held: BOUNDS.attempts, gone: 50 })
    expect([...state.turns.values()][0]?.turn).toBe('turn-50')
  })

  it('keeps the latest attempts of a turn without end', () => {
    const state = many(BOUNDS.attemptsOfATurn + 5, (index) => told(attemptStarted('turn', BEGIN + index, index + 1, 'a/m')))
    expect(state.turns.get(keyOf(KERNEL, 'turn'))?.attempts[0]?.n).toBe(6)
    expect(state.attempts.held).toBe(BOUNDS.attemptsOfATurn)
    expect(reduced(state, [told(attemptEnded('turn', BEGIN + 9, 1, 'ok'))])).toMatchObject({ attempts: { held: BOUNDS.attemptsOfATurn } })
  })

  it('rows, log, posts, sums and actors', () => {
    const team = { participant: 'planner', engine: 'codex', text: null }
    expect(many(20_000, (index) => row(`t${index}`, 1, 'p', 'm', null, null)).rows.length).toBeLessThanOrEqual(BOUNDS.rows * 1.1)
    expect(many(5_000, (index) => row(`t${index}`, 1, 'p', `m${index}`, null, null)).sums.size).toBeLessThanOrEqual(BOUNDS.sums + 1)
    expect(many(5_000, (index) => ({ type: 'team.logged', at: index, line: `${index}` })).log.length).toBeLessThanOrEqual(BOUNDS.log * 1.1)
    expect(
      many(5_000, (index) => ({ type: 'team.posted', at: index, post: { id: index + 1, at: index, ...team } })).posts.length,
    ).toBeLessThanOrEqual(BOUNDS.posts * 1.1)
    const alive = many(9_000, (index) => actor(`s${index}`, 'turn', `t${index}`, 'streaming', null))
    expect(alive.actors.size).toBe(BOUNDS.actors)
    const over = many(1_000, (index) => actor(`s${index}`, 'turn', `t${index}`, 'served', null, 'done'))
    expect([over.actors.size, over.endedActors.length]).toEqual([BOUNDS.endedActors, BOUNDS.endedActors])
  })

  it('names that mean something to a script are names here', () => {
    const state = reduced(EMPTY, [
      actor('__proto__', '__proto__', 'constructor', 'toString', null),
      row('__proto__', 1, '__proto__', 'constructor', null, null),
    ])
    expect([state.actors.size, state.sums.size, Object.hasOwn(Object.prototype, 'polluted')]).toEqual([1, 1, false])
  })
})
