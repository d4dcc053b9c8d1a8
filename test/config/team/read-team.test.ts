import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTeam } from '../../../src/config/team/check-team.ts'
import { idProblem } from '../../../src/config/team/participant-id.ts'
import { readTeam } from '../../../src/config/team/read-team.ts'
import { frontMatterSchema, teamSchema } from '../../../src/config/team/team-schema.ts'
import { brief } from '../support.ts'

const SOUND = '---\nprovider: claude\n---\nWork.\n'
const file = (name: string, text = SOUND) => ({ path: `participants/${name}`, text })
const read = (files: readonly { path: string; text: string }[], order: 'rotation' | string[] = 'rotation') =>
  readTeam(files, { profiles: ['anthropic.prod'], order })

describe('a team of files', () => {
  it('G04 stands in the order of its ids, however the folder is listed', () => {
    const files = ['cy.md', 'Bo.md', 'ana.md', 'ana-2.md'].map((name) => file(name))
    const ids = read(files).participants?.map(({ id }) => id)
    expect(ids).toEqual(['ana', 'ana-2', 'Bo', 'cy'])
    expect(read([...files].reverse()).participants).toEqual(read(files).participants)
  })

  it.each(['a.md', 'Ana_2.MD', 'gemini-cli.md', `${'x'.repeat(32)}.md`, '../other\\bo.md'])('%s names a participant', (name) => {
    expect(read([file(name)]).errors).toEqual([])
  })

  it.each(['.md', '2.md', 'ana-.md', 'a b.md', 'ana.bo.md', 'íñigo.md', `${'x'.repeat(33)}.md`, '-a.md', 'ana.txt', 'a\nb.md'])(
    '%j names none, as it could not be mentioned',
    (name) => {
      const { errors, participants } = read([file(name)])
      expect(errors.map(({ code }) => code)).toEqual(['invalid_participant_id'])
      expect(`${errors[0]?.path} ${errors[0]?.message}`).not.toContain('\n')
      expect(participants).toBeNull()
    },
  )

  const NO_IDS = [
    '../../etc/passwd',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'x\0',
    'ana%2f..',
    '..',
    '.',
    'CON',
    'nul',
    'Com1',
    'lpt9',
    '',
    ' ',
    'person',
    'ana\n',
  ]

  it.each(NO_IDS)('FS-01 %j is the id of nobody, and a team that names it is refused', (id) => {
    expect(idProblem(id)).not.toBeNull()
    const { errors } = checkTeam({ participants: [{ id, provider: 'claude', prompt: 'Work.' }] }, null, [])
    expect(brief(errors)).toEqual(['invalid_setting participants[0].id'])
    expect(errors[0]?.message).not.toMatch(/[\n\0]/)
    const chosen = checkTeam({ participants: [{ id: 'ana', provider: 'claude', prompt: 'Work.' }], settings: { order: [id] } }, null, [])
    expect(brief(chosen.errors)).toEqual(['invalid_setting settings.order[0]'])
  })

  it.each(['CON.md', 'x\0.md', 'ana%2f...md', '...md', '.md', 'nul.MD'])('FS-01 a file %j is no participant', (name) => {
    expect(read([file(name)]).errors.map(({ code }) => code)).toEqual(['invalid_participant_id'])
  })

  it.each(['a', 'ana', 'Ana', 'cons', 'a-1_b', 'com', 'lpt10', `${'x'.repeat(32)}`])('FS-01 %s is an id', (id) => {
    expect(idProblem(id)).toBeNull()
  })

  it('FS-01 says why a name that has the form of one is none', () => {
    expect([idProblem('Con'), read([file('nul.md')]).errors[0]?.message]).toEqual([
      'is the name of a device on Windows',
      '`nul` is the name of a device on Windows.',
    ])
  })

  it('`person` is the word for the person', () => {
    expect(brief(read([file('Person.md')]).errors)).toEqual(['invalid_participant_id participants/Person.md'])
  })

  it('one id is one participant, in whatever case', () => {
    const { errors } = read([file('ana.md'), file('Ana.md'), file('ANA.md'), file('bo.md')])
    expect(errors.map(({ code }) => code)).toEqual(['duplicate_participant', 'duplicate_participant'])
    expect(errors[0]?.message).toContain('participants/ANA.md already')
  })

  it('a team of nobody', () => expect(brief(read([]).errors)).toEqual(['no_participants participants']))

  it('every problem of every file and of the order at once', () => {
    const { errors, warnings } = read(
      [file('ana.md', '---\nprovider: x\n---\n'), file('bo.md', 'no'), file('b o.md', SOUND.replace('claude', 'codex\nfailover: [""]'))],
      ['bo', 'anna', 'zzzzzz'],
    )
    expect(brief(errors)).toEqual([
      'invalid_participant_id participants/b o.md',
      'unknown_provider participants/ana.md:2:1',
      'empty_prompt participants/ana.md:4:1',
      'missing_front_matter participants/bo.md:1:1',
      'invalid_setting team.order[1]',
      'invalid_setting team.order[2]',
    ])
    expect(errors[4]?.remedy).toBe('Write `ana`, or name one of: ana, b o, bo.')
    expect(brief(warnings)).toEqual(['empty_failover_entry participants/b o.md:3:12'])
  })

  const line = fc.oneof(
    fc.constantFrom('---', 'provider: claude', 'failover: [codex, "a:b"]', 'failover:', '- codex', 'model: ~', '? ', '"', "'", '|', '>-', '{', '['),
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom('&a', '*a', '!!x', '%YAML 1.2', '...', '\u001f', '\u0002*x', '\ufeff', '# c', '<<: *a', '__proto__: {}'),
  )

  it('no text throws, and every finding is a line that names the file', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.array(line, { maxLength: 12 }), fc.boolean(), (name, lines, isFramed) => {
        const text = isFramed ? `---\n${lines.slice(0, -1).join('\n')}\n---\n${lines.at(-1) ?? ''}` : lines.join('\n')
        const { participants, errors, warnings } = read([{ path: `participants/${name}`, text }])
        expect(participants === null).toBe(errors.length > 0)
        for (const { path, message, remedy } of [...errors, ...warnings]) {
          expect(path.startsWith('participants')).toBe(true)
          expect(`${path}${message}${remedy}`).not.toMatch(/[\n\r\0]/)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('the settings of a team', () => {
  it('have no maximum that nobody set (simulate.md, T17)', () => {
    expect(teamSchema.parse({})).toEqual({
      maxIterations: null,
      maxRuntimeMin: null,
      maxWaitMin: null,
      turnTimeoutMin: null,
      stallMin: null,
      sleepSliceMs: 60_000,
      minHoldMs: 0,
      contextCharacters: 60_000,
      order: 'rotation',
    })
  })

  it.each([
    { maxIterations: 0 },
    { maxIterations: 1.5 },
    { maxRuntimeMin: 0 },
    { maxWaitMin: -1 },
    { turnTimeoutMin: Number.POSITIVE_INFINITY },
    { stallMin: '10' },
    { sleepSliceMs: 0 },
    { sleepSliceMs: 86_400_001 },
    { maxRuntimeMin: 1e308 },
    { order: [] },
    { order: 'random' },
    { maxWait: 1 },
  ])('%j is refused', (settings) => expect(teamSchema.safeParse(settings).success).toBe(false))

  it('every field says what it means', () => {
    for (const schema of [teamSchema, frontMatterSchema]) {
      for (const [name, field] of Object.entries(schema.shape)) expect(field.description, name).toMatch(/^[A-Z`].{20,}$/)
    }
  })
})
