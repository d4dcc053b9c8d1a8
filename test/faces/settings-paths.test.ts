import { describe, expect, it } from 'vitest'
import { pathsFrom } from '../../src/faces/cli/settings-paths.ts'

const cliOf = (cli: unknown) => {
  const { profiles } = pathsFrom('/home/a/project', { primary: 'claude.x', profiles: { 'claude.x': { cli } } }) as {
    profiles: Record<string, { cli: unknown }>
  }
  return profiles['claude.x']?.cli
}

describe('paths of programs in a settings file', () => {
  it('are seen from the file, as its key files are', () => {
    expect(cliOf({ directory: '../other', command: './bin/claude', args: ['./x'] })).toEqual({
      directory: '/home/a/other',
      command: '/home/a/project/bin/claude',
      args: ['./x'],
    })
  })

  it('stay as they are where they are whole, or names on PATH', () => {
    expect(cliOf({ directory: '/srv', command: '/opt/claude' })).toEqual({ directory: '/srv', command: '/opt/claude' })
    expect(cliOf({ command: 'claude-next' })).toEqual({ command: 'claude-next' })
  })

  it.each([undefined, null, 'x', [], {}, { directory: 7, command: null }, { directory: '' }])(
    'what is written wrongly is left to the check: %j',
    (cli) => {
      expect(cliOf(cli)).toEqual(cli)
      expect(pathsFrom('/a', cli)).toEqual(cli)
    },
  )

  it('every other setting is kept, and the file’s own value is not changed', () => {
    const written = Object.freeze({ primary: 'a.x', profiles: Object.freeze({ 'a.x': Object.freeze({ model: 'm' }) }), other: [1] })
    expect(pathsFrom('/a', written)).toEqual(written)
  })
})
