import { describe, expect, it } from 'vitest'
import { toldIterations, toldUsage, toldUsd } from '../../../src/runtime/told-usage.ts'
import { HOSTILE } from './rig.ts'

describe('R34 what an engine tells of tokens and money', () => {
  it.each(HOSTILE)('%s is no count, no list, and no money but for a finite number', (_, value) => {
    expect(toldUsage({ input: value, output: 1, audio: 3 })).toEqual({ output: 1 })
    expect(toldUsage(value)).toEqual({})
    expect(toldIterations(value)).toEqual([])
    expect(toldIterations([{ model: 'm1', usage: {} }, value])).toEqual([])
    expect(toldIterations([{ model: 'm1', usage: { input: value, output: 2 } }])).toEqual([{ model: 'm1', usage: { output: 2 } }])
    expect(toldUsd(value)).toBe(typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : null)
  })

  it('what is told as it should be stays, and a count that is 0 is told', () => {
    expect(toldUsage({ input: 0, output: 2, cachedInput: Number.MAX_SAFE_INTEGER })).toEqual({
      input: 0,
      output: 2,
      cachedInput: Number.MAX_SAFE_INTEGER,
    })
    expect([toldUsd(0), toldUsd(1.25)]).toEqual([0, 1.25])
    const iterations = [
      { model: 'm1', usage: { input: 1 } },
      { model: 'm2', usage: { input: 2, output: 3 } },
    ]
    expect(toldIterations(iterations)).toEqual(iterations)
  })

  it('a list of more models than anybody tries is none: each would be a row', () => {
    const list = (length: number) => Array.from({ length }, () => ({ model: 'm1', usage: {} }))
    expect([toldIterations(list(100)).length, toldIterations(list(101)).length]).toEqual([100, 0])
  })

  it('a model or usage that is none makes the list none', () => {
    const fine = { model: 'm1', usage: { input: 1 } }
    for (const broken of [{ model: 7, usage: {} }, { model: 'm2' }, { model: 'm2', usage: null }, { usage: {} }]) {
      expect(toldIterations([fine, broken])).toEqual([])
    }
  })
})
