import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/faces/cli/program.ts'
import { readTeamFolder } from '../../src/faces/daemon/team-folder.ts'
import { Console, folderOf } from './console.ts'

/** A folder in which these programs are found. */
function pathOf(...programs: string[]): string {
  const folder = folderOf(Object.fromEntries(programs.map((name) => [name, ''])))
  for (const name of programs) chmodSync(join(folder, name), 0o755)
  return folder
}

const providers = (folder: string) =>
  readTeamFolder(folder, { profiles: [], order: 'rotation' }).participants?.map(({ id, provider, failover }) => [id, provider, ...failover])

describe('relevo init', () => {
  it.each([
    ['of the programs that are here', ['codex', 'gemini'], ['codex', 'gemini-cli'], ['gemini-cli', 'codex']],
    ['of the only one', ['agy'], ['agy'], ['agy']],
    ['of two that many have, where none is', [], ['claude', 'codex'], ['codex', 'claude']],
  ])('writes a team %s, which has no findings', async (_, programs, ana, bo) => {
    const cwd = folderOf({})
    const shell = new Console({ cwd, env: { PATH: pathOf(...programs) } })
    expect(await shell.run('init', 'night')).toBe(0)
    expect(providers(join(cwd, 'night'))).toEqual([
      ['ana', ...ana],
      ['bo', ...bo],
    ])
    expect(shell.outLines.filter((line) => line.startsWith('wrote'))).toEqual([
      'wrote night/relevo.yaml',
      'wrote night/participants/ana.md',
      'wrote night/participants/bo.md',
    ])
    const checked = new Console({ cwd })
    expect(await checked.run('check', 'night/relevo.yaml', '--strict')).toBe(0)
    expect(checked.out).toContain('no errors, no warnings')
  })

  it('the settings that it shows as comments are without findings, too', async () => {
    const cwd = folderOf({})
    await new Console({ cwd }).run('init')
    const path = join(cwd, 'relevo.yaml')
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/^# (profiles:)|^# {2}( \w+\.\w+:)/gm, (_, first, second) => first ?? ` ${second}`),
    )
    const shell = new Console({ cwd, env: { ANTHROPIC_API_KEY: 'key-of-a-test' } })
    expect([await shell.run('check'), shell.out]).toEqual([0, `${path}: no errors, no warnings\n`])
    expect(readFileSync(path, 'utf8')).toMatch(/^profiles:\n {2}claude\.main:/m)
  })

  it.each([['relevo.yaml'], ['relevo.yml'], ['relevo.json'], ['participants/bo.md'], ['participants']])(
    'changes nothing and writes nothing where %s stands already',
    async (name) => {
      const cwd = folderOf({ [name]: 'mine' })
      const before = readdirSync(cwd, { recursive: true })
      const shell = new Console({ cwd })
      expect(await shell.run('init')).toBe(2)
      expect(shell.errLines).toEqual([`error: ${join(cwd, name)}: it stands there already. Name another folder, or remove it.`])
      expect([readdirSync(cwd, { recursive: true }), readFileSync(join(cwd, name), 'utf8')]).toEqual([before, 'mine'])
    },
  )

  it('tells everything that is in the way at once, also a link that leads nowhere', async () => {
    const cwd = folderOf({ 'participants/ana.md': 'mine' })
    symlinkSync(join(cwd, 'gone'), join(cwd, 'relevo.yaml'))
    const shell = new Console({ cwd })
    expect(await shell.run('init')).toBe(2)
    expect(shell.errLines).toHaveLength(2)
    expect(existsSync(join(cwd, 'gone'))).toBe(false)
  })

  it('says why it cannot write', async () => {
    const cwd = folderOf({ file: 'mine' })
    const shell = new Console({ cwd })
    expect(await shell.run('init', 'file')).toBe(2)
    expect(shell.errLines).toEqual([expect.stringMatching(/^error: \/.+: it cannot be written \(E\w+\)\. .+\.$/)])
  })
})

describe('relevo team edit', () => {
  const TEAM = { 'relevo.yaml': 'team: {}\n', 'participants/ana.md': 'x', 'participants/Bo.MD': 'x' }

  it.each([
    ['ana', 'ana.md'],
    ['BO', 'Bo.MD'],
  ])('prints the path of %s and opens nothing where no terminal is', async (id, name) => {
    const cwd = folderOf(TEAM)
    const shell = new Console({ cwd, env: { EDITOR: '/nonexistent' } })
    expect([await shell.run('team', 'edit', id), shell.out]).toEqual([0, `${join(cwd, 'participants', name)}\n`])
  })

  it.each([['an'], ['../relevo'], ['ana.md']])('knows no participant %s and names those that are', async (id) => {
    const cwd = folderOf(TEAM)
    const shell = new Console({ cwd })
    expect([await shell.run('team', 'edit', id), shell.out]).toEqual([2, ''])
    expect(shell.errLines).toEqual([expect.stringMatching(/: there is no participant `.+`\. Name one of: Bo, ana; or write its file there\.$/)])
  })

  it('says where a folder is no team', async () => {
    const shell = new Console({ cwd: folderOf({}) })
    expect(await shell.run('team', 'edit', 'ana')).toBe(2)
    expect(shell.errLines).toEqual([expect.stringContaining('Write a team with `relevo init`')])
  })

  it.each([
    ['VISUAL', { EDITOR: '/nonexistent' }],
    ['EDITOR', { VISUAL: ' ' }],
  ])('opens $%s on a terminal, with its arguments and without a shell', async (variable, others) => {
    const cwd = folderOf(TEAM)
    const script = join(
      folderOf({ 'editor.mjs': "import { writeFileSync } from 'node:fs'\nwriteFileSync(process.argv[2], JSON.stringify(process.argv.slice(3)))\n" }),
      'editor.mjs',
    )
    const seen = join(cwd, 'seen')
    const { io } = new Console({ cwd, tty: true, env: { ...others, [variable]: `${process.execPath} ${script} ${seen} --wait $(touch) ;` } })
    expect(await run(['team', 'edit', 'ana'], { ...io, stdin: { ...io.stdin, isTty: true } })).toBe(0)
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual(['--wait', '$(touch)', ';', join(cwd, 'participants/ana.md')])
  })

  it('says that an editor cannot be started', async () => {
    const shell = new Console({ cwd: folderOf(TEAM), tty: true, env: { EDITOR: '/nonexistent -w' } })
    expect(await run(['team', 'edit', 'ana'], { ...shell.io, stdin: { ...shell.io.stdin, isTty: true } })).toBe(2)
    expect(shell.errLines).toEqual(['error: The editor `/nonexistent` cannot be started. Set EDITOR to one that is installed.'])
  })
})
