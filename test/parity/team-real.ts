import type { FakeCliName } from '../../src/engines/fake-cli/script.ts'
import type { RunState, TeamRun } from '../../src/model/team.ts'
import type { TeamEvent } from '../../src/model/team-event.ts'
import type { TeamStanding } from '../../src/model/team-standing.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { Kernel } from '../../src/runtime/kernel-door.ts'
import type { TeamHandle } from '../../src/runtime/team/team-door.ts'
import { memoryThread } from '../../src/runtime/thread/thread.ts'
import { type ScriptedRun, scriptOf, type TeamScenario, type TeamStepScenario } from '../../src/simulate/team-scenario.ts'
import type { TeamEndReason, TeamTrace, TeamTraceTurn } from '../../src/simulate/team-trace.ts'
import { TeamMachine } from './team-machine.ts'
import { type Arrived, TeamPrograms } from './team-programs.ts'
import { fakeRunOf, nameOf, profileOf, tookMsOf } from './team-script.ts'

/**
 * A scenario of a team by real processes: the shipped kernel with its own engines, `supervise`, and fake CLIs on PATH. Of the simulator there
 * are only the clock that is moved by hand and the words of the trace.
 *
 * 1. Time stands still while anything real happens: a program that starts, prints, ends. It moves when the call in flight waits at the door.
 * 2. At each instant the order is that of a simulation: host steps as listed, then what is due in the order in which it was asked for.
 * 3. The kernel has the clock that is shipped, on a machine whose time is the virtual one.
 */
export async function runRealTeam(scenario: TeamScenario): Promise<TeamTrace> {
  const programs = await TeamPrograms.install((scenario.installed ?? NAMES).filter(isName))
  try {
    return await new RealPlay(scenario, programs).play()
  } finally {
    await programs.close()
  }
}

const NAMES: readonly FakeCliName[] = ['claude', 'codex', 'agy']

function isName(name: string): name is FakeCliName {
  return (NAMES as readonly string[]).includes(name)
}

interface Call {
  readonly name: FakeCliName
  readonly item: ScriptedRun
  readonly arrived: Promise<Arrived>
  readonly ended: Promise<void>
  readonly end: () => void
  readonly cancelTimer: () => void
  isDue: boolean
}

type Mutable<Row> = { -readonly [Key in keyof Row]: Row[Key] }

class RealPlay {
  readonly #scenario: TeamScenario
  readonly #programs: TeamPrograms
  readonly #clock: TeamMachine
  readonly #kernel: Kernel
  readonly #team: TeamHandle
  readonly #steps: TeamStepScenario[]
  readonly #used = new Map<string, number>()
  #call: Call | null = null
  readonly #trace = { turns: [] as Mutable<TeamTraceTurn>[], log: [] as TeamTrace['log'][number][], states: [] as TeamTrace['states'][number][] }
  readonly #sleeps: Mutable<TeamTrace['sleeps'][number]>[] = []
  #over: TeamEndReason | null = null
  #defect: { readonly error: unknown } | null = null

  constructor(scenario: TeamScenario, programs: TeamPrograms) {
    this.#scenario = scenario
    this.#programs = programs
    this.#clock = new TeamMachine(Date.parse(scenario.startAt))
    const { settings, picks, zone, until, participants } = scenario
    this.#steps = [...scenario.steps].sort((left, right) => left.atMs - right.atMs)
    this.#kernel = createKernel(
      {
        primary: null,
        team: { ...settings, order: picks === 'rotation' ? picks : [...picks] },
        profiles: Object.fromEntries(NAMES.map((name) => [`${name}.main`, profileOf(scenario, name)])),
      } as never,
      {
        clock: this.#clock.kernelClock(),
        random: () => 0.5,
        processes: { environment: { PATH: programs.path, HOME: programs.path }, runs: null },
      },
    )
    const asking = this.#steps.flatMap((step) => (step.do === 'gate' ? [step.participant] : []))
    this.#team = this.#kernel.supervise({
      participants: participants.map(({ id, provider, model, failover }) => ({ id, provider, model, failover, prompt: `You are ${id}.` })),
      zone,
      clock: this.#clock.teamClock(),
      directory: programs.path,
      until: (turns) => this.#over !== null || ('turns' in until ? turns >= until.turns : 'ms' in until && this.#clock.sinceStartMs >= until.ms),
      ...this.#askedBefore(asking),
    })
    this.#team.events$.subscribe((event) => this.#take(event))
  }

  async play(): Promise<TeamTrace> {
    try {
      this.#takeSteps()
      await turnOfTheLoop()
      await this.#settle()
      while (this.#over === null) {
        this.#advance()
        await this.#settle()
      }
      if (this.#defect !== null) throw this.#defect.error
      return this.#traceOf(this.#over)
    } finally {
      this.#programs.forget()
      await this.#close()
    }
  }

  /** A gate that is open from the beginning was asked for in a run that another process left. */
  #askedBefore(gates: readonly string[]): { thread?: ReturnType<typeof memoryThread>; standing?: TeamStanding } {
    if (gates.length === 0) return {}
    const thread = memoryThread()
    for (const participant of gates) {
      thread.append({ at: this.#clock.now(), participant, engine: null, text: 'play: gate May I?' } as never)
    }
    const nothing = { position: 0, begun: 0, ended: 0, iterations: 0, chargedMs: 0, paused: null, approved: [], done: [], repeated: null, run: null }
    return { thread, standing: { ...nothing, gates: [...gates], asked: { byPerson: null, byPost: null }, heard: gates.length } }
  }

  #advance(): void {
    const { until } = this.#scenario
    const step = this.#steps[0]
    const stepMs = step === undefined ? Number.POSITIVE_INFINITY : Math.max(step.atMs, this.#clock.sinceStartMs)
    const timerMs = this.#clock.nextMs ?? Number.POSITIVE_INFINITY
    if (step === undefined && this.#clock.isIdle) return this.#end('pause')
    const nextMs = Math.min(stepMs, timerMs)
    if ('ms' in until && nextMs > until.ms) {
      this.#clock.moveTo(until.ms)
      return this.#end('until')
    }
    this.#clock.moveTo(nextMs)
    this.#takeSteps()
    if (this.#over === null) this.#clock.ring()
  }

  /** Until the call in flight waits at the door, or there is none. */
  async #settle(): Promise<void> {
    for (;;) {
      await turnOfTheLoop()
      const call = this.#call
      if (call === null || this.#over !== null) return
      const arrived = await Promise.race([call.arrived, call.ended])
      if (arrived === undefined) continue
      if (!call.isDue) return
      const run = fakeRunOf(call.item, call.name, this.#clock.now())
      // Its deadline ends it, at this instant.
      if (run === null) return
      this.#programs.play(arrived, call.name, run, this.#clock.now())
      await call.ended
      await arrived.gone
    }
  }

  #takeSteps(): void {
    while (this.#over === null) {
      const step = this.#steps[0]
      if (step === undefined || step.atMs > this.#clock.sinceStartMs) return
      this.#steps.shift()
      this.#do(step)
    }
  }

  #do(step: TeamStepScenario): void {
    switch (step.do) {
      case 'stop':
        return void this.#team.stop()
      case 'pause':
        return this.#team.pause()
      case 'resume':
        return this.#team.resume()
      case 'say':
        return void this.#team.say(step.text ?? 'Go on.')
      case 'suspend':
        return this.#clock.suspend(step.forMs)
      case 'clock':
        return this.#clock.moveWallClock(step.byMs)
      case 'approve':
        return void this.#team.approve(step.participant)
      case 'gate':
        // It is open from the beginning.
        return
    }
  }

  #take(event: TeamEvent): void {
    if (event.type === 'run.ended') this.#callEnded()
    if (this.#over !== null) return
    const atMs = this.#clock.sinceStartMs
    switch (event.type) {
      case 'run.started':
        return this.#begin(event.run, atMs)
      case 'run.ended': {
        const row = this.#trace.turns.at(-1)
        if (row !== undefined) row.result = event.result
        return
      }
      case 'line.written':
        return void this.#trace.log.push({ atMs, line: event.line })
      case 'state.entered':
        return this.#enter(event.state, atMs)
      case 'wait.started':
        return void this.#sleeps.push({ fromMs: atMs, toMs: null, wokenBy: null })
      case 'wait.ended':
        return void Object.assign(this.#sleeps.at(-1) ?? {}, { toMs: atMs, wokenBy: event.wokenBy })
      case 'team.ended':
        // The bound is the scenario's: the run would have gone on.
        if (event.reason === 'until') this.#trace.states.pop()
        return this.#end(event.reason)
      case 'team.failed':
        this.#defect = event
        return this.#end('stop')
    }
  }

  #begin({ n, participant, entry, startedBy }: TeamRun, atMs: number): void {
    this.#trace.turns.push({ n, participant, engine: entry.engine, atMs, result: null, startedBy })
    const script = scriptOf(this.#scenario, entry)
    const used = this.#used.get(entry.engine) ?? 0
    this.#used.set(entry.engine, used + 1)
    const item = script[Math.min(used, script.length - 1)]
    if (item === undefined) return this.#end('unscripted')
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const cancelTimer = this.#clock.after(tookMsOf(item), () => {
      call.isDue = true
    })
    const call: Call = { name: nameOf(entry.provider), item, arrived: this.#programs.arrival(), ended, end, cancelTimer, isDue: false }
    this.#call = call
  }

  #callEnded(): void {
    this.#call?.cancelTimer()
    this.#call?.end()
    this.#call = null
  }

  #enter(state: RunState, atMs: number): void {
    this.#trace.states.push({ atMs, state })
    const { until } = this.#scenario
    if ('state' in until && until.state === state && state !== 'stopped') this.#end('until')
  }

  #end(reason: TeamEndReason): void {
    const isPaused = this.#trace.states.at(-1)?.state === 'paused' && (reason === 'until' || reason === 'pause')
    this.#over ??= isPaused ? (this.#team.status.paused ?? 'pause') : reason
  }

  #traceOf(reason: TeamEndReason): TeamTrace {
    const { iterations, chargedMs, participants } = this.#team.status
    const limited = participants.flatMap(({ chain }) =>
      chain.flatMap(({ engine, limitedUntil }) => (limitedUntil === null ? [] : [{ engine, limitedUntil }])),
    )
    return {
      format: 1,
      id: this.#scenario.id,
      ...this.#trace,
      sleeps: this.#sleeps,
      limits: Object.fromEntries(limited.map(({ engine, limitedUntil }) => [engine, { untilMs: this.#clock.sinceStart(limitedUntil) }])),
      iterations,
      chargedRuntimeMs: chargedMs,
      end: { state: this.#trace.states.at(-1)?.state ?? 'running', reason, atMs: this.#clock.sinceStartMs },
    }
  }

  /** Time goes on until the kernel has stopped: its waits for processes that will not end are on this clock too. */
  async #close(): Promise<void> {
    let stopped = false
    const stop = Promise.all([this.#team.stop({ immediate: true }), this.#kernel.stop()]).then(() => {
      stopped = true
    })
    while (!stopped) {
      await turnOfTheLoop()
      const { nextMs } = this.#clock
      if (nextMs === null) break
      this.#clock.moveTo(nextMs)
      this.#clock.ring()
    }
    await stop
  }
}

/** Everything that is ready to happen happens. */
function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
