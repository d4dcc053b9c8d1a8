import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Post, TeamEvent } from '../../src/index.ts'
import type { FakeCliScript } from '../../src/testing.ts'
import { ROOT } from '../architecture/source.ts'
import { Stage } from '../cli/stage.ts'
import { folderOf } from '../faces/console.ts'

const CLI = join(ROOT, 'dist/cli.js')

/** For `beforeAll`: the daemon is tested as it is shipped. */
export function build(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'test/tools/build-when-stale.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed:\n${stderr}`)
}

export interface DaemonStageOptions {
  readonly script: FakeCliScript
  /** Front matter of each participant, by id. */
  readonly participants?: Readonly<Record<string, string>>
  /** Below `team:`. */
  readonly settings?: string
}

/** A second participant. */
export const BO = { bo: 'provider: codex' }

/** The folder of a team, and fake programs for its participants. */
export class DaemonStage {
  readonly folder: string
  readonly programs: Stage
  readonly #environment: Readonly<Record<string, string>>

  private constructor(folder: string, programs: Stage) {
    this.folder = folder
    this.programs = programs
    this.#environment = programs.processes.environment
  }

  static async of({ script, participants = { ana: 'provider: claude' }, settings = '{}' }: DaemonStageOptions): Promise<DaemonStage> {
    const files = Object.entries(participants).map(([id, front]) => [
      `participants/${id}.md`,
      `---\n${front}\n---\nYou are ${id}; this is secret-prompt.\n`,
    ])
    const folder = folderOf({ 'relevo.yaml': `team: ${settings}\n`, ...Object.fromEntries(files) })
    return new DaemonStage(folder, await Stage.of(script))
  }

  run(argv: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Daemon {
    return new Daemon(['run', this.folder, ...argv], { ...this.#environment, ...environment })
  }

  /** What stands below `.relevo`. */
  state(name: string): string {
    return join(this.folder, '.relevo', name)
  }

  text(name: string): string {
    return readFileSync(this.state(name), 'utf8')
  }

  get thread(): readonly Post[] {
    return linesOf(join(this.folder, 'thread.jsonl'))
  }

  get texts(): readonly string[] {
    return this.thread.map(({ text }) => text)
  }

  /** Events of all runs so far; what the kernel logs beside them is left out. */
  get events(): readonly TeamEvent[] {
    return linesOf<TeamEvent>(this.state('log.jsonl')).filter(({ type }) => type !== undefined)
  }

  get attempts(): Attempts {
    const rows = linesOf<{ event: string; attempt: string; outcome?: string }>(this.state('ledger.jsonl'))
    const ended = new Map(rows.filter(({ event }) => event === 'attempt.ended').map((row) => [row.attempt, row.outcome ?? '']))
    const begun = rows.filter(({ event }) => event === 'attempt.started').map(({ attempt }) => attempt)
    return { begun, open: begun.filter((id) => !ended.has(id)), served: [...ended.values()].filter((outcome) => outcome === 'ok').length }
  }
}

export interface Attempts {
  readonly begun: readonly string[]
  /** Begun, and no end of it was written. */
  readonly open: readonly string[]
  readonly served: number
}

/** Each line of a file; a last one that was torn is none. */
export function linesOf<Value>(path: string): readonly Value[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Value)
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** `relevo run` in a process of its own. */
export class Daemon {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #out = ''
  #err = ''
  #isOver = false
  #watchers: (() => void)[] = []

  constructor(argv: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [CLI, ...argv], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stdout?.on('data', (chunk) => this.#changed(() => (this.#out += chunk)))
    this.#child.stderr?.on('data', (chunk) => this.#changed(() => (this.#err += chunk)))
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        this.#changed(() => (this.#isOver = true))
        resolve({ code, signal, out: this.#out, err: this.#err })
      })
    })
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get lines(): readonly string[] {
    return this.#out.split('\n').slice(0, -1)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Its output has no reader from now on. */
  unread(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  /** Resolves once this was printed so often. Rejects when the process ends without it. */
  async shown(text: string, times = 1): Promise<void> {
    await this.until(() => `${this.#out}${this.#err}`.split(text).length > times)
    if (`${this.#out}${this.#err}`.split(text).length <= times) throw new Error(`it ended without "${text}":\n${this.#out}${this.#err}`)
  }

  /** Resolves when it holds, or when the process is over; looks whenever something was printed. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds() && !this.#isOver) return
        this.#watchers = this.#watchers.filter((one) => one !== look)
        resolve()
      }
      this.#watchers.push(look)
      look()
    })
  }

  #changed(change: () => void): void {
    change()
    for (const look of [...this.#watchers]) look()
  }
}
