import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrapped } from '../../src/faces/cli/wrap.ts'

describe('lines for a terminal', () => {
  it('a fact goes on under its own text', () => {
    const line = '  0.749 s  recover   nothing was shown yet: the call is made again, without streaming'
    expect(wrapped(line, 60)).toBe(`  0.749 s  recover   nothing was shown yet: the call is made
                     again, without streaming`)
  })

  it('content goes on behind its bar', () => {
    expect(wrapped(`${' '.repeat(21)}│ "one two three four"`, 40)).toBe(`${' '.repeat(21)}│ "one two three\n${' '.repeat(23)}four"`)
  })

  it('a rule is cut, and a word that is wider than the line stays whole', () => {
    expect(wrapped(`── act ${'─'.repeat(73)}`, 50)).toBe(`── act ${'─'.repeat(43)}`)
    const word = 'x'.repeat(60)
    expect(wrapped(`some ${word} b`, 50)).toBe(`some\n  ${word}\n  b`)
  })

  it('without a terminal, or on one that is too narrow to read, nothing is changed', () => {
    const line = 'word '.repeat(40)
    expect(wrapped(line, null)).toBe(line)
    expect(wrapped(line, 30)).toBe(line)
  })

  it('loses no word and widens no line', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 40, max: 120 }), (words, columns) => {
        const text = wrapped(words.join(' '), columns)
        expect(text.split(/\s+/)).toEqual(words)
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
      }),
    )
  })
})
