import { describe, expect, test } from 'vitest'
import { settingFields } from '../../src/config/fields.ts'
import type { EffortRouting } from '../../src/model/settings.ts'
import { estimatorOf } from '../../src/plan/effort.ts'
import { VisibleText } from '../../src/policy/visible.ts'
import { readTree } from '../architecture/source.ts'

/** It takes longer than the world has existed on a hundred letters and a sign, if anybody runs it. */
const SLOW = '^(a+)+$'
const LETTERS = `${'a'.repeat(100)}!`

describe('RE-02 no setting is a pattern', () => {
  test('RE-02 no field of the settings takes one', () => {
    const fields = settingFields()
    expect(fields.length).toBeGreaterThan(50)
    for (const { path, description } of fields)
      expect(`${path.join('.')}: ${description}`).not.toMatch(/regular expression|regex|\bpatterns?\b|\bglob\b/i)
  })

  /** Constants, but for two: words of the settings and secrets, both taken letter by letter. */
  test('RE-02 patterns that are made while relevo runs are made in two places, which take every sign for itself', () => {
    const made = [...readTree(['src', 'machines'])].flatMap(([path, text]) => {
      const inFunction = text.split('\n').filter((line) => /^\s+.*\bRegExp\(/.test(line) && !/^\s+(?:pattern:|\{|new RegExp\()/.test(line))
      return inFunction.length === 0 ? [] : [path]
    })
    expect(made.sort()).toEqual(['src/model/value-finder.ts', 'src/plan/effort.ts'])
  })

  test('RE-02 a signal that looks like one is a word', () => {
    const routing = { signals: [SLOW, '.*'], complexOver: 4000, simpleUnder: 400 } as Partial<EffortRouting> as EffortRouting
    const estimate = estimatorOf(routing)
    expect(estimate(LETTERS)).toBe('simple')
    expect(estimate(`x ${SLOW} x .* x`)).toBe('complex')
  })

  test('RE-02 an end marker that looks like one is a text', () => {
    const visible = (text: string): string => {
      const reader = new VisibleText([SLOW])
      return reader.push(text) + reader.end()
    }
    expect(visible(LETTERS)).toBe(LETTERS)
    expect(visible(`said${SLOW}`)).toBe('said')
  })
})
