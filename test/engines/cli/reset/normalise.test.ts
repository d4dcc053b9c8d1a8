import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalised } from '../../../../src/engines/cli/reset/normalise.ts'
import { readReset } from '../../../../src/engines/cli/reset/read-reset.ts'
import { filledWith, growth, STEEPEST } from '../../http/growth.ts'

const ESCAPE = '\u001b'

describe('cli-engines.md §6 text is normalised before it is read', () => {
  it.each([
    ['colours', `${ESCAPE}[31m${ESCAPE}[1mYou${ESCAPE}[38;2;1;2;3m've${ESCAPE}[0m`, "You've"],
    ['erasing', `a${ESCAPE}[2K${ESCAPE}[Jb`, 'ab'],
    ['modes', `${ESCAPE}[?25la${ESCAPE}[?2004hb`, 'ab'],
    ['moves that stand for spaces', `You${ESCAPE}[1Chit${ESCAPE}[2;5Hit${ESCAPE}[1Bdown`, 'You hit it down'],
    ['a one-character introducer', '\u009b31ma\u009b0mb', 'ab'],
    ['a title that a bell ends', `${ESCAPE}]0;resets 3pm\u0007a`, 'a'],
    ['a link', `${ESCAPE}]8;;https://x.test/a${ESCAPE}\\click${ESCAPE}]8;;${ESCAPE}\\ here`, 'click here'],
    ['a device string', `a${ESCAPE}P1$r0m${ESCAPE}\\b`, 'ab'],
    ['a character set', `${ESCAPE}(Ba${ESCAPE})0b`, 'ab'],
    ['a title that never ends', `${ESCAPE}]0;resets 3pm`, '0;resets 3pm'],
    ['a sequence that is cut', `a${ESCAPE}[31`, 'a31'],
    ['an escape alone at the end', `a${ESCAPE}`, 'a'],
    ['a bell and other controls', 'a\u0007b\u0000c\u007fd\u0080e', 'abcde'],
    ['curly quotes', '\u2018You\u2019ve\u2019 \u201chit\u201d', "'You've' \"hit\""],
    ['no-break spaces', 'a\u00a0b\u202fc\u2007d\u3000e', 'a b c d e'],
    ['lines', '  a\r\n\r\n   b\tc\u0085d\u2028e\n', 'a b c d e'],
    ['marks of direction, joiners, a byte order mark', '\ufeff\u200ea\u200bb\u202ac\u2060d', 'abcd'],
    ['nothing', '', ''],
    ['nothing but space', ' \r\n\t ', ''],
    ['anything else as it is', '⚠ ⎿ │ 🖐 · ∙ … – é 日本', '⚠ ⎿ │ 🖐 · ∙ … – é 日本'],
  ])('%s', (_what, text, expected) => expect(normalised(text)).toBe(expected))

  const piece = fc.constantFrom(
    ESCAPE,
    '[',
    ']',
    '\u009b',
    '\u009c',
    '\u0007',
    '\\',
    '3',
    '1m',
    ';',
    ' ',
    '\u00a0',
    '\u2019',
    '\u200b',
    '\n',
    'P',
    '(',
    'B',
    'a',
    '\ud83d',
  )
  const printed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  )

  it('twice is once, and no code, double space or edge space is left', () => {
    fc.assert(
      fc.property(printed, (text) => {
        const once = normalised(text)
        expect(normalised(once)).toBe(once)
        expect(once).not.toMatch(/\p{Cc}|\s\s|^\s|\s$|[^\S ]/u)
      }),
      { numRuns: 1000 },
    )
  })

  const NOTICES = [
    "You've hit your weekly limit · resets Dec 4, 1:16am (Europe/Madrid)",
    "You've hit your session limit · resets 3:45 PM (Asia/Kolkata)",
    "You've hit your usage limit. Upgrade to Pro (https://x.test/pro) or try again in 5 days 22 hours 11 minutes.",
    "You've hit your usage limit. To get more, send a request to your admin or try again at Dec 4th, 2026 12:04 AM.",
    'Individual quota reached. Please upgrade your subscription. Resets in 143h57m55s.',
    'Claude AI usage limit reached|1796364971',
  ]
  const view = { now: Date.UTC(2026, 10, 30, 6), zone: 'America/New_York' }

  it('T4 colours anywhere, wrapping at any width, curly quotes and odd spaces change no reset', () => {
    const painted = fc.record({
      notice: fc.constantFrom(...NOTICES),
      width: fc.integer({ min: 1, max: 120 }),
      lineEnd: fc.constantFrom('\n', '\r\n', '\n     ', ' \n⁠ '),
      space: fc.constantFrom(' ', '\u00a0', '\u202f', `${ESCAPE}[1C`, '  '),
      codes: fc.array(fc.tuple(fc.nat(150), fc.constantFrom('[31m', '[0m', '[1;38;5;9m', ']0;title\u0007', '(B')), { maxLength: 6 }),
    })
    fc.assert(
      fc.property(painted, ({ notice, width, lineEnd, space, codes }) => {
        const expected = readReset(notice, view)
        expect(expected).not.toBeNull()
        const wrapped = wrap(notice.replaceAll("'", '\u2019').split(' '), width, space, lineEnd)
        const places = [...codes].sort(([one], [other]) => other - one)
        const text = places.reduce((done, [at, code]) => insertBetween(done, at, ESCAPE + code), wrapped)
        expect(readReset(normalised(text), view)).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  function wrap(words: readonly string[], width: number, space: string, lineEnd: string): string {
    const lines = ['']
    for (const word of words) {
      const line = lines.at(-1) ?? ''
      if (line === '') lines[lines.length - 1] = word
      else if (line.length + word.length < width) lines[lines.length - 1] = line + space + word
      else lines.push(word)
    }
    return lines.join(lineEnd)
  }

  /** Where no code stands already: one inside another is no code. */
  function insertBetween(text: string, at: number, code: string): string {
    const before = text.slice(0, at)
    return before.includes(ESCAPE) ? code + text : before + code + text.slice(at)
  }

  it.each([
    ['escapes', ESCAPE],
    ['open sequences', `${ESCAPE}[`],
    ['sequences that never end', `${ESCAPE}[0;1 `],
    ['one sequence that never ends', '0;'],
    ['open titles', `${ESCAPE}]x`],
    ['spaces', ' '],
    ['lines', ' \n'],
    ['quotes', '\u2019'],
    ['joiners', '\u200b'],
  ])('takes the time of its length: %s', (_what, text) => {
    expect(growth(filledWith(text), normalised)).toBeLessThan(STEEPEST)
    expect(growth((length) => `${ESCAPE}[${filledWith(text)(length)}`, normalised)).toBeLessThan(STEEPEST)
    expect(growth((length) => `${ESCAPE}]${filledWith(text)(length)}`, normalised)).toBeLessThan(STEEPEST)
  })
})
