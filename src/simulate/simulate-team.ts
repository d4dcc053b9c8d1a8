import type { InspectionEvent } from 'xstate'
import type { Member, RunState, TeamFact } from '../model/team.ts'
import { listedOrder } from '../policy/team/order.ts'
import type { TeamStatus } from '../policy/team/team-status.ts'
import { RunningTeam } from '../runtime/team/running-team.ts'
import { SimulatedStanding } from './simulated-standing.ts'
import { VirtualTeamClock } from './team-clock.ts'
import { scriptedRuns } from './team-run.ts'
import { scenarioMembers, type TeamScenario, type TeamStepScenario } from './team-scenario.ts'
import type { TeamEndReason, TeamTrace, TeamTraceTurn } from './team-trace.ts'

/**
 * Plays a scenario of a team through the run that is shipped, on a virtual clock and scripted runs. There is no second model of the rules.
 *
 * 1. Host steps of an instant come in listed order before whatever else is due then; those of the first instant before the run begins.
 * 2. What the host does while the machine is suspended takes effect when it wakes (G10).
 * 3. At the instant of `until.ms` what is due is finished and nothing is begun (G33).
 * 4. It always ends: a scenario that comes to no end of its own is cut at a cap and says so.
 * 5. It never keeps the process to itself: now and then the rest of it has its turn, and an aborted signal ends the run.
 */
export interface SimulatedTeam {
  readonly trace: TeamTrace
  /** Some call was made on an engine that has no script. */
  readonly unscripted: boolean
}

export interface TeamSimulationPorts {
  /** Called with each fact, and how the team stands then. */
  readonly onFact?: ((fact: TeamFact, status: TeamStatus) => void) | undefined
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Plays a scenario of a team in virtual time; aborted, it rejects with the reason of `signal`. */
export function simulateTeam(scenario: TeamScenario, ports: TeamSimulationPorts = {}): Promise<SimulatedTeam> {
  return new Play(scenario, ports).play()
}

type Mutable<Row> = { -readonly [Key in keyof Row]: Row[Key] }

class Play {
  readonly #scenario: TeamScenario
  readonly #signal: AbortSignal | undefined
  readonly #onFact: TeamSimulationPorts['onFact']
  readonly #view = new SimulatedStanding()
  readonly #clock: VirtualTeamClock
  readonly #team: RunningTeam
  readonly #members: readonly Member[]
  readonly #steps: readonly TeamStepScenario[]
  #nextStep = 0
  readonly #turns: Mutable<TeamTraceTurn>[] = []
  readonly #log: TeamTrace['log'][number][] = []
  readonly #states: TeamTrace['states'][number][] = []
  readonly #sleeps: Mutable<TeamTrace['sleeps'][number]>[] = []
  #unscripted = false
  /** Why the play is over; null while it goes on. */
  #over: TeamEndReason | null = null
  #defect: { readonly error: unknown } | null = null
  #rounds = 0

  constructor(scenario: TeamScenario, { inspect, signal, onFact }: TeamSimulationPorts) {
    this.#scenario = scenario
    this.#onFact = onFact
    this.#signal = signal
    this.#clock = new VirtualTeamClock(Date.parse(scenario.startAt))
    this.#steps = [...scenario.steps].sort((left, right) => left.atMs - right.atMs)
    const { settings, zone, picks, until } = scenario
    this.#members = scenarioMembers(scenario)
    this.#team = new RunningTeam(
      {
        members: this.#members,
        settings,
        zone,
        choice: listedOrder(picks === 'rotation' ? null : picks),
        until: (turns) => this.#over !== null || ('turns' in until ? turns >= until.turns : 'ms' in until && this.#clock.sinceStartMs >= until.ms),
      },
      {
        clock: this.#clock,
        run: scriptedRuns(scenario, this.#clock, () => this.#missScript()),
        onFact: (fact) => this.#take(fact),
        ...(inspect === undefined ? {} : { inspect }),
      },
    )
  }

  async play(): Promise<SimulatedTeam> {
    try {
      this.#takeSteps()
      this.#team.start()
      while (this.#over === null) {
        this.#advance()
        await this.#breathe()
      }
      if (this.#defect !== null) throw this.#defect.error
      return { trace: this.#trace(this.#over), unscripted: this.#unscripted }
    } finally {
      this.#team.stop({ immediate: true })
    }
  }

  /** To the next instant at which something is due, and through what is due then. */
  #advance(): void {
    const { until } = this.#scenario
    const step = this.#steps[this.#nextStep]
    const stepMs = step === undefined ? null : Math.max(step.atMs, this.#clock.sinceStartMs)
    const timerMs = this.#clock.nextMs
    const nextMs = Math.min(stepMs ?? Number.POSITIVE_INFINITY, timerMs ?? Number.POSITIVE_INFINITY)
    // Paused, and nobody is left who could resume it.
    if (nextMs === Number.POSITIVE_INFINITY) return this.#end('pause')
    if ('ms' in until && nextMs > until.ms) {
      this.#clock.moveTo(until.ms)
      return this.#end('until')
    }
    this.#clock.moveTo(nextMs)
    this.#takeSteps()
    if (this.#over === null) this.#clock.ring()
    if (this.#rounds > MOST_ROUNDS || this.#turns.length > MOST_RUNS) this.#end('cap')
  }

  #takeSteps(): void {
    for (;;) {
      const step = this.#steps[this.#nextStep]
      if (step === undefined || step.atMs > this.#clock.sinceStartMs || this.#over !== null) return
      this.#nextStep++
      this.#do(step)
    }
  }

  #do(step: TeamStepScenario): void {
    switch (step.do) {
      case 'stop':
        return this.#team.stop()
      case 'pause':
        return this.#team.pause()
      case 'resume':
        return this.#team.resume()
      case 'say':
        return this.#team.messagePosted()
      case 'suspend':
        return this.#clock.suspend(step.forMs)
      case 'clock':
        return this.#clock.moveWallClock(step.byMs)
      case 'gate':
        return this.#team.openGate(step.participant)
      case 'approve':
        return this.#team.approve(step.participant)
    }
  }

  #take(fact: TeamFact): void {
    if (this.#over !== null) return
    this.#view.take(fact)
    this.#onFact?.(fact, this.#status())
    const atMs = this.#clock.sinceStartMs
    switch (fact.type) {
      case 'run.started': {
        const { n, participant, entry, startedBy } = fact.run
        this.#turns.push({ n, participant, engine: entry.engine, atMs, result: null, startedBy })
        return
      }
      case 'run.ended': {
        const row = this.#turns.at(-1)
        if (row !== undefined) row.result = fact.result
        return
      }
      case 'line.written':
        this.#log.push({ atMs, line: fact.line })
        return
      case 'state.entered':
        return this.#enter(fact.state, atMs)
      case 'wait.started':
        this.#sleeps.push({ fromMs: atMs, toMs: null, wokenBy: null })
        return
      case 'wait.ended': {
        const sleep = this.#sleeps.at(-1)
        if (sleep !== undefined) Object.assign(sleep, { toMs: atMs, wokenBy: fact.wokenBy })
        return
      }
      case 'team.ended':
        // The bound is the scenario's: the run would have gone on.
        if (fact.reason === 'until') this.#states.pop()
        return this.#end(fact.reason)
      case 'team.failed':
        this.#defect = fact
        return this.#end('stop')
    }
  }

  #status(): TeamStatus {
    const now = this.#clock.now()
    return this.#view.status({ members: this.#members, memory: this.#team.memory, now, elapsedMs: this.#clock.elapsedMs() })
  }

  #enter(state: RunState, atMs: number): void {
    this.#states.push({ atMs, state })
    const { until } = this.#scenario
    // A run that stops says why by itself.
    if ('state' in until && until.state === state && state !== 'stopped') this.#end('until')
  }

  #missScript(): void {
    this.#unscripted = true
    const row = this.#turns.at(-1)
    if (row !== undefined) row.unscripted = true
    this.#end('unscripted')
  }

  /** In a pause the cause of the pause says more than the bound that was met in it (G32). */
  #end(reason: TeamEndReason): void {
    const isPaused = this.#states.at(-1)?.state === 'paused' && (reason === 'until' || reason === 'pause')
    this.#over ??= isPaused ? (this.#team.progress.paused ?? 'pause') : reason
  }

  #trace(reason: TeamEndReason): TeamTrace {
    const { iterations, chargedMs, limits } = this.#team.progress
    return {
      format: 1,
      id: this.#scenario.id,
      turns: this.#turns,
      log: this.#log,
      states: this.#states,
      sleeps: this.#sleeps,
      limits: Object.fromEntries([...limits].map(([engine, untilAt]) => [engine, { untilMs: this.#clock.sinceStart(untilAt) }])),
      iterations,
      chargedRuntimeMs: chargedMs,
      end: { state: this.#states.at(-1)?.state ?? 'running', reason, atMs: this.#clock.sinceStartMs },
    }
  }

  async #breathe(): Promise<void> {
    if (++this.#rounds % ROUNDS_AT_A_STRETCH !== 0) return
    await new Promise((resolve) => void setTimeout(resolve, 0))
    this.#signal?.throwIfAborted()
  }
}

/** After so many rounds the rest of the process has its turn: a few ms of work. */
const ROUNDS_AT_A_STRETCH = 256
/** A scenario that has done so much goes on for ever. */
const MOST_ROUNDS = 2_000_000
const MOST_RUNS = 100_000
