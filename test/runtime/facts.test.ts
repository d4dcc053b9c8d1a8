import { describe, expect, test } from 'vitest'
import type { FactListener } from '../../src/runtime/fact-log.ts'
import { type PlayedAttempt, rig } from './rig.ts'

const failsOver = (attempt: PlayedAttempt, n: number): void => (n === 1 ? attempt.fail('rate_limited') : attempt.text('ANSWER-CANARY').final())

describe('the port that is told of facts', () => {
  test('R36 hears each fact of a turn once, in order, before its sinks, with whose turn it is and without its texts', async () => {
    const told: { readonly fact: Parameters<FactListener>[0]; readonly whose: object }[] = []
    const order: string[] = []
    const facts: FactListener = (fact, whose) => {
      told.push({ fact, whose })
      order.push(`told ${fact.type}`)
    }
    const { kernel } = rig({ onAttempt: failsOver, ports: { facts } })
    const event = ({ type }: { readonly type: string }): void => void order.push(`sink ${type}`)
    await kernel.turn({ caller: 'web', prompt: 'PROMPT-CANARY', sinks: { event } }).outcome
    expect(told.map(({ fact: { type } }) => type)).toEqual([
      'turn.started',
      'attempt.started',
      'attempt.ended',
      'attempt.failed',
      'hold.set',
      'recovery.started',
      'attempt.started',
      'attempt.ended',
      'turn.ended',
    ])
    expect(new Set(told.map(({ whose }) => JSON.stringify(whose)))).toEqual(new Set(['{"caller":"web"}']))
    expect(JSON.stringify(told)).not.toContain('CANARY')
    expect(order.indexOf('told turn.started')).toBeLessThan(order.indexOf('sink turn.started'))
    expect(order.indexOf('told turn.ended')).toBeLessThan(order.indexOf('sink turn.ended'))
  })

  test('a listener that throws is reported and costs the turn nothing', async () => {
    const written: string[] = []
    const line = (_: object, message: string): void => void written.push(message)
    const facts: FactListener = () => {
      throw new Error('not today')
    }
    const { kernel } = rig({
      onAttempt: (attempt) => attempt.text('ok').final(),
      ports: { facts, logger: { debug: line, info: line, warn: line, error: line } },
    })
    expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('ok')
    expect(written).toContain('listener.threw')
  })

  test('is told nobody where nobody was named', async () => {
    const whose: object[] = []
    const { kernel } = rig({ onAttempt: (attempt) => attempt.text('ok').final(), ports: { facts: (_, each) => void whose.push(each) } })
    await kernel.turn({ prompt: 'hi' }).outcome
    expect(whose.length).toBeGreaterThan(2)
    expect(whose.every((each) => Object.keys(each).length === 0)).toBe(true)
  })
})
