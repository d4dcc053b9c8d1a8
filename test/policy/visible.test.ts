import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAnswer, VisibleText } from '../../src/policy/visible.ts'

const MARKERS = ['<eom>', '<|eom|>']

function inChunks(chunks: readonly string[], markers: readonly string[]): string {
  const filter = new VisibleText(markers)
  let visible = ''
  for (const chunk of chunks) visible += filter.push(chunk)
  return visible + filter.end()
}

const visibleText = (text: string, markers: readonly string[]): string => inChunks([text], markers)

describe('R27 visible text', () => {
  test.each([
    ['plain text stays', 'hello', 'hello'],
    ['a think block is hidden', 'a<think>secret</think>b', 'ab'],
    ['an unclosed tag hides the rest', 'a<think>secret', 'a'],
    ['a second block is hidden too', '<think>x</think>a<think>y</think>b', 'ab'],
    ['a block ends at the first closing tag', '<think>a<think>b</think>c</think>d', 'c</think>d'],
    ['a closing tag alone is text', 'a</think>b', 'a</think>b'],
    ['a beginning of a tag that is none is text', '<thin', '<thin'],
    ['an end marker is cut out', 'a<eom>b', 'ab'],
    ['the other end marker is cut out', 'a<|eom|>', 'a'],
    ['a marker inside a think block is hidden with it', '<think><eom></think>a', 'a'],
    ['what remains after a marker is not read again', '<eo<eom>m>', '<eom>'],
    ['case counts', '<THINK>a</THINK>', '<THINK>a</THINK>'],
    ['blanks stay', ' \n ', ' \n '],
  ])('%s', (_, text, visible) => {
    expect(visibleText(text, MARKERS)).toBe(visible)
  })

  test('markers are a setting', () => {
    expect(visibleText('a<eom>b[[END]]c', ['[[END]]'])).toBe('a<eom>bc')
    expect(visibleText('a<eom>b', [])).toBe('a<eom>b')
    expect(visibleText('a', [''])).toBe('a')
  })

  test('of two markers at one place the longer counts', () => {
    expect(visibleText('a<end>>b', ['<end>', '<end>>'])).toBe('ab')
    expect(visibleText('a<end>>b', ['<end>>', '<end>'])).toBe('ab')
  })

  test('a prefix of a marker is held back until it is decided', () => {
    const filter = new VisibleText(MARKERS)
    expect(filter.push('a<e')).toBe('a')
    expect(filter.push('o')).toBe('')
    expect(filter.push('x')).toBe('<eox')
    expect(filter.push('<')).toBe('')
    expect(filter.end()).toBe('<')
  })

  test.each(['<eom>', '<think></think>', '<think>x</think>y<eom>'])('a piece of nothing but %s is read in one pass', (unit) => {
    const filter = new VisibleText(MARKERS)
    const visible = filter.push(unit.repeat(100_000)) + filter.end()
    expect(visible).toHaveLength(unit.includes('y') ? 100_000 : 0)
  })

  test('hidden text is not kept: a model may think at any length', () => {
    const filter = new VisibleText(MARKERS)
    filter.push('<think>')
    for (let chunk = 0; chunk < 10_000; chunk++) expect(filter.push('x'.repeat(100))).toBe('')
    expect(filter.push('</think>done')).toBe('done')
  })
})

const pieces = ['<', '>', '<think>', '</think>', '<thi', 'nk>', '</', 'think>', '<eom>', '<|eom|>', '<eo', 'm>', '|', 'a', ' ', '\n', 'é', '🙂']
const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 20 }).map((parts) => parts.join(''))

/** The text cut at any places, also within a tag or between the halves of a character. */
function cut(whole: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((left, right) => left - right)
  return [0, ...sorted].map((from, index) => whole.slice(from, sorted[index] ?? whole.length))
}

describe('R27 any chunking of any text gives the same visible text', () => {
  test('with the markers of the settings', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 12 }), (whole, places) => {
        expect(inChunks(cut(whole, places), MARKERS)).toBe(visibleText(whole, MARKERS))
      }),
      { numRuns: 2_000 },
    )
  })

  test('with any markers, also such as contain or overlap each other or a tag', () => {
    const marker = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', '<'), minLength: 1, maxLength: 4 }),
      fc.constantFrom('<think>x', 'nk>', '<end>', '<end>>'),
    )
    const dense = fc.string({ unit: fc.constantFrom('a', 'b', '<', '<think>', '</think>', '<end>', '>', 'x'), maxLength: 20 })
    fc.assert(
      fc.property(dense, fc.array(marker, { maxLength: 4 }), fc.array(fc.nat(60), { maxLength: 8 }), (whole, markers, places) => {
        expect(inChunks(cut(whole, places), markers)).toBe(visibleText(whole, markers))
      }),
      { numRuns: 3_000 },
    )
  })

  test('and it is what one regular expression leaves of the whole', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(visibleText(whole, MARKERS)).toBe(whole.replace(/<think>[\s\S]*?(?:<\/think>|$)|<eom>|<\|eom\|>/g, ''))
      }),
      { numRuns: 2_000 },
    )
  })

  test('nothing visible is held back that can no longer become a tag or marker', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const filter = new VisibleText(MARKERS)
        const shown = filter.push(whole)
        const rest = filter.end()
        expect(shown + rest).toBe(visibleText(whole, MARKERS))
        if (rest !== '') expect(['<think>', ...MARKERS].some((marker) => marker.startsWith(rest))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('R19 what an answer is', () => {
  test.each([
    ['', false],
    [' \n\t', false],
    ['a', true],
    [' a ', true],
  ])('%j: %s', (visible, expected) => {
    expect(isAnswer(visible)).toBe(expected)
  })
})
