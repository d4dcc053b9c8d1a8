import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeldText } from '../../../../src/engines/cli/gemini-cli/held-text.ts'
import { filledWith, growth, STEEPEST } from '../../http/growth.ts'

const heldOf = (pieces: readonly string[], pauseMs: number) => {
  const held = new HeldText()
  pieces.forEach((piece, index) => {
    held.add(piece, index * pauseMs)
  })
  return held
}

describe('HeldText', () => {
  it('1: an answer that broke off in a word, behind eight characters or more, and is said again is begun twice, in whatever pieces it comes', () => {
    const words = 'The quick brown fox jumps over a lazy dog'
    const cuts = [...words.matchAll(/\w(?=\w)/g)].map(({ index }) => index + 1).filter((cut) => cut >= 8)
    fc.assert(
      fc.property(fc.constantFrom(...cuts), fc.array(fc.nat(words.length)), (cut, more) => {
        const held = new HeldText()
        held.add(words.slice(0, cut), 0)
        const offsets = [0, ...new Set(more), words.length].toSorted((a, b) => a - b)
        for (const [index, from] of offsets.entries()) held.add(words.slice(from, offsets[index + 1] ?? words.length), 1_000 + index)
        expect([held.whole, held.isBegunTwice]).toEqual([words.slice(0, cut) + words, true])
      }),
    )
  })

  it('2: an answer whose pieces are never its beginning is its own, whatever its pauses', () => {
    const piece = fc.stringMatching(/^[b-z .]{1,12}$/)
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(heldOf(['A beginning', ...pieces], 2_000).isBegunTwice).toBe(false)
      }),
    )
  })

  it('3: takes the time of the length of the text, also when every piece comes behind a pause', () => {
    const read = (text: string) => heldOf(text.match(/.{1,16}/gs) ?? [], 1_000).isBegunTwice
    for (const unit of ['a', 'Hello from me', 'Sixteen letters.']) expect(growth(filledWith(unit), read), unit).toBeLessThan(STEEPEST)
  })
})
