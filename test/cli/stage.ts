import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createKernel, type Kernel, type KernelConfig } from '../../src/index.ts'
import { type FakeCall, type FakeCliName, type FakeCliScript, type FakeClis, installFakeClis } from '../../src/testing.ts'

/** What each program is called: as a family of profiles, and as an executable. */
export const PROGRAMS = [
  { family: 'claude', name: 'claude' },
  { family: 'codex', name: 'codex' },
  { family: 'agy', name: 'agy' },
  { family: 'gemini-cli', name: 'gemini' },
] as const satisfies readonly { readonly family: string; readonly name: FakeCliName }[]

export type Program = (typeof PROGRAMS)[number]

/**
 * Fake CLIs as real processes, and who of them is alive. Nothing is waited for by time: a folder tells when a file comes or goes.
 */
export class Stage {
  readonly clis: FakeClis
  /** Where the kernel writes down what runs: a file a process, gone with its whole group. */
  readonly runs: string
  readonly #folder: string

  private constructor(clis: FakeClis, folder: string) {
    this.clis = clis
    this.#folder = folder
    this.runs = join(folder, 'runs')
  }

  static async of(script: FakeCliScript, names?: readonly FakeCliName[]): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'relevo-cli-'))
    let made: Stage | null = null
    // Behind all that the test itself ends: who is killed leaves a silent program behind.
    onTestFinished(async () => {
      for (const pid of (await made?.survivors()) ?? []) killed(pid)
      rmSync(folder, { recursive: true, force: true })
    })
    const clis = await installFakeClis({ directory: join(folder, 'bin'), script, ...(names === undefined ? {} : { names }) })
    const stage = new Stage(clis, folder)
    made = stage
    mkdirSync(stage.runs, { mode: 0o700 })
    for (const { name } of PROGRAMS) mkdirSync(stage.#callsOf(name), { recursive: true })
    return stage
  }

  /** For the port `processes` of a kernel. */
  get processes(): { readonly environment: Readonly<Record<string, string>>; readonly runs: string } {
    return { environment: { PATH: this.clis.path, HOME: this.#folder }, runs: this.runs }
  }

  /** The calls so far. */
  calls(name: FakeCliName): Promise<readonly FakeCall[]> {
    return this.clis.calls(name)
  }

  /** Resolves with the n-th call (from 1) of a program once it has taken its run. */
  async took(name: FakeCliName, n = 1): Promise<FakeCall> {
    const taken = (): FakeCall | undefined => readTaken(join(this.#callsOf(name), String(n - 1)))
    await changes(this.#callsOf(name), () => taken() !== undefined)
    return taken() as FakeCall
  }

  /** Resolves when no group of processes is left that the kernel knows of. */
  gone(): Promise<void> {
    return changes(this.runs, () => readdirSync(this.runs).length === 0)
  }

  /** A kernel on these programs, with few and short waits; it is stopped when the test is over. */
  kernel(config: KernelConfig, environment: Readonly<Record<string, string>> = {}): Kernel {
    const reliability = { providerRetries: 0, providerBackoffMs: 50, jitter: 0 }
    const { runs, environment: own } = this.processes
    const kernel = createKernel({ reliability, ...config }, { processes: { runs, environment: { ...own, ...environment } } })
    onTestFinished(() => kernel.stop())
    return kernel
  }

  /** The pids of all calls and of what they left behind that are alive. */
  async survivors(): Promise<readonly number[]> {
    const calls = await Promise.all(PROGRAMS.map(({ name }) => this.calls(name)))
    return calls.flat().flatMap(({ pid, grandchild }) => [pid, grandchild].filter((one): one is number => one !== null && isAlive(one)))
  }

  #callsOf(name: FakeCliName): string {
    return join(this.clis.path, 'fake-cli', 'calls', name)
  }
}

/** One that has ended meanwhile needs no killing. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

/** Resolves when `done` says so; asked at once, and again at each change in the folder. */
function changes(folder: string, done: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!done()) return
      watcher.close()
      resolve()
    }
    const watcher = watch(folder, look)
    onTestFinished(() => watcher.close())
    look()
  })
}

function readTaken(path: string): FakeCall | undefined {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const call = text === '' ? undefined : (JSON.parse(text) as FakeCall)
  return call?.run == null ? undefined : call
}

/** One that has ended and was not collected yet is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
