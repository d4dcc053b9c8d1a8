import { describe, expect, it } from 'vitest'
import { Console, folderOf, GOOD, KEY } from './console.ts'

async function check(files: Record<string, string>, argv: string[], env: Record<string, string> = KEY) {
  const cwd = folderOf(files)
  const shell = new Console({ cwd, env })
  const code = await shell.run('check', ...argv)
  return { code, cwd, shell, lines: shell.outLines.map((line) => line.replaceAll(`${cwd}/`, '')) }
}

describe('relevo check', () => {
  it('where there are no settings, says where to see some to start from; those are without findings', async () => {
    const { code, lines } = await check({}, [])
    expect(code).toBe(2)
    expect(lines[0]).toMatch(/\(no_settings\) Write one, as `relevo check --help` shows it, or name a file with --config\.$/)
    const { shell } = await check({}, ['--help'])
    const [, shown = ''] = /relevo\.yaml to start from:\n\n([\s\S]+?)\n\n/.exec(`${shell.out}\n\n`) ?? []
    const first = await check({ 'relevo.yaml': shown.replaceAll(/^ {2}/gm, '') }, [], { OPENAI_API_KEY: 'k1', ANTHROPIC_API_KEY: 'k2' })
    expect([first.code, first.lines]).toEqual([0, ['relevo.yaml: no errors, no warnings']])
  })

  it('exits 0 without findings', async () => {
    const { code, lines, shell } = await check({ 'relevo.yaml': GOOD }, [])
    expect([code, lines, shell.err]).toEqual([0, ['relevo.yaml: no errors, no warnings'], ''])
  })

  it('SEC-07 a key file that ends with its line is trimmed, with a warning', async () => {
    const text = 'primary: a.x\nprofiles:\n  a.x: { model: m1, apiKey: { file: key }, api: openai-chat, endpoint: "http://127.0.0.1:1/v1" }\n'
    const { code, lines } = await check({ 'relevo.yaml': text, key: 'sk-1234567890\n' }, [])
    expect([code, lines.length]).toEqual([0, 1])
    expect(lines[0]).toMatch(/^warning: relevo\.yaml: profiles\.a\.x\.apiKey: .*\(credential_trimmed\)/)
  })

  it('R5 tells every problem at once, a line each, with code, path and remedy, and exits 2', async () => {
    const text = `primary: a.x
profiles:
  a.x: { model: m1, apiKey: k1, api: openai-chat, endpoint: "http://127.0.0.1:1/v1", fallbaks: [], fallback: [b.y] }
  b.y: { model: m2, apiKey: "env:MISSING_KEY", api: openai-chat, endpoint: "http://127.0.0.1:1/v1" }
reliability: { providerRetries: two }
`
    const { code, lines } = await check({ 'relevo.yml': text }, [])
    expect(code).toBe(2)
    expect(lines.map((line) => /^(\w+): relevo\.yml: ([^:]+): .+ \((\w+)\) .+/.exec(line)?.slice(1, 4))).toEqual([
      ['error', 'profiles.a.x.fallbaks', 'unknown_setting'],
      ['error', 'reliability.providerRetries', 'invalid_setting'],
      ['error', 'profiles.b.y.apiKey', 'missing_credential'],
      ['warning', 'profiles.a.x.apiKey', 'literal_credential'],
    ])
    expect(lines[0]).toContain('`fallback`')
    expect(lines[2]).toContain('MISSING_KEY')
  })

  it('tells of a profile that no engine can be made for', async () => {
    const text = 'primary: a.x\nprofiles:\n  a.x: { model: m1, apiKey: "env:KEY" }\n'
    const { code, shell } = await check({ 'relevo.yaml': text }, ['--json'])
    expect(code).toBe(2)
    expect(shell.json).toMatchObject([{ errors: [{ path: 'profiles.a.x.api' }], warnings: [] }])
  })

  it('warns about a literal key, never repeats it, and with --strict exits 1', async () => {
    const text = GOOD.replace('"env:KEY"', 'sk-CANARY')
    expect((await check({ 'relevo.yaml': text }, [])).code).toBe(0)
    const { code, lines } = await check({ 'relevo.yaml': text }, ['--strict'])
    expect(code).toBe(1)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^warning: relevo\.yaml: profiles\.a\.x\.apiKey: .*\(literal_credential\)/)
    expect(lines.join()).not.toContain('sk-CANARY')
  })

  it.each([
    ['relevo.yaml', 'primary: a.x\nprofiles:\n  a.x: { model: m1, }}\n', 'relevo.yaml:3:22'],
    ['relevo.yaml', 'primary: a.x\nprimary: b.y\n', 'relevo.yaml:2:1'],
    ['relevo.json', '{"primary": "a.x",\n "profiles": {},}', 'relevo.json:2:17'],
    ['relevo.json', '{"primary": "a.x",\n "primary": "b.y"}', 'relevo.json:2:2'],
  ])('says line and column where %s is broken: %j', async (name, text, place) => {
    const { code, lines } = await check({ [name]: text }, [])
    expect(code).toBe(2)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(new RegExp(`^error: ${place.replaceAll('.', '\\.')}: .*\\(invalid_text\\) .+`))
  })

  it.each([
    ['nowhere.yaml', 'does not exist'],
    ['folder', 'is a folder'],
  ])('tells why %s cannot be read', async (name, why) => {
    const { code, lines } = await check({ 'folder/file': '' }, [name])
    expect(code).toBe(2)
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^error: ${name}: .*${why}.*\\(unreadable_file\\) .+`))])
  })

  it('looks for relevo.yaml, yml, json here and above; --config and FILE name another, FILE first', async () => {
    const files = { 'relevo.json': '{}', 'above/relevo.yml': GOOD, 'above/below/deep/x': '', 'other.yaml': 'primary: 1\n' }
    const cwd = folderOf(files)
    const upward = new Console({ cwd: `${cwd}/above/below/deep`, env: KEY })
    expect(await upward.run('check')).toBe(0)
    expect(upward.out).toContain(`${cwd}/above/relevo.yml`)
    const named = new Console({ cwd, env: KEY })
    expect(await named.run('check', '--config', 'other.yaml', 'above/relevo.yml')).toBe(0)
    const configured = new Console({ cwd, env: KEY })
    expect(await configured.run('--config', 'other.yaml', 'check')).toBe(2)
    expect(configured.out).toContain('other.yaml')
  })

  it('reads key files from the folder of the settings file', async () => {
    const cwd = folderOf({ 'team/relevo.yaml': GOOD.replaceAll('"env:KEY"', '{ file: keys/one }'), 'team/keys/one': 'k-1\n' })
    const shell = new Console({ cwd })
    expect(await shell.run('check', 'team/relevo.yaml')).toBe(0)
  })
})
