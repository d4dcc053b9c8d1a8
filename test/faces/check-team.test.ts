import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Console, folderOf } from './console.ts'

const ANA = '---\nprovider: claude\nfailover: [codex]\n---\nYou write.\n'

async function check(files: Readonly<Record<string, string>>, ...argv: string[]) {
  const cwd = folderOf(files)
  const shell = new Console({ cwd })
  const code = await shell.run('check', ...argv)
  return { code, shell, lines: shell.outLines.map((line) => line.replaceAll(`${cwd}/`, '')) }
}

describe('relevo check of a team', () => {
  it('tells what is wrong with settings and participants in one list, each with its file and place', async () => {
    const { code, lines } = await check({
      'relevo.yaml': 'team: { maxIterations: many, order: rotation }\n',
      'participants/ana.md': ANA,
      'participants/bo.md': '---\nprovider: clod\n---\nYou review.\n',
      'participants/cy.md': '---\nprovider: [codex\n---\nYou look.\n',
    })
    expect(code).toBe(2)
    expect(lines.map((line) => /^(\w+): (\S+?): .+ \((\w+)\) \S+/.exec(line)?.slice(1))).toEqual([
      ['error', 'relevo.yaml', 'invalid_setting'],
      ['error', 'participants/bo.md:2:1', 'unknown_provider'],
      ['error', expect.stringMatching(/^participants\/cy\.md:\d+:\d+$/), 'invalid_text'],
    ])
  })

  it('finds them beside the file that is named, wherever it is run', async () => {
    const { code, shell } = await check(
      { 'night/relevo.yaml': 'team: {}\n', 'night/participants/bo.md': '---\nprovider: clod\n---\nx\n' },
      'night/relevo.yaml',
    )
    expect(code).toBe(2)
    expect(shell.out).toContain(`error: ${join(shell.io.cwd, 'night/participants/bo.md')}:2:1: `)
  })

  it('tells an order that names nobody as a setting', async () => {
    const { code, lines } = await check({ 'relevo.yaml': 'team: { order: [ana, bob] }\n', 'participants/ana.md': ANA })
    expect(code).toBe(2)
    expect(lines).toEqual([expect.stringMatching(/^error: relevo\.yaml: team\.order\[1\]: /)])
  })

  it('tells warnings of participants too, and only --strict minds them', async () => {
    const files = { 'relevo.yaml': 'team: {}\n', 'participants/ana.md': '---\nprovider: claude\nfailover: [codex, codex]\n---\nx\n' }
    const mild = await check(files)
    expect(mild.lines).toEqual([expect.stringMatching(/^warning: participants\/ana\.md:\d+:\d+: /)])
    expect(mild.code).toBe(0)
    expect((await check(files, '--strict')).code).toBe(1)
  })

  it('tells a team without participants', async () => {
    const { code, lines } = await check({ 'relevo.yaml': 'team: {}\n' })
    expect(code).toBe(2)
    expect(lines).toEqual([expect.stringContaining('(no_participants)')])
  })

  it.each([
    ['an empty', ''],
    ['a bare', 'reliability: { providerRetries: 1 }\n'],
  ])('takes %s file with participants beside it as one of a team, as `relevo run` does', async (_, text) => {
    const { code, lines } = await check({ 'relevo.yaml': text, 'participants/ana.md': ANA })
    expect([code, lines]).toEqual([0, ['relevo.yaml: no errors, no warnings']])
  })

  it('asks nothing of participants beside settings of single turns', async () => {
    const { lines } = await check({ 'relevo.yaml': 'primary: a.x\nprofiles: {}\n', 'participants/bo.md': 'no head' })
    expect(lines.join('\n')).not.toContain('bo.md')
  })

  it('gives the findings of both as JSON, and what cannot be read as one of them', async () => {
    const cwd = folderOf({ 'relevo.yaml': 'team: {}\n', 'participants/ana.md': ANA })
    mkdirSync(join(cwd, 'participants/dir.md'))
    const shell = new Console({ cwd })
    expect(await shell.run('check', '--json')).toBe(2)
    const path = join(cwd, 'participants/dir.md')
    expect(shell.json).toEqual([
      { file: join(cwd, 'relevo.yaml'), errors: [expect.objectContaining({ code: 'unreadable_file', path })], warnings: [] },
    ])
  })
})
