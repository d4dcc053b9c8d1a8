import { basename, join } from 'node:path'
import { createLogger, type LedgerError, type ParticipantFile } from '../../host.ts'
import type { Kernel, KernelPorts, Settings, TeamEvent, TeamHandle, TeamResult } from '../../index.ts'
import { ConsoleView, nowDoing } from '../daemon/console-view.ts'
import { type Daemon, isTold, startDaemon } from '../daemon/daemon.ts'
import { teamPaths } from '../daemon/team-folder.ts'
import { durationText } from '../demo/duration-text.ts'
import { FootLine } from './foot-line.ts'
import { type InspectOptions, whileInspected } from './inspect-option.ts'
import { type Io, jsonLine } from './io.ts'
import { keptLedgerOf } from './ledger-file.ts'
import type { LiveSettings } from './live-settings.ts'
import { liveTeamSettings } from './live-team-settings.ts'
import { type Looking, type PageOptions, type PageSubject, whileLooking } from './page-option.ts'
import { BadInput, diagnosticLine, EXIT, oneLine } from './problems.ts'
import { kernelOf, type SettingsFile } from './settings-file.ts'
import { requireTeam } from './team-settings.ts'

export interface RunOptions extends InspectOptions, PageOptions {
  readonly config?: string | undefined
  readonly once?: boolean | undefined
  readonly json?: boolean | undefined
}

/** What the page calls the one that there is. */
const KERNEL = 'team'

/** Without a slice of its own the daemon looks up as often. */
const SLICE_MS = 60_000

/** `relevo run`: the team of a folder at work, until it is told to stop or comes to an end of its own. */
export async function run(io: Io, folder: string | undefined, options: RunOptions): Promise<number> {
  const { file, directory, participants, settings, warnings } = requireTeam(io, folder, options.config)
  const view = new RunView(io, options.json === true)
  for (const warning of warnings) await view.tell(`warning: ${diagnosticLine(warning)}`)
  const tell = (line: string): void => void view.tell(line)
  const subject = subjectOf(directory, participants)
  return whileInspected(options.inspect, tell, (inspect) =>
    whileLooking(io, options, subject, tell, async (looking) => {
      const live = liveTeamSettings(file, settings, participants)
      const release: (() => void)[] = []
      const daemon = await begun(io, { file, directory, participants, settings, live, inspect, looking, options, view, release })
      io.serves()
      stopAtInterrupt(io, daemon.team, view)
      const result = await daemon.done
      for (const each of release) each()
      await view.end()
      return exitCode(io, result, view.last, options.once === true)
    }),
  )
}

/** What the page says that it is about. */
function subjectOf(directory: string, participants: readonly ParticipantFile[]): PageSubject {
  const name = basename(directory)
  return { title: name, team: { name, participants: participants.map(({ id, path }) => ({ id, path: join(directory, path) })) } }
}

interface Begin {
  readonly file: SettingsFile
  readonly directory: string
  readonly participants: readonly ParticipantFile[]
  readonly settings: Settings
  readonly live: LiveSettings
  readonly inspect: KernelPorts['inspect']
  readonly looking: Looking | undefined
  readonly options: RunOptions
  readonly view: RunView
  /** What is let go of when the kernel has stopped. */
  readonly release: (() => void)[]
}

async function begun(io: Io, begin: Begin): Promise<Daemon> {
  const { directory, participants, settings, live, looking, options, view } = begin
  try {
    return await startDaemon({
      directory,
      participants,
      environment: io.env,
      sliceMs: settings.team?.sleepSliceMs ?? SLICE_MS,
      once: options.once === true,
      settings: settings.team,
      kernelOf: (ports, log) => kernelFor(io, begin, ports, log),
      follow: (team) => {
        view.follow(team)
        looking?.followTeam(team)
        void team.done.then(() => live.close())
        if (options.once === true) stopWhereNobodyCan(team)
      },
      tell: (line) => void view.tell(line),
      now: Date.now,
    })
  } catch (error) {
    live.close()
    // Of a folder or a thread: nothing was begun.
    if (isTold(error) && !('problems' in error)) throw new BadInput([error.message])
    throw error
  }
}

/** The log of the kernel stands in the log of the run, each line without what is secret. */
function kernelFor(io: Io, begin: Begin, ports: Pick<KernelPorts, 'processes'>, log: (line: string) => void): Kernel {
  const { file, directory, settings, live, inspect, looking, options, view, release } = begin
  const logger = createLogger({ level: 'info', secrets: () => live.secrets, write: log })
  const onError = (error: LedgerError): void => void view.tell(`warning: ${oneLine(error.message)} (${error.code})`)
  const onUnread = (line: string): void => void view.tell(`warning: ${line}`)
  const usual = join(teamPaths(directory).state, 'ledger.jsonl')
  const kept = keptLedgerOf(settings, { path: file.path, usual, onError, onUnread })
  const seen = { inspect, ledger: kept?.ledger }
  const kernel = kernelOf(io, file, { logger, earlier: kept?.earlier, ...(looking?.ports(KERNEL, seen) ?? seen), ...ports })
  looking?.follow(KERNEL, kernel)
  kept?.follow(kernel)
  release.push(() => kept?.release())
  // A single turn takes no other settings than those it began with.
  if (options.once !== true) live.follow(kernel, logger, (line) => void view.tell(line))
  return kernel
}

/** The first signal lets the call in flight end; the second ends the process, and its programs with it. */
function stopAtInterrupt(io: Io, team: TeamHandle, view: RunView): void {
  const stop = (): void => {
    const { running } = team.status
    if (running !== null) void view.tell(`waiting for the call of ${running.participant} on ${running.engine} to end; once more to end at once`)
    void team.stop()
  }
  if (io.interrupt.aborted) stop()
  else io.interrupt.addEventListener('abort', stop, { once: true })
}

/** A single turn is not slept for. */
function stopWhereNobodyCan(team: TeamHandle): void {
  team.events$.subscribe((event) => {
    if (event.type === 'state.entered' && event.state !== 'running' && event.state !== 'stopped') queueMicrotask(() => void team.stop())
  })
}

/** 0: it ended as it was meant to; with `--once` as its one turn did: 1 nothing posted, 3 paused, 4 nobody could take it. */
function exitCode(io: Io, { reason, error }: TeamResult, last: LastSeen, once: boolean): number {
  if (reason === 'defect') throw error
  if (io.interrupt.aborted && io.interrupt.reason === 'SIGINT') return EXIT.interrupted
  if (!once || io.interrupt.aborted) return EXIT.ok
  if (last.state === 'paused') return EXIT.paused
  if (last.result === null || last.result === 'limited' || last.result === 'network') return EXIT.limited
  return last.result === 'posted' || last.result === 'waiting' ? EXIT.ok : EXIT.no
}

interface LastSeen {
  readonly state: string | null
  readonly result: string | null
}

/** What a run prints, in the order in which it happened: a slow reader is waited for and changes nothing. */
class RunView {
  readonly #io: Io
  readonly #json: boolean
  readonly #foot: FootLine
  readonly #console: ConsoleView
  #written: Promise<void> = Promise.resolve()
  #last: LastSeen = { state: null, result: null }

  constructor(io: Io, json: boolean) {
    this.#io = io
    this.#json = json
    this.#foot = new FootLine(io.stderr)
    this.#console = new ConsoleView()
  }

  /** A line beside the log. */
  tell(line: string): Promise<void> {
    return this.#write('stderr', `${oneLine(line)}\n`)
  }

  get last(): LastSeen {
    return this.#last
  }

  follow(team: TeamHandle): void {
    team.events$.subscribe((event) => {
      if (event.type === 'state.entered' && event.state !== 'stopped') this.#last = { ...this.#last, state: event.state }
      if (event.type === 'run.ended') this.#last = { ...this.#last, result: event.result }
      this.#take(event)
    })
    this.#foot.show(() => nowDoing(team.status, (at) => `in ${durationText(Math.max(0, at - Date.now()))}`))
  }

  async end(): Promise<void> {
    await this.#written
    await this.#foot.end()
  }

  #take(event: TeamEvent): void {
    if (this.#json) return void this.#write('stdout', jsonLine(event.type === 'team.failed' ? { ...event, error: String(event.error) } : event))
    const line = this.#console.lineOf(event)
    if (line !== null) void this.#write(line.to, `${oneLine(line.text)}\n`)
  }

  #write(to: 'stdout' | 'stderr', text: string): Promise<void> {
    this.#written = this.#written.then(async () => {
      await this.#foot.clear()
      await this.#io[to].write(text)
    })
    return this.#written
  }
}
