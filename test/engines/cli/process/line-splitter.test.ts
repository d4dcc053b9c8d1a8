import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineSplitter } from '../../../../src/engines/cli/process/line-splitter.ts'

const WIDE = { maxLineBytes: 1_000_000, maxBytes: 1_000_000 }

function split(chunks: readonly Uint8Array[], bounds = WIDE): { lines: string[]; broken: string | null } {
  const lines: string[] = []
  const splitter = new LineSplitter((text) => void lines.push(text), bounds)
  let broken: string | null = null
  for (const chunk of chunks) broken ??= splitter.push(Buffer.from(chunk))
  splitter.end()
  return { lines, broken }
}

const bytes = (text: string): Buffer => Buffer.from(text)

describe('lines out of bytes', () => {
  test.each([
    ['nothing', '', []],
    ['an empty line', '\n', ['']],
    ['no end', 'a', ['a']],
    ['an end', 'a\n', ['a']],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['a CR that is none of an end', 'a\rb\n\r\r\n', ['a\rb', '\r']],
    ['a CR at the end of all', 'a\r', ['a']],
    ['other ends of lines, which are none (cli-engines.md §5)', 'a\u0085b\u2028c\u2029d\vx\fy\n', ['a\u0085b\u2028c\u2029d\vx\fy']],
    ['a BOM', '\uFEFFa\n\uFEFFb', ['a', '\uFEFFb']],
    ['NUL', '\0\n', ['\0']],
  ])('%s', (_, text, lines) => {
    expect(split([bytes(text)]).lines).toEqual(lines)
    expect(split([...bytes(text)].map((byte) => Buffer.of(byte))).lines).toEqual(lines)
  })

  test('whatever the bytes and wherever they are cut, the text is that of a streaming decoder', () => {
    const special = fc.constantFrom(0x0a, 0x0d, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbb, 0xbf, 0xff, 0xed)
    const anyBytes = fc.array(fc.oneof(special, fc.integer({ min: 0, max: 255 })), { maxLength: 60 })
    fc.assert(
      fc.property(fc.array(anyBytes, { maxLength: 6 }), (chunks) => {
        const text = new TextDecoder().decode(Uint8Array.from(chunks.flat()))
        const expected = text.split('\n').map((line) => line.replace(/\r$/, ''))
        if (text === '' || text.endsWith('\n')) expected.pop()
        // A BOM alone is text without a character, and bytes that are a line.
        const nothing = text === '' && chunks.flat().length > 0 ? [''] : []
        expect(split(chunks.map((chunk) => Uint8Array.from(chunk))).lines).toEqual(text === '' ? nothing : expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('bounds', () => {
  test('a line of as many bytes as are allowed is one; one byte more breaks the bound, however it comes', () => {
    const bounds = { maxLineBytes: 4, maxBytes: 100 }
    for (const cut of [0, 1, 2, 3, 4, 5]) {
      const pieces = (text: string): Buffer[] => [bytes(text.slice(0, cut)), bytes(text.slice(cut))]
      expect(split(pieces('abcd\nxy'), bounds)).toEqual({ lines: ['abcd', 'xy'], broken: null })
      expect(split(pieces('abcde\nxy'), bounds)).toEqual({ lines: [], broken: 'endless_line' })
      expect(split(pieces('a\nabcde'), bounds)).toEqual({ lines: ['a'], broken: 'endless_line' })
    }
  })

  test('it is bytes that are counted', () => {
    expect(split([bytes('éé\n')], { maxLineBytes: 4, maxBytes: 100 }).lines).toEqual(['éé'])
    expect(split([bytes('éé\n')], { maxLineBytes: 3, maxBytes: 100 }).broken).toBe('endless_line')
  })

  test('of all bytes together: lines that end within it are told, what is past it is not', () => {
    const bounds = { maxLineBytes: 10, maxBytes: 6 }
    expect(split([bytes('ab\ncd\n')], bounds)).toEqual({ lines: ['ab', 'cd'], broken: null })
    expect(split([bytes('ab\ncd\ne')], bounds)).toEqual({ lines: ['ab', 'cd'], broken: 'too_much' })
    expect(split([bytes('ab\n'), bytes('cd\n'), bytes('\n')], bounds)).toEqual({ lines: ['ab', 'cd'], broken: 'too_much' })
    expect(split([bytes('ab\ncdefg\n')], bounds)).toEqual({ lines: ['ab'], broken: 'too_much' })
  })

  test('after one is broken nothing is told, not what was held either', () => {
    const lines: string[] = []
    const splitter = new LineSplitter((text) => void lines.push(text), { maxLineBytes: 3, maxBytes: 100 })
    expect(splitter.push(bytes('ab'))).toBe(null)
    expect(splitter.push(bytes('cdef'))).toBe('endless_line')
    expect(splitter.push(bytes('\nx\n'))).toBe(null)
    splitter.end()
    expect(lines).toEqual([])
  })

  test('platform.md §5: a line in a million pieces costs its bytes and a moment', () => {
    const piece = Buffer.of(120)
    let length = 0
    const splitter = new LineSplitter((text) => {
      length = text.length
    })
    const startedAt = performance.now()
    for (let n = 0; n < 1_000_000; n++) splitter.push(piece)
    splitter.push(Buffer.of(10))
    expect(length).toBe(1_000_000)
    // About 0.1 s; copying it anew with each piece would be 10^12 bytes.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})
