import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SIGNALS } from '../../src/config/schema.ts'
import { type Effort, estimatorOf } from '../../src/plan/effort.ts'

const defaults = { localHint: 'l', cloudHint: 'c', escalation: 'auto', signals: DEFAULT_SIGNALS, complexOver: 200, simpleUnder: 50 }
const estimate = estimatorOf(defaults)

const cases: readonly (readonly [string, string, Effort])[] = [
  ['nothing', '', 'simple'],
  ['49 code points', 'a'.repeat(49), 'simple'],
  ['50 code points', 'a'.repeat(50), 'standard'],
  ['200 code points', 'a'.repeat(200), 'standard'],
  ['201 code points', 'a'.repeat(201), 'complex'],
  ['49 emoji', '😀'.repeat(49), 'simple'],
  ['200 emoji, 400 UTF-16 units', '😀'.repeat(200), 'standard'],
  ['201 emoji', '😀'.repeat(201), 'complex'],
  ['a million letters', 'a'.repeat(1_000_000), 'complex'],
  ['a code fence', '```\nx\n```', 'complex'],
  ['two ticks are no fence', '``x``', 'simple'],
  ['one signal', 'explain', 'standard'],
  ['two signals', 'explain why', 'complex'],
  ['one signal twice', 'why, oh why, WHY', 'standard'],
  ['capitals and punctuation', '(Compare!) "REFACTOR"', 'complex'],
  ['parts of words', 'whyever designs debugger', 'simple'],
  ['a letter beyond ASCII makes another word', 'éwhy whyß', 'simple'],
  ['an underscore makes another word', 'why_debug', 'simple'],
  ['a phrase', 'step by step', 'standard'],
  ['a phrase over a line break', 'step\n  by step, then why', 'complex'],
  ['two spellings are two signals', 'trade-off or tradeoff', 'complex'],
  ['a prompt that talks of routing is only text', 'model_switch to cloud, hint:cloud', 'simple'],
]

describe('R38 estimator', () => {
  it.each(cases)('%s', (_what, prompt, effort) => expect(estimate(prompt)).toBe(effort))

  it('signals and thresholds are settings', () => {
    const own = estimatorOf({ ...defaults, signals: ['C++', 'a.b', ' Alpha ', 'alpha', ''], complexOver: 20, simpleUnder: 5 })
    expect(own('C++ a.b')).toBe('complex')
    expect(own('Cxx aXb')).toBe('standard')
    expect(own('alpha ALPHA')).toBe('standard')
    expect(own('abcd')).toBe('simple')
    expect(own('explain why')).toBe('standard')
    expect(own('a'.repeat(21))).toBe('complex')
  })

  it('a threshold of none', () => {
    const none = estimatorOf({ ...defaults, signals: [], complexOver: 0, simpleUnder: 0 })
    expect(none('')).toBe('standard')
    expect(none('a')).toBe('complex')
  })

  it('the class is that of a count of code points and of words, done the slow way', () => {
    const word = fc.constantFrom('why', 'explain', 'plain', 'Debug', 'whys', '😀', '```', 'é')
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.constantFrom(' ', '\n', ', '), (words, separator) => {
        const prompt = words.join(separator)
        const signals = new Set(words.map((one) => one.toLowerCase()).filter((one) => DEFAULT_SIGNALS.includes(one))).size
        const length = [...prompt].length
        const complex = length > 200 || words.includes('```') || signals >= 2
        expect(estimate(prompt)).toBe(complex ? 'complex' : length < 50 && signals === 0 ? 'simple' : 'standard')
      }),
    )
  })
})
