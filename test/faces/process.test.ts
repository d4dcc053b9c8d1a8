import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/faces/demo/timeline.ts'
import { mismatches } from '../../src/simulate/match.ts'
import { type LoopbackScript, startLoopbackProvider } from '../../src/testing.ts'
import { ROOT } from '../architecture/source.ts'
import { folderOf, GOOD } from './console.ts'

/** The command line as a user gets it: the built file, in a process of its own. */
const CLI = join(ROOT, 'dist/cli.js')

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

class Process {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  #out = ''
  #err = ''

  constructor(argv: readonly string[], options: { cwd?: string; env?: Record<string, string>; stdin?: string } = {}) {
    this.child = spawn(process.execPath, [CLI, ...argv], { cwd: options.cwd, env: { PATH: process.env['PATH'] ?? '', ...options.env } })
    this.child.stdout.on('data', (chunk) => {
      this.#out += chunk
    })
    this.child.stderr.on('data', (chunk) => {
      this.#err += chunk
    })
    // A process that ends without reading its input closes it.
    this.child.stdin.on('error', () => {})
    this.child.stdin.end(options.stdin ?? '')
    this.ended = new Promise((resolve) => void this.child.on('close', (code) => resolve({ code, out: this.#out, err: this.#err })))
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  get out(): string {
    return this.#out
  }

  /** Resolves once stdout holds this text. */
  async shown(text: string): Promise<void> {
    while (!this.#out.includes(text)) await new Promise<void>((resolve) => void this.child.stdout.once('data', () => resolve()))
  }
}

const relevo = (argv: readonly string[], options: ConstructorParameters<typeof Process>[1] = {}): Promise<Ended> => new Process(argv, options).ended

async function settingsFor(script: LoopbackScript) {
  const provider = await startLoopbackProvider({ script })
  onTestFinished(() => provider.close())
  const cwd = folderOf({
    'relevo.json': JSON.stringify({
      primary: 'a.x',
      profiles: { 'a.x': { model: 'm1', apiKey: { env: 'KEY' }, api: 'openai-chat', endpoint: provider.endpoint('a.x') } },
    }),
  })
  return { provider, options: { cwd, env: { KEY: 'k-1' } } }
}

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'test/tools/build-when-stale.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed:\n${stderr}`)
}, 300_000)

describe('the built command line', () => {
  it('says its version, and is a program that can be executed', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(await relevo(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
    expect(readFileSync(CLI, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true)
    expect(statSync(CLI).mode & 0o111).not.toBe(0)
  })

  it('prints a stack only with --debug', async () => {
    const cwd = folderOf({ 'relevo.yaml': 'primary: [' })
    expect((await relevo(['plan'], { cwd })).err).not.toMatch(/^ +at /m)
    expect((await relevo(['plan', '--debug'], { cwd })).err).toMatch(/^ +at /m)
  })

  it('runs the routing and plans corpora, each in one process', async () => {
    const folder = join(ROOT, 'test/corpus/routing')
    const scenarios = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { id: string; expect: unknown }[])
    const lines = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).join('\n')
    const traces = await relevo(['simulate', '--jsonl', '--expect'], { stdin: lines(scenarios) })
    expect([traces.code, traces.err]).toEqual([0, ''])
    expect(traces.out.trimEnd().split('\n')).toHaveLength(scenarios.length)

    const plans = JSON.parse(readFileSync(join(ROOT, 'test/corpus/plans/plans.json'), 'utf8')) as { id: string; expect: unknown }[]
    const planned = await relevo(['plan', '--jsonl'], { stdin: lines(plans) })
    expect(planned.code).toBe(1)
    const answers = planned.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(plans.filter(({ expect }, index) => mismatches(expect, answers[index]).length > 0)).toEqual([])
    expect(answers).toHaveLength(plans.length)
  }, 60_000)

  it('answers each line of --jsonl before the next one is there', async () => {
    const child = spawn(process.execPath, [CLI, 'read', 'failure', '--jsonl'])
    onTestFinished(() => void child.kill('SIGKILL'))
    const answer = (): Promise<string> => new Promise((resolve) => void child.stdout.once('data', (chunk) => resolve(String(chunk))))
    for (const id of [1, 2]) {
      child.stdin.write(`{"id":${id},"code":"EPIPE"}\n`)
      expect(JSON.parse(await answer())).toMatchObject({ id, kind: 'network' })
    }
    child.stdin.end()
    expect(await new Promise((resolve) => void child.on('close', resolve))).toBe(0)
  })

  it('reads a key from the environment and serves a turn', async () => {
    const { options } = await settingsFor({ 'a.x/m1': { stream: [{ events: [{ text: 'It works.' }, { final: 'stop' }] }] } })
    expect(await relevo(['turn', 'hi'], options)).toMatchObject({ code: 0, out: 'It works.\n' })
    expect(await relevo(['check'], { ...options, env: {} })).toMatchObject({ code: 2, out: expect.stringContaining('profiles.a.x.apiKey') })
  })
})

describe('signals and closed pipes', () => {
  it('R30 SIGINT during a turn keeps the partial text and exits 130', async () => {
    const { provider, options } = await settingsFor({ 'a.x/m1': { stream: [{ events: [{ text: 'As far as ' }, { stall: true }] }] } })
    const turn = new Process(['turn', 'hi'], options)
    await turn.shown('As far as ')
    turn.child.kill('SIGINT')
    expect(await turn.ended).toMatchObject({ code: 130, out: 'As far as \n' })
    expect(await provider.requests[0]?.ended).toBe('client_gone')
    expect(provider.requests).toHaveLength(1)
  })

  it('a second SIGINT ends at once what the first could not end', async () => {
    // Nobody reads stdout, so the command waits for room and cannot come to its end.
    const piece = { text: 'x'.repeat(100_000) }
    const { provider, options } = await settingsFor({ 'a.x/m1': { stream: [{ events: [...Array(40).fill(piece), { stall: true }] }] } })
    const child = spawn(process.execPath, [CLI, 'turn', 'hi'], { ...options, env: { ...options.env }, stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const closed = new Promise((resolve) => void child.on('exit', (code) => resolve(code)))
    const request = await provider.requested(1)
    child.stdout.once('readable', () => child.kill('SIGINT'))
    expect(await request.ended).toBe('client_gone')
    expect(child.exitCode).toBe(null)
    child.kill('SIGINT')
    expect(await closed).toBe(130)
  })

  const full = existsSync('/dev/full')
  it.skipIf(!full)(
    `a full disk under stdout or stderr ends it, with a line where there is room for one${full ? '' : ' (no /dev/full here)'}`,
    async () => {
      const device = openSync('/dev/full', 'w')
      onTestFinished(() => closeSync(device))
      const ended = async (out: number | 'pipe', err: number | 'pipe') => {
        const child = spawn(process.execPath, [CLI, 'machines', ...(out === 'pipe' ? ['no-such-chart'] : [])], { stdio: ['ignore', out, err] })
        onTestFinished(() => void child.kill('SIGKILL'))
        let said = ''
        child.stderr?.on('data', (chunk) => {
          said += chunk
        })
        return [await new Promise((resolve) => void child.on('close', resolve)), said]
      }
      expect(await ended(device, 'pipe')).toEqual([1, 'error: standard output: it cannot be written (ENOSPC). Make room, or send it elsewhere.\n'])
      expect(await ended('pipe', device)).toEqual([1, ''])
    },
  )

  it('serves on when nobody reads its log any more', async () => {
    const { options, provider } = await settingsFor({ 'a.x/m1': { call: Array.from({ length: 3 }, () => ({ ok: 'Hello' })) } })
    const serving = new Process(['--log-level', 'debug', 'serve', '--port', '0'], options)
    await serving.shown('\n')
    const address = /http:\S+/.exec(serving.out)?.[0] ?? ''
    serving.child.stdout.destroy()
    serving.child.stderr.destroy()
    for (let at = 0; at < 3; at++) {
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] })
      const answer = await fetch(`${address}/v1/chat/completions`, { method: 'POST', body })
      expect([answer.status, (await answer.text()).includes('Hello')]).toEqual([200, true])
    }
    expect(provider.requests).toHaveLength(3)
    serving.child.kill('SIGTERM')
    expect((await serving.ended).code).toBe(0)
  })

  it('a reader that goes away ends it quietly', async () => {
    const child = spawn(process.execPath, [CLI, 'demo', '--json'])
    onTestFinished(() => void child.kill('SIGKILL'))
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await new Promise((resolve) => void child.on('close', resolve))).toBe(0)
    expect(err).toBe('')
  })
})

/** How long a Node that loads some modules takes from its start to its end, here and now. */
function startMs(): number {
  const startedAt = performance.now()
  spawnSync(process.execPath, [CLI, '--version'])
  return performance.now() - startedAt
}

describe('relevo demo', () => {
  it('needs no key and no settings, and is over in 25 s; on a busy machine later by the start of its programs', async () => {
    const before = startMs()
    const { code, out, err } = await relevo(['demo', '--json'], { cwd: folderOf({ 'relevo.yaml': GOOD.replace('primary', 'broken') }) })
    expect([code, err]).toEqual([0, ''])
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent)
    // The team has a clock of its own; what it took stands between the acts before it and the table behind it.
    const instants = events.flatMap((event) => ('at' in event && !event.type.startsWith('team.') ? [event.at] : []))
    // Its programs start one after the other, each in a Node of its own.
    expect(Math.max(...instants) - Math.min(...instants)).toBeLessThan(25_000 + 26 * Math.max(before, startMs()))
    expect(events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome.kind] : []))).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'interrupted',
      'ok',
      'cancelled',
      ...Array.from({ length: 5 }, () => 'ok'),
    ])
  }, 60_000)
})
