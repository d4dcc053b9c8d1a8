import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RunEvent } from '../../src/faces/demo/timeline.ts'
import { ROOT } from '../architecture/source.ts'
import { Console, folderOf } from './console.ts'
import { expectStory } from './demo-story.ts'

/** What the programs of the demo leave behind, and what happens where there can be none. */

const CLI = join(ROOT, 'dist/cli.js')
/** The turn in which claude is at work on a tool. */
const AT_WORK = 'the provider runs Bash'
const LEFT_OUT = /^note: the acts with coding-agent CLIs are left out: .*\. Set TMPDIR to a folder that may hold programs\.$/

/** An empty folder in which this process makes its temporary ones. */
function temporaryFolders(folder = folderOf({})): string {
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return folder
}

function callOfClaude(temporary: string): { pid: number; environment: readonly string[] } {
  const [folder = ''] = readdirSync(temporary)
  return JSON.parse(readFileSync(join(temporary, folder, 'fake-cli/calls/claude/0'), 'utf8'))
}

/** The demo as a user starts it, in a process of its own. */
function start(options: readonly string[], temporary: string): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [CLI, 'demo', ...options], { env: { PATH: process.env['PATH'], TMPDIR: temporary } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const ended = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => void child.on('close', resolve))

describe('the programs of the demo', () => {
  it('an interrupt while one runs ends it, and leaves no process and no file', async () => {
    const temporary = temporaryFolders()
    const shell = new Console()
    const running = shell.run('demo', '--speed', '4')
    await shell.shown(AT_WORK)
    const { pid } = callOfClaude(temporary)
    expect(process.kill(pid, 0)).toBe(true)
    shell.interrupt.abort()
    expect(await running).toBe(130)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(readdirSync(temporary)).toEqual([])
    expect(shell.outLines.at(-1)).toContain('cancelled')
  })

  it('a demo that is over, and one whose process exits while a program runs, leave no file', async () => {
    const temporary = folderOf({})
    const whole = start(['--speed', '20'], temporary)
    const cut = start(['--speed', '4'], temporary)
    let out = ''
    cut.stdout.on('data', (chunk) => {
      out += chunk
      // Nobody reads on: the process exits at the next thing that it prints.
      if (out.includes(AT_WORK)) cut.stdout.destroy()
    })
    whole.stdout.resume()
    expect(await Promise.all([ended(whole), ended(cut)])).toEqual([0, 0])
    expect(out).toContain(AT_WORK)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('see nothing of the environment, and no other program of these names is called', async () => {
    const installed = folderOf({ claude: '#!/bin/sh\nexit 9\n', codex: '#!/bin/sh\nexit 9\n' })
    for (const name of readdirSync(installed)) chmodSync(join(installed, name), 0o755)
    vi.stubEnv('PATH', `${installed}:${process.env['PATH'] ?? ''}`)
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-a-test')
    const temporary = temporaryFolders()
    const shell = new Console()
    const running = shell.run('demo', '--speed', '4')
    await shell.shown(AT_WORK)
    const { environment } = callOfClaude(temporary)
    shell.interrupt.abort()
    expect(await running).toBe(130)
    expect(environment).toContain('PATH')
    expect(environment).not.toContain('ANTHROPIC_API_KEY')
  })
})

describe('where the demo can have no programs', () => {
  it('no temporary folder: one line says so, and the rest is played', async () => {
    temporaryFolders(join(folderOf({}), 'missing'))
    const shell = new Console()
    expect(await shell.run('demo', '--json', '--speed', '2')).toBe(0)
    expect(shell.errLines).toEqual([expect.stringMatching(LEFT_OUT)])
    expect(shell.err).toContain('missing')
    const events = shell.json as unknown as RunEvent[]
    expectStory(events)
    expect(events.at(-1)).toMatchObject({ type: 'kernel.ledger', holds: [{ key: 'anthropic.demo' }] })
    expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(7)
  })

  const mount = (script: string) => ['-rm', 'sh', '-c', `mount -t tmpfs -o noexec tmpfs "$TMPDIR" && ${script}`]
  const canMount = spawnSync('/usr/bin/unshare', mount('true'), { env: { PATH: process.env['PATH'], TMPDIR: tmpdir() } }).status === 0

  it.skipIf(!canMount)(`a folder where nothing may run${canMount ? '' : ' (skipped: `unshare -rm` may not mount here)'}: so, too`, async () => {
    const child = spawn('/usr/bin/unshare', mount(`"${process.execPath}" "${CLI}" demo --speed 20 && ls -A "$TMPDIR"`), {
      env: { PATH: process.env['PATH'], TMPDIR: folderOf({}) },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    expect(await ended(child)).toBe(0)
    expect(err.trimEnd()).toMatch(LEFT_OUT)
    expect(err).toContain('no program may run in')
    expect(out).toContain('every call that went out')
    // Nor is anything left in the folder, which was listed behind it.
    expect(out).not.toContain('relevo-demo-')
  })
})
