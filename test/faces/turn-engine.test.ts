import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FakeCliName, type FakeCliScript, startLoopbackProvider } from '../../src/testing.ts'
import { PROGRAMS, Stage } from '../cli/stage.ts'
import { Console, type ConsoleOptions, folderOf } from './console.ts'

/** `relevo turn --engine`: a turn on coding-agent CLIs, which run as real processes. */

const HOUR_MS = 3_600_000

async function stage(
  script: FakeCliScript,
  { names, ...options }: ConsoleOptions & { readonly names?: readonly FakeCliName[] } = {},
): Promise<{ shell: Console; clis: Stage; runs: string }> {
  const clis = await Stage.of(
    script,
    names ?? PROGRAMS.map(({ name }) => name).filter((name) => Object.keys(script).some((key) => key.startsWith(name))),
  )
  const env = { PATH: clis.clis.path, XDG_STATE_HOME: clis.runs, ...options.env }
  const shell = new Console({ cwd: folderOf({}), ...options, env })
  return { shell, clis, runs: join(clis.runs, 'relevo', 'runs') }
}

const TOOL = { name: 'shell', arguments: { command: 'ls' }, output: 'a.txt' }

describe.each(PROGRAMS)('relevo turn --engine $family', ({ family, name }) => {
  it('streams its answer to stdout, and needs no settings', async () => {
    const { shell, clis, runs } = await stage({ [name]: [{ text: 'Hello from a program.\n', tools: [TOOL] }] })
    expect(await shell.run('turn', '--engine', family, 'Say hello.')).toBe(0)
    expect(shell.out).toBe('Hello from a program.\n')
    expect(shell.errLines[0]).toMatch(new RegExp(`attempt {3}1: ${family}\\.installed/\\*, streaming$`))
    expect(shell.err).not.toContain('error')
    const [call] = await clis.calls(name)
    expect(call?.args).not.toContain('--model')
    expect(call?.zone).toBe('UTC')
    // Where runs are written down is the state directory of the user; nothing runs any more.
    expect(readdirSync(runs)).toEqual([])
  })

  it('asks for the model behind the colon', async () => {
    const { shell, clis } = await stage({ [name]: [{ text: 'of another' }], [`${name}:a:b`]: [{ text: 'of this one' }] })
    expect(await shell.run('turn', 'hi', '--engine', `${family}:a:b`)).toBe(0)
    expect(shell.out).toBe('of this one\n')
    expect((await clis.calls(name)).map(({ run }) => run)).toEqual([`${name}:a:b[0]`])
  })

  it('a crash: exit 1 with the words of the program, so that nobody has to run it again to read them', async () => {
    const { shell } = await stage({ [name]: [{ crash: { exit: 3, stderr: 'Error: boom in the engine room' } }] })
    expect(await shell.run('turn', '--engine', family, 'hi')).toBe(1)
    const note = shell.errLines.find((line) => line.startsWith('note: '))
    expect(note).toMatch(/^note: the last one failed with: .*boom in the engine room.*\(exit_3\)$/)
    expect(shell.errLines.at(-1)).toMatch(/^error: /)
  })

  it('limited: exit 4 with the time at which it is back', async () => {
    const at = Math.floor((Date.now() + HOUR_MS) / 60_000) * 60_000
    const { shell } = await stage({ [name]: [{ limit: { resetAt: at } }] })
    const askedAt = Date.now()
    expect(await shell.run('turn', 'hi', '--engine', family)).toBe(4)
    expect(shell.out).toBe('')
    const told = /\(all_held\)\. The first is back at (\S+), in .+; ask again then\.$/.exec(shell.errLines.at(-1) ?? '')?.[1]
    // Two of them tell the instant, two the length from then.
    const late = family === 'claude' || family === 'codex' ? 0 : Date.now() - askedAt + 1_000
    expect(Math.abs(Date.parse(told ?? '') - at)).toBeLessThanOrEqual(late)
  })

  it('Ctrl-C ends the process and its group: exit 130', async () => {
    const { shell, clis, runs } = await stage({ [name]: [{ text: 'As far as this goes', tools: [TOOL], stall: true, grandchild: true }] })
    const code = shell.run('turn', 'hi', '--engine', family)
    await shell.shown('the provider runs')
    const { pid, grandchild } = await clis.took(name)
    expect(await clis.survivors()).toEqual([pid, grandchild])
    shell.interrupt.abort()
    expect(await code).toBe(130)
    expect(shell.err).not.toContain('error')
    // The command is over when they are.
    expect(await clis.survivors()).toEqual([])
    expect(readdirSync(runs)).toEqual([])
  })
})

describe('a chain of engines', () => {
  it('T10 one that is not installed is left out with one line that names it', async () => {
    const { shell } = await stage({ agy: [{ text: 'from agy' }] })
    expect(await shell.run('turn', 'hi', '--engine', 'codex,agy', '--json')).toBe(0)
    expect(shell.errLines).toEqual([
      expect.stringMatching(/^note: .*There is no program `codex` on this machine; .*Install it: npm install -g @openai\/codex /),
    ])
    expect(shell.json.at(-1)).toMatchObject({ type: 'turn.ended', outcome: { kind: 'ok', text: 'from agy', served: { profile: 'agy.installed' } } })
  })

  it.each([
    ['claude', 'npm install -g @anthropic-ai/claude-code'],
    ['codex', 'npm install -g @openai/codex'],
    ['agy', 'https://antigravity.google/cli/install.sh'],
    ['gemini-cli', 'npm install -g @google/gemini-cli'],
  ])('%s alone and not installed: exit 2, and how to install it', async (family, install) => {
    const { shell, runs } = await stage({})
    expect(await shell.run('turn', 'hi', '--engine', family)).toBe(2)
    expect(shell.errLines).toHaveLength(1)
    expect(shell.err).toMatch(/^error: .*There is no program `\w+` on this machine.*\(cli_not_installed\)/)
    expect(shell.err).toContain(install)
    expect(() => readdirSync(runs)).toThrow('ENOENT')
  })

  it('all of them missing: a line each, exit 2', async () => {
    const { shell } = await stage({})
    expect(await shell.run('turn', 'hi', '--engine', 'claude,codex')).toBe(2)
    expect(shell.errLines).toEqual([expect.stringContaining('`claude`'), expect.stringContaining('`codex`')])
  })

  it('T9 the next one takes the turn, and who was limited is told once', async () => {
    const { shell, clis } = await stage({ claude: [{ limit: { resetInMs: HOUR_MS } }], codex: [{ text: 'from codex' }] })
    expect(await shell.run('turn', 'hi', '--engine', 'claude', '--engine', 'codex')).toBe(0)
    expect(shell.out).toBe('from codex\n')
    expect(shell.errLines.filter((line) => line.includes('hold'))).toEqual([expect.stringContaining('claude.installed ')])
    expect(await clis.calls('claude')).toHaveLength(1)
  })

  it('T6 a limit of a model leaves the other model of the same program', async () => {
    const { shell } = await stage({
      'claude:opus': [{ limit: { resetInMs: HOUR_MS, scope: 'seven_day_opus' } }],
      'claude:sonnet': [{ text: 'sonnet' }],
    })
    expect(await shell.run('turn', 'hi', '--engine', 'claude:opus,claude:sonnet')).toBe(0)
    expect(shell.out).toBe('sonnet\n')
    expect(shell.err).toMatch(/hold +claude\.installed\/opus /)
  })

  it('goes over to an HTTP profile of the settings', async () => {
    const provider = await startLoopbackProvider({ script: { 'a.x/m1': { call: [{ ok: 'from the service' }] } } })
    onTestFinished(() => provider.close())
    const settings = `primary: a.x
profiles:
  a.x: { model: m1, apiKey: "env:KEY", api: openai-chat, endpoint: "${provider.endpoint('a.x')}" }
`
    const { shell } = await stage({ codex: [{ auth: true }] }, { cwd: folderOf({ 'relevo.yaml': settings }), env: { KEY: 'key-of-a-test' } })
    expect(await shell.run('turn', 'hi', '--engine', 'codex,a.x')).toBe(0)
    expect(shell.out).toBe('from the service\n')
    expect(provider.problems).toEqual([])
  })
})

describe('what is no engine', () => {
  it.each([
    [['--engine', 'clade'], ['error: --engine: `clade` is no engine. Use one of claude, codex, agy, gemini-cli.']],
    [['--engine', 'claude:'], ['error: --engine: `claude:` names no model. Write one behind the colon, or leave it out.']],
    [['--engine', ','], ['error: --engine: name at least one engine: claude, codex, agy, gemini-cli.']],
    [
      ['--engine', 'claude', '--model', 'opus'],
      ['error: --model and --engine cannot stand together. Write the model behind the engine: `--engine claude:opus`.'],
    ],
  ])('%j: exit 2, and nothing is started', async (argv, lines) => {
    const { shell, clis } = await stage({ claude: [{ text: 'must not be asked' }] })
    expect(await shell.run('turn', 'hi', ...argv)).toBe(2)
    expect([shell.out, shell.errLines]).toEqual(['', lines])
    expect(await clis.calls('claude')).toHaveLength(0)
  })
})

describe('what goes wrong', () => {
  it('R28 a program that breaks off: its text stands, exit 1', async () => {
    const { shell } = await stage({ claude: [{ text: 'As far as this goes', cut: true }] })
    expect(await shell.run('turn', 'hi', '--engine', 'claude')).toBe(1)
    expect(shell.out).toBe('As far as this goes\n')
    expect(shell.errLines.at(-1)).toMatch(/^error: .*\(interrupted\)\./)
  })

  it('R21, T22 a program without a login: exit 1, and the log has its words', async () => {
    const { shell } = await stage({ claude: [{ auth: true }] })
    expect(await shell.run('turn', 'hi', '--engine', 'claude', '--log-level', 'warn')).toBe(1)
    expect(shell.err).toContain('Not logged in')
    expect(shell.err).toMatch(/failed +1: it is not signed in, or its key is not accepted\n/)
    expect(shell.errLines.at(-1)).toMatch(/^error: .*\(exhausted\)\. Sign in with the program, or correct `apiKey`; /)
  })

  it('R36 neither prompt nor answer is in the log', async () => {
    const { shell } = await stage({ codex: [{ text: 'ANSWER-CANARY', tools: [{ ...TOOL, output: 'TOOL-CANARY' }], cut: true }] })
    expect(await shell.run('turn', 'PROMPT-CANARY', '--engine', 'codex', '--json', '--log-level', 'debug')).toBe(1)
    expect(shell.err).not.toContain('CANARY')
  })
})
