import { describe, expect, it } from 'vitest'
import { engineNames, withEngines } from '../../src/faces/cli/engine-option.ts'
import { BadInput } from '../../src/faces/cli/problems.ts'

const FILE = {
  primary: 'openai.x',
  model: 'pinned',
  effortRouting: { localHint: 'a', cloudHint: 'b' },
  profiles: { 'openai.x': { model: 'm', fallback: ['openai.y'] }, 'openai.y': { model: 'n' }, 'claude.main': { cli: { args: ['--x'] } } },
}

const chain = (written: unknown, ...names: string[]) => {
  const { primary, profiles } = withEngines(written, engineNames(names)) as { primary: string; profiles: Record<string, { fallback?: string[] }> }
  return [primary, ...(profiles[primary]?.fallback ?? [])]
}

function refusal(written: unknown, ...names: string[]): readonly string[] {
  try {
    withEngines(written, engineNames(names))
  } catch (error) {
    if (error instanceof BadInput) return error.lines
    throw error
  }
  return []
}

describe('--engine', () => {
  it('runs one CLI as it is installed, with its own choice of a model', () => {
    expect(withEngines(undefined, ['claude'])).toEqual({ primary: 'claude.installed', profiles: { 'claude.installed': { fallback: [] } } })
  })

  it('asks for the model behind the colon', () => {
    expect(withEngines({}, ['codex:gpt-5:high'])).toMatchObject({ profiles: { 'codex.installed': { model: 'gpt-5:high' } } })
  })

  it.each([
    ['one option', ['claude,codex:gpt-5,agy']],
    ['several', ['claude', 'codex:gpt-5', 'agy']],
    ['both, with blanks', ['claude , codex:gpt-5', 'agy,']],
  ])('makes a chain of several, in order: %s', (_, names) => {
    expect(chain({}, ...names)).toEqual(['claude.installed', 'codex.installed', 'agy.installed'])
  })

  it('T6 neighbours of one program are one profile, so that its account is held as one', () => {
    const { profiles } = withEngines({}, ['claude:opus', 'claude:haiku', 'codex', 'claude:sonnet'])
    expect(profiles).toMatchObject({ 'claude.installed': { model: 'opus', fallbackModels: ['haiku'] }, 'claude.installed2': { model: 'sonnet' } })
  })

  it.each([
    [['claude:opus', 'claude'], { model: 'opus', fallbackModels: ['default'] }],
    [['claude', 'claude:opus'], { model: 'default', fallbackModels: ['opus'] }],
  ])('T6 also beside the own choice of the program: %j', (names, profile) => {
    expect(withEngines({}, names)).toMatchObject({ profiles: { 'claude.installed': profile } })
  })

  it('fails over to HTTP profiles of the settings, and begins with one', () => {
    expect(chain(FILE, 'claude', 'openai.x')).toEqual(['claude.installed', 'openai.x'])
    expect(chain(FILE, 'openai.x,codex')).toEqual(['openai.x', 'codex.installed', 'openai.y'])
    expect(chain(FILE, 'claude.main')).toEqual(['claude.main'])
  })

  it('R40 neither the model of the settings nor their effort routing has a say', () => {
    expect(Object.keys(withEngines(FILE, ['claude'])).sort()).toEqual(['primary', 'profiles'])
  })

  it('takes no profile of the settings by chance', () => {
    expect(chain({ profiles: { 'claude.installed': { model: 'mine' } } }, 'claude')).toEqual(['claude.installed2'])
  })

  it('refuses what is none, each with the list of known ones', () => {
    expect(refusal({}, 'clade', 'codex:', 'gpt')).toEqual([
      '--engine: `clade` is no engine. Use one of claude, codex, agy, gemini-cli.',
      '--engine: `codex:` names no model. Write one behind the colon, or leave it out.',
      '--engine: `gpt` is no engine. Use one of claude, codex, agy, gemini-cli.',
    ])
    expect(refusal(FILE, 'openai.z')).toEqual([
      '--engine: `openai.z` is no engine. Use one of claude, codex, agy, gemini-cli, or a profile of the settings: openai.x, openai.y, claude.main.',
    ])
    expect(refusal(FILE, 'openai.x:gpt-5')).toEqual([
      '--engine: `openai.x:gpt-5` names a model of a profile, which has its own. Write `openai.x` alone, or a CLI with `:gpt-5`.',
    ])
    expect(refusal({}, ' ,')).toHaveLength(1)
    expect(refusal({ profiles: {} }, '__proto__', 'constructor')).toHaveLength(2)
  })
})
