import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { distinctUntilKeyChanged } from 'rxjs'
import { openThread, type PromptedParticipant, ThreadError } from '../../host.ts'
import {
  endOfTurn,
  type Kernel,
  type KernelPorts,
  RelevoError,
  type TeamConfig,
  type TeamEvent,
  type TeamHandle,
  type TeamResult,
} from '../../index.ts'
import { type ControlOrders, type RunningControl, startControl } from './control-server.ts'
import { counted } from './counted.ts'
import { DaemonError } from './daemon-error.ts'
import { type Lock, takeLock } from './lock.ts'
import { LogFile } from './log-file.ts'
import { LostPosts } from './lost-posts.ts'
import { readState, writeState } from './state-file.ts'
import { teamPaths } from './team-folder.ts'
import { writeWholeFile } from './whole-file.ts'

/**
 * A team at work in its folder, for as long as a process lives.
 *
 * 1. Nothing is begun before the lock is held, and nothing is left when beginning fails.
 * 2. What a run needs to go on is written down at every event, before the next thing is done: a process that is killed loses no post, and
 *    makes no call again that had posted. The thread is the truth, `state.json` says where in it the run stood.
 * 3. Beside the thread and the lock nothing that cannot be written ends a run: it is told once, and the run goes on.
 * 4. No text of a post or a prompt is in the log or the state; the control socket alone tells what a participant asks the person.
 */
export interface DaemonAsk {
  readonly directory: string
  readonly participants: readonly PromptedParticipant[]
  /** Makes the kernel; its ports come from here. */
  readonly kernelOf: (ports: Pick<KernelPorts, 'processes'>, log: (line: string) => void) => Kernel
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly sliceMs: number
  /** Those of the team; null: the defaults. */
  readonly settings: TeamConfig | null
  /** Called with the team before it begins, so that whoever listens misses nothing. */
  readonly follow: (team: TeamHandle) => void
  /** One turn and no more, of whoever can take it: a call that found a limit or no network was none (G01). */
  readonly once: boolean
  /** A line for the person: of what was repaired, could not be written, or is gone on from. */
  readonly tell: (line: string) => void
  readonly now: () => number
}

export interface Daemon {
  readonly team: TeamHandle
  readonly kernel: Kernel
  readonly done: Promise<TeamResult>
}

/** Begins. Throws DaemonError, ThreadError, ConfigError, or what the system says of the folder. */
export async function startDaemon(ask: DaemonAsk): Promise<Daemon> {
  const paths = teamPaths(ask.directory)
  makeFolder(paths.state)
  const lock = takeLock(paths.state)
  try {
    return await new DaemonProcess(ask, lock).begin()
  } catch (error) {
    lock.release()
    throw error
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new DaemonError(
      `${folder}: the folder for the state of the team cannot be made (${codeOf(error)}). See to its permissions, or name another folder.`,
    )
  }
}

class DaemonProcess {
  readonly #ask: DaemonAsk
  readonly #lock: Lock
  readonly #paths: ReturnType<typeof teamPaths>
  readonly #log: LogFile
  readonly #startedAt: number
  readonly #told = new Set<string>()
  #team: TeamHandle | null = null

  constructor(ask: DaemonAsk, lock: Lock) {
    this.#ask = ask
    this.#lock = lock
    this.#paths = teamPaths(ask.directory)
    this.#startedAt = ask.now()
    const log = join(this.#paths.state, 'log.jsonl')
    this.#log = new LogFile(log, (error) => this.#unwritten(log, error))
  }

  async begin(): Promise<Daemon> {
    const { directory, participants, environment, settings, once, kernelOf, tell, now } = this.#ask
    const { thread: file, findings } = openThread(this.#paths.thread)
    const lost = new LostPosts(file, this.#paths.thread)
    const { thread } = lost
    for (const { path, message, remedy } of findings) tell(`${path}: ${message} ${remedy}`)
    const { standing, wasCut, finding } = readState(this.#statePath, now())
    if (finding !== null) tell(finding)
    const runs = join(this.#paths.state, 'runs')
    const kernel = kernelOf({ processes: { environment, runs } }, (line) => this.#log.append(line))
    let control: RunningControl | null = null
    try {
      control = await startControl(this.#paths.control, this.#orders())
      // From here to the end of the task nothing happens that is not heard.
      const team = kernel.supervise({
        participants,
        thread,
        directory,
        ...(standing === null ? {} : { standing }),
        ...(once ? { settings: { ...settings, maxIterations: (standing?.iterations ?? 0) + 1 } } : {}),
        onHeartbeat: () => this.#beat(),
      })
      this.#team = team
      team.events$.subscribe((event) => this.#take(event, team))
      team.events$.subscribe((event) => event.type === 'post.lost' && tell(lost.putAside(event.participant)))
      // An order to pause while a call is in flight is no event until it is carried out.
      team.state$.pipe(distinctUntilKeyChanged('ending')).subscribe(() => this.#save(team, null))
      this.#ask.follow(team)
      tell(`${counted(participants.length, 'participant')}, ${counted(thread.count, 'post')}${stoodAt(standing, wasCut)}.`)
      return { team, kernel, done: this.#follow(team, [() => kernel.stop(), () => thread.close(), () => control?.close()]) }
    } catch (error) {
      await kernel.stop()
      await control?.close()
      thread.close()
      throw error
    }
  }

  /** To the end of the run; then everything is put away, the lock last. */
  async #follow(team: TeamHandle, away: readonly (() => unknown)[]): Promise<TeamResult> {
    const beats = setInterval(() => this.#beat(), this.#ask.sliceMs)
    this.#beat()
    const result = await team.done
    clearInterval(beats)
    this.#save(team, result.reason)
    try {
      for (const put of away) await put()
    } finally {
      this.#lock.release()
    }
    return result
  }

  get #statePath(): string {
    return join(this.#paths.state, 'state.json')
  }

  #take(event: TeamEvent, team: TeamHandle): void {
    this.#save(team, null)
    this.#log.append(`${JSON.stringify(loggable(event))}\n`)
    this.#writeBeat()
  }

  /** Once a slice, and while a call runs. A lock that is gone means that another daemon may begin: this one ends. */
  #beat(): void {
    const team = this.#team
    if (team === null) return
    this.#writeBeat()
    this.#save(team, null)
    if (this.#lock.isHeld || this.#told.has('lock')) return
    this.#told.add('lock')
    this.#ask.tell(`${join(this.#paths.state, 'lock')}: somebody removed or replaced the lock; the run ends so that no two work on one thread.`)
    void team.stop()
  }

  #writeBeat(): void {
    const path = join(this.#paths.state, 'heartbeat')
    this.#guard(path, () => writeWholeFile(path, `${new Date(this.#ask.now()).toISOString()} ${process.pid}\n`))
  }

  #save(team: TeamHandle, end: TeamResult['reason'] | null): void {
    const { standing, status } = team
    const path = this.#statePath
    this.#guard(path, () => writeState(path, { version: 1, pid: process.pid, startedAt: this.#startedAt, standing, status, end: end ?? status.end }))
  }

  #orders(): ControlOrders {
    const team = (): TeamHandle => {
      if (this.#team === null) throw new Error('the team is only just beginning; ask again')
      return this.#team
    }
    return {
      status: () => this.#statusOf(team()),
      pause: () => team().pause(),
      resume: () => team().resume(),
      stop: (options) => void team().stop(options),
      say: (text) => ({ post: team().say(text).id }),
      approve: (participant) => team().approve(participant),
    }
  }

  #statusOf(team: TeamHandle): object {
    const { directory } = this.#ask
    return { ...team.status, pid: process.pid, startedAt: this.#startedAt, directory, posts: team.thread.count, questions: questionsOf(team) }
  }

  #guard(path: string, write: () => void): void {
    try {
      write()
      this.#told.delete(path)
    } catch (error) {
      this.#unwritten(path, error)
    }
  }

  #unwritten(path: string, error: unknown): void {
    if (this.#told.has(path)) return
    this.#told.add(path)
    this.#ask.tell(`${path}: it cannot be written (${codeOf(error)}); the run goes on, and the thread is kept. Make room, or see to its permissions.`)
  }
}

function stoodAt(standing: { readonly begun: number } | null, wasCut: boolean): string {
  if (standing === null) return ''
  return wasCut
    ? `; the process before was ended in turn ${standing.begun}, and the run goes on from there`
    : `; ${counted(standing.begun, 'turn')} so far`
}

/** A defect as its words; whatever else an event holds is plain. */
function loggable(event: TeamEvent): object {
  return event.type === 'team.failed' ? { ...event, error: String(event.error) } : event
}

/** What each pending gate asks the person. */
function questionsOf({ status, thread }: TeamHandle): Record<string, string> {
  const questions: Record<string, string> = {}
  for (const { id, gate } of status.participants) {
    const post = gate === null ? undefined : thread.posts().find((each) => each.id === gate)
    const play = post === undefined ? null : endOfTurn(post.text).play
    if (play?.kind === 'gate') questions[id] = play.question
  }
  return questions
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null)?.code ?? (error instanceof Error ? error.message : error))
}

/** Whether the error says in one line what the person has to see to. */
export function isTold(error: unknown): error is Error {
  return error instanceof DaemonError || ThreadError.isInstance(error) || RelevoError.isInstance(error)
}
