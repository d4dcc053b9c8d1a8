import { NEVER } from 'rxjs'
import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../src/model/settings.ts'
import { ConfigError } from '../../../src/runtime/errors.ts'
import type { KernelConfig } from '../../../src/runtime/kernel-door.ts'
import type { Team } from '../../../src/runtime/team/team-door.ts'
import { ANA, BO, PROFILES, supervised } from './supervised-rig.ts'

/** What `supervise` says to a team that it does not take: path and code of each problem. */
function refusals(team: Partial<Record<keyof Team, unknown>> | null, config = PROFILES): string[] {
  try {
    supervised({ config }).kernel.supervise((team === null ? null : { participants: [ANA], ...team }) as Team)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, code }) => `${path} ${code}`)
  }
  throw new Error('it was taken')
}

describe('a team that cannot be supervised', () => {
  test.each<[string, Parameters<typeof refusals>[0], string[]]>([
    ['no team', null, ['participants invalid_setting']],
    ['nobody', { participants: [] }, ['participants invalid_setting']],
    ['a field without its form', { participants: [{ ...ANA, prompt: 7 }] }, ['participants[0].prompt invalid_setting']],
    ['a blank prompt', { participants: [{ ...ANA, prompt: ' ' }] }, ['participants[0].prompt invalid_setting']],
    ['an id twice', { participants: [ANA, { ...BO, id: 'Ana' }] }, ['participants[1].id invalid_setting']],
    ['the id of the person', { participants: [{ ...ANA, id: 'person' }] }, ['participants[0].id invalid_setting']],
    [
      'a stranger',
      { participants: [{ ...ANA, provider: 'a.z', failover: ['b.y:m', 'codx'] }] },
      ['participants[0].provider unknown_provider', 'participants[0].failover[1] unknown_provider'],
    ],
    ['a chain entry without its model', { participants: [{ ...ANA, failover: ['b.y: '] }] }, ['participants[0].failover[0] invalid_setting']],
    ['an unknown setting', { settings: { maxTurns: 7 } }, ['settings.maxTurns invalid_setting']],
    ['an order of strangers', { settings: { order: ['ana', 'zoe'] } }, ['settings.order[1] invalid_setting']],
    ['a zone that is none', { zone: 'Mars/Olympus' }, ['zone invalid_setting']],
    ['a thread that is none', { thread: { append: 7 } }, ['thread invalid_setting']],
    ['a choice that is no function', { choice: 'listed' }, ['choice invalid_setting']],
    ['a blank directory and id', { directory: '', id: '' }, ['directory invalid_setting', 'id invalid_setting']],
    ['a name that is taken', { id: 'night' }, ['id invalid_setting']],
    [
      'a standing that is none',
      { standing: { position: -1 } },
      expect.arrayContaining(['standing.position invalid_setting', 'standing.begun invalid_setting']),
    ],
  ])('%s', (_, team, problems) => {
    expect(refusals(team)).toEqual(problems)
  })

  test('R5 a profile that only a team uses, and that has no credential, is refused with its path', () => {
    const { kernel } = supervised({ config: { ...PROFILES, primary: 'a.x', profiles: { ...PROFILES.profiles, 'c.z': { model: 'm3' } } } })
    expect(() => kernel.supervise({ participants: [{ ...ANA, failover: ['c.z'] }] })).toThrow(
      /^profiles\.c\.z\.apiKey: .+ \(missing_credential\)\. .+$/,
    )
  })

  test('T10 G18 programs that this machine lacks are skipped; a team of which nobody has anything is refused', async () => {
    const config: KernelConfig = { ...PROFILES, profiles: { ...PROFILES.profiles, 'codex.main': { cli: { command: '/nowhere/codex' } } } }
    const ports = { engines: ({ family }: Profile) => (family === 'codex' ? undefined : { attempt: () => NEVER }) }
    const { team, kernel } = supervised({
      config,
      ports,
      team: {
        participants: [
          { ...ANA, provider: 'codex', failover: ['a.x'] },
          { ...BO, provider: 'codex' },
        ],
      },
    })
    expect(team.status.participants.map(({ engine }) => engine)).toEqual(['a.x', null])
    expect(() => kernel.supervise({ participants: [{ ...ANA, provider: 'codex' }] })).toThrow(/^No participant has an engine on this machine; .+/)
    await kernel.stop()
  })
})
