import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processStart } from '../cli/process/process-start.ts'
import type { EngineResolver } from '../contract.ts'
import { type FakeCall, readCalls } from '../fake-cli/folder.ts'
import { installFakeClis } from '../fake-cli/install.ts'
import type { FakeCliName } from '../fake-cli/script.ts'
import { runsOf } from './cli-runs.ts'
import { conformanceRequest } from './request.ts'
import type { ConformanceSubject, Prepared, Situation, SteppedClock } from './subject.ts'

export interface CliSubjectOptions {
  readonly name: string
  /** Of the profile, such as `gemini-cli`. */
  readonly family: string
  readonly program: FakeCliName
  /** They start and stop processes on a clock of their own, a real one: only the clock of the request is stepped. */
  readonly engines: EngineResolver
  readonly clock: () => SteppedClock
  /** Without `credentials` requests are not signed. */
  readonly lacks?: ConformanceSubject['lacks']
  /** How long, in real ms, a program may take for what it does before nothing more is expected of it; 15,000 by default. */
  readonly giveUpMs?: number | undefined
}

/** Long past everything that takes real time, on a machine that is busy; reached only by an engine that never ends. */
const GIVE_UP_MS = 15_000
/** Rounds of the event loop after which all that a program has printed was read. */
const ROUNDS = 40
/** Between two looks at what the program has put on record: nobody but its parent is told of a process. */
const LOOK_MS = 5
/** What another process can do at once it does in this time. Where it is too short, a fault of an engine is missed; no sound one is blamed. */
const SETTLE_MS = 40

/** A coding-agent CLI, as processes of its fake: a folder of executables and what they put on record for every situation. */
export function cliSubject(options: CliSubjectOptions): ConformanceSubject {
  return {
    name: options.name,
    ...(options.lacks === undefined ? {} : { lacks: options.lacks }),
    prepare: (situation) => prepareCli(options, situation),
  }
}

async function prepareCli(options: CliSubjectOptions, situation: Situation): Promise<Prepared> {
  const { family, program, lacks } = options
  const runs = runsOf(situation)
  const directory = mkdtempSync(join(tmpdir(), 'relevo-conformance-'))
  const clis = await installFakeClis({ directory, names: [program], script: runs.length === 0 ? {} : { [program]: runs } })
  const clock = options.clock()
  const unfit = conformanceRequest(situation, { api: null, endpoint: null, clock })
  const settings = { command: null, args: [], directory: null, env: {}, path: join(clis.path, program), absent: false }
  const profile = { ...unfit.profile, family, cli: { ...settings, stallMs: unfit.profile.timeouts.idleMs } }
  const request = { ...unfit, profile, ...(lacks?.credentials === undefined ? {} : { secret: null }) }
  const engine = options.engines(request.profile)
  if (engine === undefined) throw new Error(`${options.name}: no engine for a profile of the family ${family}`)
  const seen = new Seen(directory, program, options.giveUpMs ?? GIVE_UP_MS)
  return {
    engine,
    request,
    observe: {
      requests: () => seen.calls().length,
      bytes: () => seen.last()?.bytes ?? 0,
      arrived: () => seen.until(() => seen.last() !== undefined),
      async aborted() {
        const isGone = await seen.until(() => seen.isGone())
        return isGone && seen.last()?.exit === null
      },
    },
    until: (done) => untilQuiet(done, seen, clock),
    async settle() {
      await new Promise((resolve) => void setTimeout(resolve, SETTLE_MS))
      await rounds()
    },
    pass: (ms) => clock.moveTo(clock.now() + ms),
    async dispose() {
      seen.kill()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The calls of the program, as it has put them on record. */
class Seen {
  readonly #directory: string
  readonly #program: FakeCliName
  readonly #giveUpMs: number
  /** When each process started that was seen alive: a number is given out again. */
  readonly #starts = new Map<number, string | null>()

  constructor(directory: string, program: FakeCliName, giveUpMs: number) {
    this.#directory = directory
    this.#program = program
    this.#giveUpMs = giveUpMs
  }

  /** Those that were taken for a run. */
  calls(): readonly FakeCall[] {
    const calls = readCalls(this.#directory, this.#program)
    for (const { pid } of calls) if (!this.#starts.has(pid)) this.#starts.set(pid, processStart(pid))
    return calls.filter(({ run }) => run !== null)
  }

  last(): FakeCall | undefined {
    return this.calls().at(-1)
  }

  isGone(): boolean {
    const { pid } = this.last() ?? {}
    return pid !== undefined && !this.#isLeft(pid)
  }

  /** True once it is so; false when that takes too long. */
  async until(isSo: () => boolean): Promise<boolean> {
    const from = performance.now()
    while (!isSo()) {
      if (performance.now() - from > this.#giveUpMs) return false
      await new Promise((resolve) => void setTimeout(resolve, LOOK_MS))
    }
    return true
  }

  /** Ends what an engine has left behind. */
  kill(): void {
    for (const { pid } of this.calls()) if (this.#isLeft(pid) && !signal(-pid, 'SIGKILL')) signal(pid, 'SIGKILL')
  }

  #isLeft(pid: number): boolean {
    const start = this.#starts.get(pid) ?? null
    return start !== null && processStart(pid) === start && signal(pid, 0)
  }
}

/** False where there is no such process, or no such group. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * Waits for `done` in real time as long as the program has something to say. Once it has said its last and stays, only the clock of the request
 * can bring anything about, and it is stepped.
 */
async function untilQuiet(done: Promise<unknown>, seen: Seen, clock: SteppedClock): Promise<boolean> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  done.then(settle, settle)
  if (!(await seen.until(() => settled || seen.last()?.stays === true))) return false
  if (settled) return true
  await rounds()
  while (!settled && clock.step()) await rounds()
  return settled || seen.until(() => settled)
}

async function rounds(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await new Promise((resolve) => void setImmediate(resolve))
}
