import { expect } from 'vitest'
import { oracle } from '../plan/oracle.ts'
import { factsAgree, identities, moneyAddsUp, textOnce, withinBudgets } from './answer-laws.ts'
import type { WrittenConfig, WrittenTurn } from './arbitraries.ts'
import { type Law, labelOf, ofType, ownOf, turnsOf } from './seen.ts'

/**
 * What must hold of every scenario whatever happens in it. Each law is derived from the rule's words and from what was seen, never by
 * asking the product: the timeline of holds is rebuilt from the facts, visible text from the script, bounds from the settings.
 */
const outcomeEndsTurn: Law = (scenario, played) => {
  for (const { events, outcome, asked } of turnsOf(scenario, played)) {
    expect(ofType(events, 'turn.ended')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('turn.ended')
    expect(outcome.kind).not.toBe('defect')
    expect(events.filter((event) => 'turn' in event && event.turn !== asked.id)).toEqual([])
  }
  expect(played.pending).toBe(0)
}

const termination: Law = (scenario, played) => {
  const { maxInTurnWaitMs } = scenario.config.reliability
  const longestAttemptMs = 200_000
  const turns = turnsOf(scenario, played)
  const allAttempts = turns.reduce((sum, turn) => sum + turn.outcome.attempts.length, 0)
  for (const { outcome, events } of turns) {
    const waits = ofType(events, 'wait.started')
    // A wait is followed by an attempt, or by another wait because some other turn set a later hold.
    expect(waits.length).toBeLessThanOrEqual(2 * allAttempts + 2)
    expect(outcome.endedAt - outcome.startedAt).toBeLessThanOrEqual(outcome.attempts.length * longestAttemptMs + waits.length * maxInTurnWaitMs)
  }
}

const noAttemptOnHeld: Law = (scenario, played) => {
  const until = new Map(Object.entries(scenario.holds).map(([key, hold]) => [key, hold.untilMs]))
  for (const moment of played.moments) {
    if (moment.type !== 'event') continue
    const { event } = moment
    if (event.type === 'hold.set') until.set(event.hold.key, Math.max(event.hold.untilAt, until.get(event.hold.key) ?? 0))
    if (event.type === 'attempt.started') expect(until.get(event.profile) ?? 0, `${event.entry} of ${event.turn}`).toBeLessThanOrEqual(event.at)
  }
}

const holdsNeverShrink: Law = (scenario, played) => {
  const until = new Map(Object.entries(scenario.holds).map(([key, hold]) => [key, hold.untilMs]))
  for (const moment of played.moments) {
    if (moment.type === 'event' && moment.event.type === 'hold.set') {
      const { key, untilAt } = moment.event.hold
      until.set(key, Math.max(untilAt, until.get(key) ?? 0))
    }
    if (moment.type !== 'holds') continue
    const due = [...until].filter(([, at]) => at > moment.at).sort()
    expect(moment.holds.map((hold): [string, number] => [hold.key, hold.untilAt]).sort()).toEqual(due)
  }
}

const noneAfterCommit: Law = (scenario, played) => {
  for (const { events } of turnsOf(scenario, played)) {
    const at = events.findIndex(
      (event) => event.type === 'output.committed' || event.type === 'text' || event.type === 'reasoning' || event.type === 'providerToolCall',
    )
    if (at === -1) continue
    expect(events[at]?.type).toBe('output.committed')
    const later = ofType(events.slice(at), 'attempt.started')
    if (later.length === 0) continue
    // Only a stream that ended in order without an answer may be recovered (R29).
    expect(ofType(events.slice(at), 'attempt.ended')[0]?.result).toBe('empty')
    expect(ofType(events.slice(0, at + 1), 'providerToolCall')).toEqual([])
  }
}

const noneAfterCancel: Law = (_, played) => {
  const cancelled = new Set<string>()
  for (const moment of played.moments) {
    if (moment.type === 'cancel') cancelled.add(moment.turn)
    if (moment.type !== 'event' || !cancelled.has(moment.turn)) continue
    expect(['attempt.started', 'wait.started', 'text', 'draft', 'reasoning', 'answer', 'hold.set']).not.toContain(moment.event.type)
  }
  for (const id of cancelled) {
    const outcome = played.outcomes.get(id)
    const cancelledAt = played.moments.find((moment) => moment.type === 'cancel' && moment.turn === id)?.at ?? 0
    if (outcome === undefined || outcome.endedAt < cancelledAt) continue
    if (outcome.kind !== 'cancelled')
      expect(played.moments.findIndex((moment) => moment.type === 'cancel' && moment.turn === id)).toBeGreaterThan(
        played.moments.findIndex((moment) => moment.type === 'event' && moment.turn === id && moment.event.type === 'turn.ended'),
      )
  }
}

const SIGNALS = ['explain', 'why']

/** R37–R39 for the prompts that the generator knows: the only complex one holds two signals. */
function isLocal(config: WrittenConfig, asked: WrittenTurn): boolean {
  if (config.effortRouting === null || (asked.model !== null && asked.model !== 'auto')) return false
  const prompt = asked.messages.at(-1)?.content ?? ''
  const complex = SIGNALS.every((signal) => prompt.includes(signal))
  return !(complex && config.effortRouting.escalation === 'auto')
}

const onlyAllowed: Law = (scenario, played) => {
  for (const { asked, calls } of turnsOf(scenario, played)) {
    if (!isLocal(scenario.config, asked)) continue
    for (const call of calls) expect(ownOf(scenario.config, labelOf(call.entry)).zone, call.entry).toBe('local')
  }
}

function targetOf(config: WrittenConfig, asked: WrittenTurn): string {
  const hint = asked.model?.startsWith('hint:') === true ? asked.model.slice(5) : null
  const effort = config.effortRouting
  const automatic = effort !== null && (asked.model === null || asked.model === 'auto')
  const chosen = automatic ? (isLocal(config, asked) ? effort.localHint : effort.cloudHint) : hint
  return config.modelRoutes.find((route) => route.hint === chosen)?.modelProvider ?? config.primary
}

function ableEntries(config: WrittenConfig, asked: WrittenTurn, entries: readonly string[]): string[] {
  return entries.filter((entry) => !asked.tools || ownOf(config, labelOf(entry)).capabilities.tools)
}

const planOrder: Law = (scenario, played) => {
  const { config } = scenario
  for (const { asked, events } of turnsOf(scenario, played)) {
    const started = ofType(events, 'turn.started')[0]
    if (started === undefined) continue
    const whole = oracle(config, targetOf(config, asked))
    const expected = isLocal(config, asked) ? whole.filter((entry) => ownOf(config, labelOf(entry)).zone === 'local') : whole
    expect(started.entries).toEqual(expected)
  }
}

/** Without any hold, a walk that does not stream visits entries in plan order, and stays on one until it is done with it. */
const walkInOrder: Law = (scenario, played) => {
  for (const { asked, events, outcome } of turnsOf(scenario, played)) {
    if (played.moments.some((moment) => moment.type === 'event' && moment.event.type === 'hold.set') || Object.keys(scenario.holds).length > 0)
      continue
    if (asked.stream && asked.sinks.length > 0) continue
    const entries = ofType(events, 'turn.started')[0]?.entries ?? []
    const places = outcome.attempts.map((attempt) => entries.indexOf(attempt.entry))
    expect(places).toEqual([...places].sort((left, right) => left - right))
  }
}

const bounded: Law = (scenario, played) => {
  const { config } = scenario
  const each = config.reliability.providerRetries + 1
  for (const { asked, events, outcome } of turnsOf(scenario, played)) {
    const able = ableEntries(config, asked, ofType(events, 'turn.started')[0]?.entries ?? []).length
    const { attempts } = outcome
    const streams = attempts.filter((attempt) => attempt.mode === 'stream')
    const bound = streams.length === 0 ? able * each : 2 + (able - 1) * each
    expect(attempts.length).toBeLessThanOrEqual(bound)
    // R24: opened once, and first of all.
    expect(streams.map((attempt) => attempt.n)).toEqual(streams.length === 0 ? [] : [1])
    const calls = new Map<string, number>()
    for (const attempt of attempts) if (attempt.mode === 'call') calls.set(attempt.entry, (calls.get(attempt.entry) ?? 0) + 1)
    for (const [entry, count] of calls) expect(count, entry).toBeLessThanOrEqual(entry === streams[0]?.entry ? 1 : each)
  }
}

const capable: Law = (scenario, played) => {
  for (const { asked, calls } of turnsOf(scenario, played)) {
    for (const call of calls) {
      const { capabilities } = ownOf(scenario.config, labelOf(call.entry))
      if (asked.tools) expect(capabilities.tools, call.entry).toBe(true)
      if (call.mode === 'stream') expect(capabilities.streaming && (capabilities.toolEvents || !asked.tools), call.entry).toBe(true)
    }
  }
}

const HOPELESS = ['quota_exhausted', 'auth', 'forbidden', 'model_not_found', 'invalid_request', 'tool_schema']

const rejectionsStand: Law = (scenario, played) => {
  for (const { outcome } of turnsOf(scenario, played)) {
    const rejected = new Set<string>()
    for (const attempt of outcome.attempts) {
      expect(rejected.has(attempt.entry), attempt.entry).toBe(false)
      if (attempt.mode === 'call' && HOPELESS.includes(attempt.result ?? '')) rejected.add(attempt.entry)
    }
  }
}

/** R20: the same history is never sent again to an entry that it was too long for. */
const overflowNeverRepeated: Law = (scenario, played) => {
  for (const { outcome, calls } of turnsOf(scenario, played)) {
    const tooLong = new Map<string, number>()
    for (const attempt of outcome.attempts) {
      const call = calls.find((each) => each.n === attempt.n)
      if (call === undefined) continue
      expect(call.messages, `${attempt.entry}, attempt ${attempt.n}`).toBeLessThan(tooLong.get(attempt.entry) ?? Number.POSITIVE_INFINITY)
      if (attempt.result === 'context_window') tooLong.set(attempt.entry, call.messages)
    }
  }
}

const waitsWithinLimits: Law = (scenario, played) => {
  const { providerBackoffMs, maxBackoffMs, maxInTurnWaitMs } = scenario.config.reliability
  const ladder = Array.from({ length: 5 }, (_, step) => Math.min(Math.max(providerBackoffMs, 50) * 2 ** step, maxBackoffMs))
  for (const { events } of turnsOf(scenario, played)) {
    const seen = new Map<string, number>()
    for (const { ms, why, key } of ofType(events, 'wait.started')) {
      expect(ms).toBeGreaterThanOrEqual(0)
      expect(ms).toBeLessThanOrEqual(maxInTurnWaitMs)
      if (why === 'backoff') expect(ladder).toContain(ms)
      if (why === 'backoff') seen.set(key, Math.max(seen.get(key) ?? 0, ms))
    }
  }
}

export const LAWS: readonly (readonly [title: string, law: Law])[] = [
  ['R21 exactly one outcome per turn, last of all, and no wake left behind', outcomeEndsTurn],
  ['R16 R18 every turn ends within a bound that its attempts and waits give', termination],
  ['R18 no attempt on a held entry', noAttemptOnHeld],
  ['R15 holds never shrink, and end exactly at their latest deadline', holdsNeverShrink],
  ['R28 R29 no attempt after the commit, but for a stream that ended empty', noneAfterCommit],
  ['R30 nothing follows a cancel', noneAfterCancel],
  ['R39 no attempt outside the allow-list', onlyAllowed],
  ['R3 the plan is in depth-first order', planOrder],
  ['R13 a walk without holds goes through the plan in order', walkInOrder],
  ['R13 R24 R29 attempts are bounded, in all and on each entry', bounded],
  ['R24 C51 no entry is asked for what it cannot do', capable],
  ['R17 a rejection stands: that entry is not asked again', rejectionsStand],
  ['R20 a history that was too long is never sent there again', overflowNeverRepeated],
  ['R14 R16 every wait is a step of the ladder or a stated one, within the limit', waitsWithinLimits],
  ['R27 R28 forwarded text is the beginning of one attempt, never twice', textOnce],
  ['R34 rows are the attempts, and the cost is their sum', moneyAddsUp],
  ['R34 no attempt that is paid for begins once a budget is used up', withinBudgets],
  ['R33 requested and served stand apart; no answer, no attribution', identities],
  ['R21 facts, failures and outcome tell the same story', factsAgree],
]
