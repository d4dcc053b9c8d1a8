import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonFault } from '../../src/config/json-fault.ts'
import { readSettingsText } from '../../src/config/settings-text.ts'

describe('settings as text', () => {
  it.each([
    ['yaml', 'primary: a.x\nprofiles: { a.x: {} }\nunknownHint: no\n', { primary: 'a.x', profiles: { 'a.x': {} }, unknownHint: 'no' }],
    ['json', '\ufeff{"primary": "a.x"}', { primary: 'a.x' }],
    ['yaml', '', null],
    ['json', ' \n', null],
  ] as const)('reads %s: %j', (language, text, value) => expect(readSettingsText(text, language)).toEqual({ value }))

  it.each([
    ['yaml', 'a: 1\nb: [1\n', 3, 1],
    ['yaml', 'a: "open\n', 2, 1],
    ['yaml', '- a\n---\n- b\n', 2, 1],
    ['json', '{"a": 1,\n  b: 2}', 2, 3],
    ['json', '[1, 2', 1, 6],
    ['json', '{"a": "line\nbreak"}', 1, 7],
    ['json', '{"a": \'x\'}', 1, 7],
    ['json', '{"a": 01}', 1, 8],
    ['json', '// note\n{}', 1, 1],
    ['json', '{} {}', 1, 4],
  ] as const)('%s: %j is at fault at %d:%d', (language, text, line, column) => {
    expect(readSettingsText(text, language)).toMatchObject({ faults: [{ line, column }] })
  })

  it('a key that stands twice is a fault in both', () => {
    expect(readSettingsText('a: 1\na: 2\n', 'yaml')).toMatchObject({ faults: [{ line: 2, column: 1 }] })
    expect(readSettingsText('{"a": 1,\n "\\u0061": 2}', 'json')).toMatchObject({ faults: [{ line: 2, column: 2 }] })
  })

  it('a second document is told in the words of who wrote it, not of a program that reads it', () => {
    expect(readSettingsText('a: 1\n---\nb: 2\n', 'yaml')).toEqual({ faults: [{ line: 2, column: 1, message: 'a second document begins here' }] })
  })

  it('aliases that unfold without end are refused in one line', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...[...'bcdefgh'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(', ')}]`),
    ]
    const read = readSettingsText(bomb.join('\n'), 'yaml')
    expect(read).toMatchObject({ faults: [{ message: expect.stringMatching(/^.*alias.*$/i) }] })
  })

  it.each([
    ['json', '['.repeat(100_000), 1, 502],
    ['yaml', '[ '.repeat(100_000), 1, 400],
    ['yaml', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 1, 203],
    ['yaml', `${'- '.repeat(20_000)}x`, 1, 400],
    ['yaml', Array.from({ length: 1_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 200, 201],
  ] as const)('%s: an endless nest is one fault, at the level that is too deep', (language, text, line, column) => {
    expect(readSettingsText(text, language)).toEqual({ faults: [{ line, column, message: 'it nests too deep' }] })
  })

  it.each([
    ['whole', `{"a":"${'x'.repeat(10_000_000)}"}`, true],
    ['not closed', `{"a":"${'x'.repeat(10_000_000)}`, false],
    ['full of escapes', `{"a":"${'\\"\\\\'.repeat(1_000_000)}"}`, true],
  ])('a JSON text of ten megabytes is read, %s', (_, text, isWhole) => {
    expect('value' in readSettingsText(text, 'json')).toBe(isWhole)
  })

  it('a nest of a hundred levels is none', () => {
    const text = `${'['.repeat(100)}${']'.repeat(100)}`
    expect(readSettingsText(text, 'yaml')).toEqual({ value: JSON.parse(text) })
  })
})

describe('jsonFault agrees with JSON.parse', () => {
  const accepts = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  it('on every JSON value, however it is spaced', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 4 }), (value, indent) => {
        expect(jsonFault(JSON.stringify(value, null, indent))).toBeNull()
      }),
    )
  })

  it('on values with one character removed, doubled or replaced: a fault exactly where JSON.parse has one, or a key twice', () => {
    const edits = fc.tuple(fc.nat(), fc.constantFrom('', ',', '"', '}', ']', ':', '\\', '\n', '0', 'e', '-', 'x'))
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), edits, (value, [place, written]) => {
        const text = JSON.stringify(value)
        const at = place % text.length
        const edited = text.slice(0, at) + written + text.slice(at + 1)
        const fault = jsonFault(edited)
        if (fault?.message.includes('already') === true) return
        expect({ edited, accepted: fault === null }).toEqual({ edited, accepted: accepts(edited) })
        if (fault !== null) expect(fault.at).toBeLessThanOrEqual(edited.length)
      }),
      { numRuns: 2_000 },
    )
  })
})
