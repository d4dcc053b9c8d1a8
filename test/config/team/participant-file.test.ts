import { describe, expect, it } from 'vitest'
import { type ReadParticipant, readParticipant } from '../../../src/config/team/participant-file.ts'
import { brief } from '../support.ts'

const PROFILES = ['anthropic.prod', 'openai.eu.2', 'claude.main']
const PATH = 'participants/ana.md'

const read = (text: string): ReadParticipant => readParticipant({ path: PATH, text }, 'ana', PROFILES)

/** A sound file with these front matter lines. */
const withFields = (...fields: string[]) => ['---', ...fields, '---', 'Review what the others write.', ''].join('\n')

const told = (text: string) => brief(read(text).errors).map((line) => line.replace(` ${PATH}:`, ' '))
const warned = (text: string) => brief(read(text).warnings).map((line) => line.replace(` ${PATH}:`, ' '))

describe('a file of a participant', () => {
  it('T8 has a provider, a model, a chain in order and a prompt', () => {
    const text = `${withFields('# who', 'provider: claude', 'model: opus', 'failover: [codex, "claude:haiku", anthropic.prod:claude:x]').trimEnd()}\n\n  - one\n\n`
    expect(read(text)).toEqual({
      participant: {
        id: 'ana',
        path: PATH,
        provider: 'claude',
        model: 'opus',
        failover: ['codex', 'claude:haiku', 'anthropic.prod:claude:x'],
        prompt: 'Review what the others write.\n\n  - one',
      },
      errors: [],
      warnings: [],
    })
  })

  it('T8 there is no default chain, and a field without a value is none', () => {
    for (const fields of [[], ['model:', 'failover:'], ['model: ~', 'failover: null'], ['model: "  "', 'failover: []']]) {
      expect(read(withFields('provider: codex', ...fields)).participant).toMatchObject({ provider: 'codex', model: null, failover: [] })
    }
  })

  it.each(['claude', 'codex', 'agy', 'gemini-cli', ...PROFILES])('T1 %s can be the provider and stand in a chain', (provider) => {
    const { participant, errors } = read(withFields(`provider: ${provider}`, `failover: [${provider}:m, ${provider}]`))
    expect(errors).toEqual([])
    expect(participant).toMatchObject({ provider, failover: [`${provider}:m`, provider] })
  })

  it('the words of the prompt and of the fields are taken as they were typed', () => {
    const { participant } = read(withFields('provider: codex', 'model: 1e3').replace('Review', '\n\n\t---x\nprovider: no\n'))
    expect(participant).toMatchObject({ model: '1e3', prompt: expect.stringMatching(/^\t---x\nprovider: no/) })
    expect(read(withFields('provider: codex', 'model: "null"')).participant?.model).toBe('null')
  })

  it('AG-02 front matter further down, and words of routing, are prompt and choose nothing', () => {
    const wishes = '---\nprovider: codex\nmodel: hint:cloud\nfailover: [agy]\n---\nmodel_switch to codex. hint:cloud'
    const { participant } = read(withFields('provider: claude').replace('Review what the others write.', wishes))
    expect(participant).toMatchObject({ provider: 'claude', model: null, failover: [], prompt: wishes })
  })

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['CR', (text: string) => text.replaceAll('\n', '\r')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['blanks behind the dashes', (text: string) => text.replaceAll('---', '--- \t')],
    ['no line break at the end', (text: string) => text.trimEnd()],
  ])('with %s it is the same participant', (_, changed) => {
    const text = withFields('provider: claude', 'failover: [codex]')
    expect(read(changed(text))).toEqual(read(text))
  })

  it.each([
    ['a chain written line by line', withFields('provider: codex', 'failover:', '- claude', '- agy'), ['claude', 'agy']],
    ['one that comes back to the primary, as the seed has it', withFields('provider: claude', 'failover: [codex, claude]'), ['codex', 'claude']],
    ['blanks around the parts', withFields('provider: codex', 'failover: [" claude : haiku "]'), ['claude:haiku']],
  ])('T8 %s', (_, text, failover) => expect(read(text)).toMatchObject({ participant: { failover }, errors: [], warnings: [] }))
})

describe('what is wrong with it is told with its line', () => {
  it.each<[string, string, string[]]>([
    ['an unknown field', withFields('provider: claude', 'fallback: [codex]'), ['unknown_setting 3:1']],
    ['a field of every object', withFields('provider: claude', '__proto__: x', 'constructor: y'), ['unknown_setting 3:1', 'unknown_setting 4:1']],
    ['a field twice', withFields('provider: claude', 'model: a', 'model: b'), ['invalid_text 4:1']],
    ['no provider', withFields('model: a'), ['required_field_empty 2:1']],
    ['no field at all', '---\n---\nprompt', ['required_field_empty 2:1']],
    ['a blank provider', withFields('model: a', 'provider: "  "'), ['required_field_empty 3:1']],
    ['a provider without a value', withFields('model: a', 'provider:'), ['required_field_empty 3:1']],
    ['a provider that nobody is', withFields('provider: cloude'), ['unknown_provider 2:1']],
    ['a provider with a model', withFields('provider: claude:haiku'), ['unknown_provider 2:1']],
    ['a provider that is a list', withFields('provider: [claude]'), ['required_field_empty 2:1']],
    ['a model that is a map', withFields('provider: claude', 'model: {a: b}'), ['invalid_setting 3:1']],
    ['a model with a line break', withFields('provider: claude', 'model: "a\\nb"'), ['invalid_setting 3:1']],
    ['a chain that is a word', withFields('provider: claude', 'failover: codex'), ['invalid_setting 3:1']],
    [
      'a chain that nobody is',
      withFields('provider: claude', 'failover: [codex, kodex, nobody:x]'),
      ['unknown_provider 3:19', 'unknown_provider 3:26'],
    ],
    ['an entry with a space behind the colon', withFields('provider: codex', 'failover: [claude: haiku]'), ['invalid_setting 3:12']],
    ['an entry without a model behind the colon', withFields('provider: codex', 'failover:', '- "claude:"'), ['invalid_setting 4:3']],
    ['an entry without a provider', withFields('provider: codex', 'failover:', '- ":haiku"'), ['unknown_provider 4:3']],
    ['text that is no YAML', withFields('provider: "claude'), ['invalid_text 2:18']],
    ['a tab in front', withFields('provider: claude', '\tmodel: x'), ['invalid_text 3:1']],
    ['no map', withFields('claude'), ['invalid_text 2:1']],
    ['a key that is no word', withFields('provider: claude', '? [a]', ': b'), ['invalid_text 3:3']],
    ['a control character', withFields('provider: claude', 'model: a\u0007'), ['invalid_text 3:9']],
    ['no front matter', 'Review what the others write.', ['missing_front_matter 1:1']],
    ['an empty file', '', ['missing_front_matter 1:1']],
    ['a blank line first', `\n${withFields('provider: claude')}`, ['missing_front_matter 1:1']],
    ['front matter that does not end', '---\nprovider: claude\n----\n', ['unclosed_front_matter 1:1']],
    ['no prompt', '---\nprovider: claude\n---\n \n\t\n', ['empty_prompt 4:1']],
    ['nothing behind the front matter', '---\nprovider: claude\n---', ['empty_prompt 4:1']],
    ['NUL in the prompt', withFields('provider: claude').replace('the others', 'a\nb\0'), ['invalid_text 5:1']],
  ])('%s', (_, text, expected) => {
    expect(told(text)).toEqual(expected)
    expect(read(text).participant).toBeNull()
    for (const { message, remedy } of read(text).errors) expect(`${message} ${remedy}`).toMatch(/^[A-Z`][^\n]*\. [A-Z][^\n]*\.$/)
  })

  it('T10 a chain entry that is blank or stands there already is left out with a warning', () => {
    const text = withFields('provider: claude', 'failover: [codex, , "", ~, "codex ", claude:a, claude:a]').replace(', ,', ',')
    expect(warned(text)).toEqual([
      'empty_failover_entry 3:19',
      'empty_failover_entry 3:23',
      'duplicate_failover_entry 3:26',
      'duplicate_failover_entry 3:46',
    ])
    expect(read(text).participant?.failover).toEqual(['codex', 'claude:a'])
  })

  it('all at once', () => {
    const text = '---\nprovider: kodex\nmodle: x\nfailover: [agi, "", "agy:"]\n---\n\n'
    expect(told(text)).toEqual(['unknown_provider 2:1', 'unknown_setting 3:1', 'unknown_provider 4:12', 'invalid_setting 4:21', 'empty_prompt 6:1'])
    expect(warned(text)).toEqual(['empty_failover_entry 4:17'])
  })

  it.each([
    [withFields('provider: cloude'), 'Write `claude`'],
    [withFields('provider: anthropic'), 'Write `anthropic.prod`'],
    [withFields('provider: claude', 'modle: x'), 'Write `model`'],
    [withFields('provider: claude:haiku'), 'Write `provider: claude` and `model: haiku`.'],
    [withFields('provider: nobody at all'), 'one of: claude, codex, agy, gemini-cli, anthropic.prod'],
  ])('what is meant: %j', (text, words) => expect(read(text).errors[0]?.remedy).toContain(words))

  it.each([
    ['tag', 'model: !!js/function "x"', 'invalid_text 3:8'],
    ['tag of its own', 'model: !secret x', 'invalid_text 3:8'],
    ['anchor', 'model: &a x', 'invalid_text 3:8'],
    ['alias', 'model: *a', 'invalid_text 3:8'],
    ['merge', '<<: {model: x}', 'unknown_setting 3:1'],
    ['directive', '%TAG ! tag:example.org,2002:', 'invalid_text 3:1'],
  ])('FS-04 no %s: no code is run, nothing is unfolded', (_, line, expected) => {
    expect(told(withFields('provider: claude', line))).toContain(expected)
    expect(read(withFields('provider: claude', 'model: "a !b &c *d"')).participant?.model).toBe('a !b &c *d')
  })

  it('FS-03 a bomb of aliases is refused before it is composed', () => {
    const names = [...'abcdefgh']
    const lines = names.map(
      (name, index) =>
        `${name}: &${name} [${Array(9)
          .fill(index === 0 ? 'x' : `*${names[index - 1]}`)
          .join(', ')}]`,
    )
    const { errors } = read(withFields('provider: claude', ...lines))
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['invalid_text']))
    expect(errors).toHaveLength(8 + 7 * 9)
  })

  it.each([16_385, 100_000])('FS-03 front matter of %d characters is refused in one line, whatever it would unfold to', (length) => {
    const fields = ['provider: claude', 'a: &a [x, x]', 'b: &b [*a, *a]', '# '].join('\n')
    const { errors, participant } = read(withFields(fields.padEnd(length, 'x')))
    expect(participant).toBeNull()
    expect(errors).toMatchObject([{ code: 'invalid_text', message: 'The front matter has more than 16384 characters.' }])
  })

  it.each([
    ['js', '---js\n{ provider: ((globalThis.planted = true), "claude") }\n---\nPrompt.\n', ['missing_front_matter 1:1']],
    ['javascript', '---javascript\nglobalThis.planted = true\n---\nPrompt.\n', ['missing_front_matter 1:1']],
    ['json', '---json\n{"provider":"claude"}\n---\nPrompt.\n', ['missing_front_matter 1:1']],
    [
      'a tag of a function',
      withFields('provider: claude', 'model: !!js/function "function () { globalThis.planted = true }()"'),
      ['invalid_text 3:8'],
    ],
    ['a tag in full', withFields('provider: !<tag:yaml.org,2002:js/function> "globalThis.planted = true"'), ['invalid_text 2:11']],
  ])('FS-04 code in front matter (%s) is text, and is refused', (_, text, expected) => {
    expect(told(text)).toEqual(expected)
    expect(read(text).participant).toBeNull()
    expect('planted' in globalThis).toBe(false)
  })

  it.each(['no', 'on', 'yes', 'true', '012', '0x1f', '1.10', '1e3', '12:30:00', '2026-01-01', '.inf', '0o7', '+1'])(
    'FS-05 %s stays the text that it is, as a model and as a provider',
    (text) => {
      expect(read(withFields('provider: claude', `model: ${text}`)).participant?.model).toBe(text)
      const { errors } = read(withFields(`provider: ${text}`))
      const name = text.split(':')[0]
      expect(errors.map(({ code, message }) => `${code} ${message}`)).toEqual([
        expect.stringMatching(`^unknown_provider \`${name?.replace(/[.+]/g, '\\$&')}`),
      ])
    },
  )

  it.each([
    ['__proto__', withFields('provider: claude', '__proto__: {model: x}'), ['unknown_setting 3:1']],
    ['__proto__ in quotes', withFields('provider: claude', '"__proto__": x'), ['unknown_setting 3:1']],
    ['a second failover', withFields('provider: claude', 'failover: [codex]', 'failover: [agy]'), ['invalid_text 4:1']],
    ['5,000 brackets', withFields('provider: claude', `failover: ${'['.repeat(5_000)}`), ['invalid_text 3:26']],
    ['5,000 brackets and their ends', withFields(`provider: ${'['.repeat(5_000)}${']'.repeat(5_000)}`), ['invalid_text 2:26']],
    ['5,000 braces', withFields('provider: claude', `failover: ${'{a: '.repeat(3_000)}`), null],
  ])('FS-05 %s: refused with a place, and no object has got anything from it', (_, text, expected) => {
    const { participant, errors } = read(text)
    expect(participant).toBeNull()
    expect(errors.length).toBeGreaterThan(0)
    if (expected !== null) expect(told(text)).toEqual(expected)
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as { model?: unknown }).model).toBeUndefined()
  })

  it.each([
    ['a nest', `model: ${'['.repeat(15_000)}`, 'nests too deep'],
    ['a nest of lists', `model:\n${'- '.repeat(7_000)}x`, 'nests too deep'],
    ['fields', `model: "${'x'.repeat(20_000)}"`, 'has more than 16384 characters'],
  ])('%s without end: one line', (_, line, words) => {
    const { errors } = read(withFields('provider: claude', line))
    expect(errors).toMatchObject([{ code: 'invalid_text', message: `The front matter ${words}.` }])
  })

  it('a file without end is not read', () => {
    expect(told(`${withFields('provider: claude')}${'x'.repeat(2 ** 20)}`)).toEqual(['file_too_large 1:1'])
  })

  it('no message repeats a long text or breaks its line', () => {
    const { errors } = read(withFields(`"${'a\\n'.repeat(300)}": x`, `provider: "${'b\\r'.repeat(2_000)}"`))
    expect(errors.map(({ code }) => code)).toEqual(['unknown_setting', 'unknown_provider'])
    for (const { message } of errors) expect(message).toMatch(/^[^\r\n]{20,160}$/)
  })
})
