import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { fakeCliProgram, type installFakeClis, launcher } from '../../../src/engines/fake-cli/install.ts'
import { call, fakes, finalText } from './run.ts'

describe('the executables', () => {
  test('are those that were asked for, and run with an empty environment and any PATH', async () => {
    const clis = await fakes({ claude: [{ text: 'hi' }] }, ['claude', 'agy'])
    expect(readdirSync(clis.path).sort()).toEqual(['agy', 'claude', 'fake-cli'])
    expect(finalText('claude', (await call(clis, 'claude', { env: { PATH: '/nowhere' } })).events)).toBe('hi')
  })

  test('a path of Node with a space in it does not end the first line', async () => {
    const { directory } = await fakes({ agy: [{ text: 'hi' }] })
    const folder = join(directory, "it's a folder")
    mkdirSync(folder)
    symlinkSync(process.execPath, join(folder, 'node'))
    const path = join(directory, 'agy')
    writeFileSync(path, launcher(join(folder, 'node'), fakeCliProgram(import.meta.url.replace('/test/', '/src/')), 'agy', directory))
    chmodSync(path, 0o755)
    const { status, stdout } = spawnSync(path, ['-p', "it's $HOME", '--output-format', 'stream-json'], { encoding: 'utf8', env: {} })
    expect([status, stdout.includes('SUCCESS')]).toEqual([0, true])
  })

  test('a package that was not built is told, with what to do', () => {
    const module = (path: string) => pathToFileURL(path).href
    expect(() => fakeCliProgram(module('/nowhere/src/engines/fake-cli/install.ts'))).toThrow(/\/nowhere\/dist\/fake-cli\.js.*npm run build/)
    expect(() => fakeCliProgram(module('/nowhere/dist/testing.js'))).toThrow(/\/nowhere\/dist\/fake-cli\.js.*npm run build/)
  })

  test('the built door finds them too', async () => {
    const { directory } = await fakes({ agy: [{ text: 'from the package' }] })
    const door = pathToFileURL(fakeCliProgram(import.meta.url.replace('/test/', '/src/')).replace('fake-cli.js', 'testing.js')).href
    const { installFakeClis: built } = (await import(door)) as { installFakeClis: typeof installFakeClis }
    const clis = await built({ directory: join(directory, 'built'), script: { agy: [{ text: 'from the package' }] } })
    expect(finalText('agy', (await call(clis, 'agy')).events)).toBe('from the package')
  })
})

describe('which run a call takes', () => {
  test('in the order of use, the last one repeats; a model with a list of its own takes from that one', async () => {
    const clis = await fakes({ agy: [{ text: 'first' }, { text: 'second' }], 'agy:pro': [{ text: 'of pro' }] })
    const ask = async (model?: string): Promise<unknown> => {
      const args = ['-p', 'x', '--output-format', 'stream-json', ...(model === undefined ? [] : ['--model', model])]
      return finalText('agy', (await call(clis, 'agy', { args })).events)
    }
    expect([await ask(), await ask('pro'), await ask('flash'), await ask(), await ask('pro')]).toEqual([
      'first',
      'of pro',
      'second',
      'second',
      'of pro',
    ])
    expect((await clis.calls('agy')).map(({ run }) => run)).toEqual(['agy[0]', 'agy:pro[0]', 'agy[1]', 'agy[1]', 'agy:pro[0]'])
  })

  test('two that run at once never take the same', async () => {
    const runs = Array.from({ length: 5 }, (_, index) => ({ text: `run ${index}` }))
    const clis = await fakes({ agy: runs })
    const ended = await Promise.all(runs.map(() => call(clis, 'agy')))
    expect(ended.map(({ events }) => finalText('agy', events)).sort()).toEqual(runs.map(({ text }) => text))
    expect((await clis.calls('agy')).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
  })

  test('nothing scripted is told, with the name of the list, and takes no run', async () => {
    const clis = await fakes({ claude: [{ text: 'hi' }] })
    const ended = await call(clis, 'codex', { args: ['exec', '--json', '-m', 'gpt', 'hello'], stdin: null })
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      70,
      '',
      expect.stringMatching(/nothing is scripted for codex:gpt; .*`codex:gpt` or `codex`/),
    ])
    expect((await clis.calls('codex'))[0]?.run).toBeNull()
  })
})

describe('the record of a call', () => {
  test('holds what the process was given; of its variables the names', async () => {
    const clis = await fakes({ gemini: [{ text: 'hi' }] })
    const args = ['-o', 'stream-json', '-m', 'pro']
    await call(clis, 'gemini', { args, stdin: '-é\0 $HOME', env: { TZ: 'Asia/Tokyo', GEMINI_API_KEY: 'hush' } })
    const [recorded] = await clis.calls('gemini')
    expect(recorded).toMatchObject({ n: 1, args, directory: process.cwd(), zone: 'Asia/Tokyo', run: 'gemini[0]', grandchild: null })
    expect(recorded?.environment).toEqual(['GEMINI_API_KEY', 'TZ'])
    expect(recorded?.pid).toBeGreaterThan(1)
    expect(recorded?.stdin).toMatchObject({ bytes: 10, text: '-é\0 $HOME' })
    expect(JSON.stringify(recorded)).not.toContain('hush')
  })

  test('of a large prompt it keeps the size and the SHA-256', async () => {
    const clis = await fakes({ claude: [{ text: 'hi' }] })
    const prompt = `-${'ü'.repeat(2_500_000)}`
    await call(clis, 'claude', { stdin: prompt })
    const sha256 = createHash('sha256').update(prompt).digest('hex')
    expect((await clis.calls('claude'))[0]?.stdin).toEqual({ bytes: 5_000_001, sha256, text: null })
  })

  test('is there for a call that was refused, too, and none without a call', async () => {
    const clis = await fakes({ claude: [{ text: 'hi' }] })
    expect(await clis.calls('claude')).toEqual([])
    await call(clis, 'claude', { args: ['--nope'] })
    expect(await clis.calls('claude')).toMatchObject([{ args: ['--nope'], run: null, stdin: null }])
  })
})

describe('a command line', () => {
  test.each([
    ['claude', ['-p', '--nope'], 1, /unknown option '--nope'\nUsage: claude/],
    ['codex', ['exec', '--json', '--nope'], 2, /unknown option '--nope'\nUsage: codex exec/],
    ['agy', ['-p', 'x', '--nope=1'], 2, /unknown option '--nope=1'\nUsage of agy/],
    ['gemini', ['--nope'], 1, /unknown option '--nope'\nUsage: gemini/],
    ['claude', ['-p', '--output-format', 'stream-json', 'hi'], 1, /requires --verbose/],
    ['claude', ['-p', '--model'], 1, /unknown option '--model'/],
    ['codex', ['--json', 'hi'], 1, /plays `codex exec` only/],
    ['codex', ['exec', '--json', 'one', 'two'], 2, /unexpected argument 'two'/],
    ['agy', ['-p', 'x', 'y'], 2, /unexpected argument: y/],
    ['agy', ['-p', ''], 1, /empty prompt/],
    ['gemini', ['-o', 'stream-json', '-p', 'x', 'y'], 1, /Cannot use both/],
    ['gemini', ['-p', 'x'], 1, /speaks only --output-format stream-json, not text/],
  ] as const)('%s %j is refused with %d', async (name, args, code, words) => {
    const ended = await call(await fakes({ [name]: [{ text: 'hi' }] }), name, { args, stdin: null })
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, '', expect.stringMatching(words)])
  })

  test.each([
    ['claude', ['-p', '--output-format', 'stream-json', '--verbose'], 1],
    ['codex', ['exec', '--json', '-'], 1],
    ['gemini', ['-o', 'stream-json'], 42],
  ] as const)('%s without a prompt ends with %3$d', async (name, args, code) => {
    const ended = await call(await fakes({ [name]: [{ text: 'hi' }] }), name, { args, stdin: null })
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr).not.toBe('')
  })

  test('agy without -p opens its screen, finds no terminal, and ends with 0', async () => {
    const ended = await call(await fakes({ agy: [{ text: 'hi' }] }), 'agy', { args: ['hello'] })
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringMatching(/^CLI error: .*TTY/)])
  })

  test('a prompt that begins with a dash is the value of -p', async () => {
    const clis = await fakes({ agy: [{ text: 'hi' }] })
    const ended = await call(clis, 'agy', { args: ['-p', '--model', '--output-format', 'stream-json'] })
    expect([ended.code, finalText('agy', ended.events)]).toEqual([0, 'hi'])
  })

  test('codex reads a pipe to its end even when it was given a prompt', async () => {
    const clis = await fakes({ codex: [{ text: 'hi' }] })
    const ended = await call(clis, 'codex', { args: ['exec', '--json', 'say'], stdin: 'more' })
    expect([ended.code, ended.stderr]).toEqual([0, 'Reading additional input from stdin...\n'])
    expect((await clis.calls('codex'))[0]?.stdin).toMatchObject({ text: 'more' })
  })

  test.each(['claude', 'codex', 'agy', 'gemini'] as const)('%s tells its version and takes no run for it', async (name) => {
    const clis = await fakes({ [name]: [{ text: 'hi' }] })
    expect(await call(clis, name, { args: ['--version'], stdin: null })).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+\.\d+\.\d+/) })
    expect((await call(clis, name, { args: ['--help'], stdin: null })).stdout).toMatch(/^Usage/)
    expect(await clis.calls(name)).toMatchObject([{ run: null }, { run: null }])
  })
})
