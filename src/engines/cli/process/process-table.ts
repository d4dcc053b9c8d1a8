import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from '../../../model/clock.ts'
import { LINE_BOUNDS, type LineBounds } from './line-splitter.ts'
import type { ProcessEnd, ProcessListener, ProcessRequest, RunningProcess } from './process.ts'
import { ProcessRun, type StartedChild } from './process-run.ts'
import { RunFiles } from './run-files.ts'
import { directoryFault, failed, startFault } from './start-fault.ts'

/**
 * Every process that the engines have running.
 *
 * 1. No shell stands between: what a program is given it gets byte for byte, and what it sees of the environment is the request's alone.
 * 2. Each run leads a group of its own, so that its grandchildren end with it. A group of its own does not hear Ctrl-C of the terminal: whoever
 *    handles SIGINT and SIGTERM of this process calls `close()`. That is the faces' work, and nothing here listens to signals.
 * 3. When this process exits, whatever still runs is killed at once; when it is killed, the run files tell the next `sweep`.
 * 4. `start` throws nothing and tells nothing before it has returned.
 */
export interface ProcessTableOptions {
  /** Directory of the run files, of one machine; null: none are written, and a host that is killed leaves its processes behind. */
  readonly runs: string | null
  readonly clock: Clock
  /** Between TERM and KILL. */
  readonly graceMs?: number
  /** After an exit, when somebody else still holds the output. */
  readonly drainMs?: number
  /** Of each of the two outputs. */
  readonly bounds?: LineBounds
  /** Told why runs are not written down, or not believed; by default a warning of this process. */
  readonly warn?: (message: string) => void
}

const GRACE_MS = 5_000
const DRAIN_MS = 500

export class ProcessTable {
  readonly #options: Required<ProcessTableOptions>
  readonly #files: RunFiles | null
  /** Each by the pid of its leader, until its group is gone. */
  readonly #running = new Map<number, ProcessRun>()
  #closed = false

  constructor(options: ProcessTableOptions) {
    const warn = (message: string): void => process.emitWarning(message, { code: 'relevo_runs' })
    this.#options = { graceMs: GRACE_MS, drainMs: DRAIN_MS, bounds: LINE_BOUNDS, warn, ...options }
    this.#files = options.runs === null ? null : new RunFiles(options.runs, this.#options.warn)
  }

  start(request: ProcessRequest, listener: ProcessListener): RunningProcess {
    const fault = this.#closed
      ? failed('not_started', `${request.path} was not started: its engine is closed; make another`)
      : directoryFault(request)
    if (fault !== null) return new NeverStarted(listener, (tell) => queueMicrotask(() => tell(fault)))
    let child: ChildProcess
    try {
      child = spawnApart(request)
    } catch (error) {
      return new NeverStarted(listener, (tell) => queueMicrotask(() => tell(startFault(request, error))))
    }
    const { pid } = child
    if (pid === undefined) return new NeverStarted(listener, (tell) => void child.once('error', (error) => tell(startFault(request, error))))
    return this.#run({ child, pid, path: request.path }, request.stdin, listener)
  }

  /** Ends what hosts that are dead have left behind; asked once, before the first run. */
  sweep(): void {
    this.#files?.sweep()
  }

  /** Stops every run, starts none any more, and resolves when no process of them is left. */
  async close(): Promise<void> {
    this.#closed = true
    const runs = [...this.#running.values()]
    for (const run of runs) run.stop()
    await Promise.all(runs.map((run) => run.gone))
  }

  #run(started: StartedChild, stdin: string | null, listener: ProcessListener): ProcessRun {
    const { pid, path } = started
    const { clock, graceMs, drainMs, bounds } = this.#options
    this.#files?.add(pid, path)
    const onGone = (gone: boolean): void => {
      this.#running.delete(pid)
      if (this.#running.size === 0) process.off('exit', this.#onHostExit)
      if (gone) this.#files?.remove(pid)
    }
    const run = new ProcessRun(started, stdin, listener, { clock, graceMs, drainMs, bounds, onGone })
    // In front of whoever tidies up at the exit: a program that still runs writes into folders that others remove.
    if (this.#running.size === 0) process.prependListener('exit', this.#onHostExit)
    this.#running.set(pid, run)
    return run
  }

  readonly #onHostExit = (): void => {
    for (const [pid, run] of this.#running) {
      run.kill()
      this.#files?.remove(pid)
    }
  }
}

/** In a group of its own, with the pipes that are wanted and nothing of this process's environment. */
function spawnApart({ path, args, directory, environment, stdin }: ProcessRequest): ChildProcess {
  return spawn(path, args, {
    ...(directory === null ? {} : { cwd: directory }),
    env: environment,
    shell: false,
    detached: true,
    windowsHide: true,
    stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
}

/** What could not be started: it tells why in a later step, and has nothing to stop. */
class NeverStarted implements RunningProcess {
  readonly gone = Promise.resolve()
  #over = false

  constructor(listener: ProcessListener, whenKnown: (tell: (end: ProcessEnd) => void) => void) {
    whenKnown((end) => {
      if (this.#over) return
      this.#over = true
      listener.onEnd(end)
    })
  }

  pause(): void {}

  resume(): void {}

  stop(): void {
    this.#over = true
  }
}
