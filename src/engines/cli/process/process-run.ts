import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Clock } from '../../../model/clock.ts'
import { GroupEnding } from './group-ending.ts'
import { type LineBounds, LineSplitter } from './line-splitter.ts'
import type { ProcessEnd, ProcessListener, RunningProcess } from './process.ts'
import { processGroup } from './process-group.ts'
import { failed } from './start-fault.ts'

/**
 * One process that has been started, its output and its end.
 *
 * 1. It is over once: by its end, by a bound that its output broke, or by `stop`. Nothing is told afterwards, and it is over before anything
 *    is signalled, so that an exit that we caused is never told.
 * 2. It ends with its exit and both pipes read to their end, or with the drain time after its exit where somebody else holds a pipe.
 *    While the reader is slow the drain time stands still: what is in the pipes is still to be read.
 * 3. Whoever is left of its group when it is over is ended, so a program leaves nobody behind.
 * 4. A program that has been stopped is read on and its output thrown away: one that tidies up must not block in a full pipe, nor get
 *    half a prompt. One that broke a bound is read no further.
 */
interface RunOptions {
  readonly clock: Clock
  readonly graceMs: number
  readonly drainMs: number
  readonly bounds: LineBounds
  /** Called once, when the group is gone (false: KILL was not enough). */
  readonly onGone: (gone: boolean) => void
}

export interface StartedChild {
  readonly child: ChildProcess
  readonly pid: number
  readonly path: string
}

export class ProcessRun implements RunningProcess {
  readonly gone: Promise<void>
  readonly #started: StartedChild
  readonly #listener: ProcessListener
  readonly #options: RunOptions
  readonly #ending: GroupEnding
  readonly #pipes: Readable[] = []
  readonly #splitters: LineSplitter[] = []
  #openPipes = 0
  #paused = false
  #over = false
  #exit: Extract<ProcessEnd, { kind: 'exited' }> | null = null
  #cancelDrain = (): void => {}

  constructor(started: StartedChild, stdin: string | null, listener: ProcessListener, options: RunOptions) {
    this.#started = started
    this.#listener = listener
    this.#options = options
    const { child, pid } = started
    let resolve = (): void => {}
    this.gone = new Promise((done) => {
      resolve = done
    })
    const onGone = (gone: boolean): void => {
      options.onGone(gone)
      resolve()
    }
    this.#ending = new GroupEnding(processGroup(pid), { clock: options.clock, graceMs: options.graceMs, onGone })
    child.once('exit', (code, signal) => this.#onExit(code, signal))
    this.#read('stdout', child.stdout)
    this.#read('stderr', child.stderr)
    // A program that does not read its input closes it: that is its own affair, and its exit says what came of it.
    child.stdin?.on('error', () => {})
    if (stdin !== null) child.stdin?.end(stdin)
  }

  pause(): void {
    if (this.#over) return
    this.#paused = true
    this.#cancelDrain()
    for (const pipe of this.#pipes) pipe.pause()
  }

  resume(): void {
    if (this.#over || !this.#paused) return
    this.#paused = false
    this.#readOn()
    if (this.#exit !== null) this.#drain()
  }

  stop(): void {
    if (this.#over) return
    this.#over = true
    this.#cancelDrain()
    this.#ending.begin()
    if (this.#exit === null) this.#readOn()
    else this.#closePipes()
  }

  /** KILL at once: this process is ending itself. */
  kill(): void {
    this.#over = true
    this.#ending.kill()
  }

  #read(from: 'stdout' | 'stderr', pipe: Readable | null): void {
    if (pipe === null) return
    const splitter = new LineSplitter((text) => {
      if (!this.#over) this.#listener.onLine(from, text)
    }, this.#options.bounds)
    this.#openPipes += 1
    this.#pipes.push(pipe)
    this.#splitters.push(splitter)
    pipe.on('data', (chunk: Buffer) => {
      if (this.#over) return
      const broken = splitter.push(chunk)
      if (broken !== null && !this.#over) this.#break(from, broken)
    })
    // When a process exits Node resumes its pipes, whoever has paused them.
    pipe.on('resume', () => {
      if (this.#paused && !this.#over) pipe.pause()
    })
    pipe.on('error', () => {})
    pipe.once('close', () => {
      this.#openPipes -= 1
      if (this.#openPipes === 0 && this.#exit !== null) this.#settle()
    })
  }

  #onExit(code: number | null, signal: string | null): void {
    this.#exit = { kind: 'exited', code, signal }
    this.#ending.leaderExited()
    this.#started.child.stdin?.destroy()
    if (this.#over) this.#closePipes()
    else if (this.#openPipes === 0) this.#settle()
    else if (!this.#paused) this.#drain()
  }

  /**
   * When the time is over what has come in by then is read first: where this process was kept from reading, the timer is served before
   * the pipe.
   */
  #drain(): void {
    const { clock, drainMs } = this.#options
    this.#cancelDrain()
    this.#cancelDrain = clock.wakeAt(clock.now() + drainMs, () => {
      const next = setImmediate(() => this.#settle())
      this.#cancelDrain = () => clearImmediate(next)
    })
  }

  #settle(): void {
    if (this.#over || this.#exit === null) return
    this.#cancelDrain()
    for (const splitter of this.#splitters) splitter.end()
    // The last line may have been answered with `stop`.
    if (this.#over) return
    this.#over = true
    this.#closePipes()
    this.#ending.begin()
    this.#listener.onEnd(this.#exit)
  }

  #break(from: 'stdout' | 'stderr', bound: 'endless_line' | 'too_much'): void {
    this.#over = true
    this.#cancelDrain()
    this.#ending.begin()
    this.#closePipes()
    const { maxLineBytes, maxBytes } = this.#options.bounds
    const what = bound === 'endless_line' ? `a line of more than ${maxLineBytes} bytes` : `more than ${maxBytes} bytes`
    this.#listener.onEnd(failed(bound, `${this.#started.path} was stopped: it wrote ${what} to ${from}; run it by hand to see what it prints`))
  }

  #readOn(): void {
    for (const pipe of this.#pipes) pipe.resume()
  }

  #closePipes(): void {
    for (const pipe of this.#pipes) pipe.destroy()
  }
}
