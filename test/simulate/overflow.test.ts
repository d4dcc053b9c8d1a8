import { describe, expect, test } from 'vitest'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { readScenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { LONE, rig, settle, TWO, watch } from '../runtime/rig.ts'

const OVERFLOW = { http: 400, body: { error: { code: 'context_length_exceeded', message: 'too long' } } }
const HISTORY = ['one', 'two', 'three', 'four', 'five'].map((content, at) => ({
  role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content,
}))

async function turnOf(held: string, script: object) {
  const read = readScenario({
    format: 1,
    kind: 'calls',
    id: 'overflow',
    config: { ...TWO, reliability: { providerRetries: 0 } },
    holds: { [held]: { untilMs: 1_000, reason: 'cooldown' } },
    script,
    steps: [{ atMs: 0, turn: { id: 't1', messages: HISTORY } }],
  })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  const { trace } = await simulate(read.scenario)
  return trace.turns[0]
}

describe('R20 C11 C49 an overflow with its entry spent', () => {
  test.each([
    ['behind it', 'b.y', { 'a.x/m1': { call: [OVERFLOW] }, 'b.y/m2': { call: [{ ok: 'hi' }] } }],
    ['before it', 'a.x', { 'a.x/m1': { call: [{ ok: 'hi' }] }, 'b.y/m2': { call: [OVERFLOW] } }],
  ])('waits for the entry %s that is held and near, and gives it the shortened history', async (_, held, script) => {
    const turn = await turnOf(held, script)
    expect(turn?.waits).toEqual([{ atMs: 0, ms: 1_000, why: 'hold' }])
    expect(turn?.outcome).toMatchObject({ kind: 'ok', text: 'hi', historyShortened: true, atMs: 1_000 })
  })
})

describe('R20 a shortening is told', () => {
  const overflowing = async (config: typeof TWO): Promise<TurnEvent[]> => {
    const { kernel } = rig({
      config: { ...config, reliability: { providerRetries: 0 } },
      onAttempt: (attempt, number) => (number === 1 ? attempt.fail('context_window') : attempt.text('hi').final()),
    })
    const { turn, events } = watch(kernel, { messages: HISTORY, sinks: [] })
    await turn.outcome
    await settle()
    return events
  }

  test('when it is sent, before the attempt that sends it', async () => {
    const told = (await overflowing(TWO)).map((event) => event.type)
    expect(told.indexOf('history.shortened')).toBe(told.lastIndexOf('attempt.started') - 1)
  })

  test('not where nobody is asked again', async () => {
    const events = await overflowing(LONE)
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: { kind: 'context_window' } })
    expect(events.map((event) => event.type)).not.toContain('history.shortened')
  })
})
