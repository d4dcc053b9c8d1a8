import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/model/outcome.ts'
import type { TurnFact } from '../../src/model/turn-event.ts'
import { channelLog, DIAGNOSTICS_CHANNELS } from '../../src/runtime/channels.ts'
import { processChannel as pageChannel } from '../../src/runtime/process-channels.browser.ts'

const listening: [string, ChannelListener][] = []

/** Everything that comes on a channel from now on. */
function heard(name: string): unknown[] {
  const messages: unknown[] = []
  const listener: ChannelListener = (message) => void messages.push(message)
  subscribe(name, listener)
  listening.push([name, listener])
  return messages
}

afterEach(() => {
  for (const [name, listener] of listening.splice(0)) unsubscribe(name, listener)
})

const TEXT = 'TEXT-CANARY'
const served = { profile: 'a.x', model: 'm1' }
const OUTCOME: Outcome = {
  kind: 'ok',
  text: TEXT,
  reasoning: TEXT,
  toolCalls: [{ id: TEXT, name: TEXT, arguments: TEXT }],
  message: { role: 'assistant', content: TEXT },
  partialText: TEXT,
  requested: served,
  served,
  attempts: [],
  failures: [],
  usage: { input: 1, output: 2 },
  cost: 0.5,
  notice: TEXT,
  retryAt: null,
  attribution: null,
  recoveredFrom: null,
  historyShortened: false,
  unterminated: false,
  error: { code: 'no_model', path: TEXT, message: TEXT, remedy: TEXT },
  startedAt: 10,
  endedAt: 20,
}
const turn = 't1'
const FACTS: readonly TurnFact[] = [
  { type: 'turn.started', turn, at: 10, requested: served, entries: ['a.x/m1'] },
  { type: 'attempt.started', turn, at: 10, n: 1, entry: 'a.x/m1', profile: 'a.x', model: 'm1', mode: 'stream' },
  { type: 'output.committed', turn, at: 11, n: 1 },
  { type: 'hold.set', turn, at: 12, hold: { key: 'a.x', untilAt: 99, reason: 'cooldown' } },
  { type: 'attempt.ended', turn, at: 12, n: 1, entry: 'a.x/m1', result: 'network', accepted: false, usage: null, cost: null },
  { type: 'wait.started', turn, at: 12, ms: 500, why: 'backoff', key: 'a.x' },
  { type: 'turn.ended', turn, at: 20, outcome: OUTCOME },
]

describe('the channels of a process', () => {
  it('carry each fact once, where its kind belongs, with its kernel', () => {
    const [turns, attempts, limits] = [heard('relevo:turn'), heard('relevo:attempt'), heard('relevo:limit')]
    const log = channelLog({ kernel: 'k1' })
    for (const fact of FACTS) log.fact(fact)
    const types = (messages: unknown[]) => messages.map((message) => (message as TurnFact).type)
    expect(types(turns)).toEqual(['turn.started', 'wait.started', 'turn.ended'])
    expect(types(attempts)).toEqual(['attempt.started', 'output.committed', 'attempt.ended'])
    expect(limits).toEqual([{ kernel: 'k1', ...FACTS[3] }])
    expect([...turns, ...attempts].every((message) => (message as { kernel: string }).kernel === 'k1')).toBe(true)
  })

  it('R36 tell the end of a turn without its text', () => {
    const turns = heard(DIAGNOSTICS_CHANNELS.turn)
    channelLog({ kernel: 'k1' }).fact({ type: 'turn.ended', turn, at: 20, outcome: OUTCOME })
    expect(JSON.stringify(turns)).not.toContain(TEXT)
    expect(turns).toMatchObject([{ turn, at: 20, startedAt: 10, kind: 'ok', served, attempts: 0, usage: { input: 1 }, cost: 0.5, error: 'no_model' }])
  })

  it('R21 carry no word of a provider, of an error of a listener or of a defect', () => {
    const all = [heard(DIAGNOSTICS_CHANNELS.turn), heard(DIAGNOSTICS_CHANNELS.attempt), heard(DIAGNOSTICS_CHANNELS.limit)]
    const log = channelLog({ kernel: 'k1' })
    log.attemptFailed(turn, 1, { kind: 'network', phase: 'call', message: TEXT, status: null, code: null, retryAfterMs: null, resetAt: null })
    log.listenerThrew(new Error(TEXT))
    log.defect(turn, new Error(TEXT))
    expect(all).toEqual([[], [], []])
  })

  it('name the participant of a team', () => {
    const turns = heard(DIAGNOSTICS_CHANNELS.turn)
    channelLog({ kernel: 'k1' }).of({ participant: 'ann' }).fact({ type: 'wait.ended', turn, at: 1, cut: false })
    expect(turns).toEqual([{ kernel: 'k1', participant: 'ann', type: 'wait.ended', turn, at: 1, cut: false }])
  })

  it('name the caller, and keep the participant', () => {
    const turns = heard(DIAGNOSTICS_CHANNELS.turn)
    const log = channelLog({ kernel: 'k1' }).of({ participant: 'ann' }).of({ caller: 'web' })
    log.fact({ type: 'wait.ended', turn, at: 1, cut: false })
    expect(turns).toEqual([{ kernel: 'k1', participant: 'ann', caller: 'web', type: 'wait.ended', turn, at: 1, cut: false }])
  })

  it('make nothing without a subscriber', () => {
    const opened: string[] = []
    const fact = new Proxy(FACTS[6] as TurnFact, {
      get: (target, key) => {
        opened.push(String(key))
        return Reflect.get(target, key)
      },
      ownKeys: () => {
        throw new Error('it was copied')
      },
    })
    channelLog({ kernel: 'k1' }).fact(fact)
    expect(opened).toEqual(['type'])
  })

  it('are deaf in a page', () => {
    const channel = pageChannel('relevo:turn')
    const turns = heard('relevo:turn')
    channel.publish({})
    expect(channel.hasSubscribers).toBe(false)
    expect(turns).toEqual([])
  })
})
