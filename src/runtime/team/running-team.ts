import type { Observable, Subscription } from 'rxjs'
import { type ActorRefFrom, createActor, type InspectionEvent } from 'xstate'
import type { TeamMachineEvent, TeamPort } from '../../../machines/team.ts'
import type { Member, RunResult, RunState, TeamFact, TeamRun, TeamSettings } from '../../model/team.ts'
import { narrator } from '../../policy/team/narrate.ts'
import { askedFirst, type ChoiceRule, listedOrder } from '../../policy/team/order.ts'
import {
  chargedBy,
  type TeamFacts,
  type TeamMemory,
  type TeamNews,
  type TeamStart,
  type TeamTurn,
  type TeamWait,
} from '../../policy/team/team-memory.ts'
import { RelevoError } from '../errors.ts'
import { wiredTeam } from '../wire.ts'
import type { TeamClock } from './team-clock.ts'

/** Who works, and by which rules. */
export interface TeamAsk {
  readonly members: readonly Member[]
  readonly settings: TeamSettings
  /** IANA zone of the times in printed lines. */
  readonly zone: string
  /** Who is asked for, else every participant in turn, unless a host has a rule of its own. */
  readonly choice?: ChoiceRule | undefined
  /** Ends the run before anything new once it holds: how many turns have ended, and the wall clock. */
  readonly until?: ((turns: number, now: number) => boolean) | undefined
  /** Where another process left off. A run that was paused then is paused still. */
  readonly start?: Partial<TeamStart> | undefined
}

/** What a run of a team needs of its host. */
export interface TeamPorts {
  readonly clock: TeamClock
  /** One call: one subscription, one result. Unsubscribing ends it at once. */
  readonly run: (run: TeamRun) => Observable<RunResult>
  readonly onFact: (fact: TeamFact) => void
  /** Once a slice of a wait (T17). */
  readonly onHeartbeat?: (() => void) | undefined
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
}

/**
 * Carries out what the chart of a team decides: makes calls, waits in slices, tells what happens.
 *
 * 1. Nothing is decided here; the register of limits lives as long as this object does (T7).
 * 2. A wait is over when the wall clock says so, looked at once a slice: a suspend or a clock that is moved makes it at most one slice late,
 *    and a machine that slept wakes at the reset and not after what was left of the sleep (T17, G10).
 * 3. What a step orders is carried out once the facts of that step are told.
 * 4. A run that breaks its contract is a failed call, never the end of the team.
 */
export class RunningTeam implements TeamPort {
  readonly #ports: TeamPorts
  readonly #sliceMs: number
  readonly #actor: ActorRefFrom<typeof wiredTeam>
  #state: RunState | null = null
  #order: (() => void) | null = null
  #call: Subscription | null = null
  #cancelSlice: (() => void) | null = null
  #started = false
  /** What was asked for before the start of a run that another process left paused. */
  #early: (() => void)[] = []

  constructor({ members, settings, zone, choice, until, start }: TeamAsk, ports: TeamPorts) {
    if (members.every(({ entries }) => entries.length === 0))
      throw new RelevoError('no_engine', 'No participant has an engine on this machine; install one of their programs, or name another provider.')
    this.#ports = ports
    this.#sliceMs = settings.sleepSliceMs
    const fixed = { members, settings, choice: choice ?? askedFirst(listedOrder(null)), narrator: narrator(zone), until: until ?? (() => false) }
    this.#actor = createActor(wiredTeam, {
      id: 'team',
      input: { fixed, port: this, start, ...this.#facts() },
      ...(ports.inspect === undefined ? {} : { inspect: ports.inspect }),
    })
    this.#actor.on('*', (news) => this.#tell(news))
    this.#actor.subscribe({
      next: ({ value }) => this.#step(STATES[value as keyof typeof STATES]),
      complete: () => this.#finish(),
      error: (error) => this.#fail(error),
    })
    this.#actor.start()
  }

  /** Begins the first turn. Orders that came before are known by then. */
  start(): void {
    if (this.#started || this.#actor.getSnapshot().status !== 'active') return
    this.#started = true
    if (this.memory.paused === null) {
      this.#enter('running')
      return this.#send({ type: 'team.start' })
    }
    this.#enter('paused')
    for (const order of this.#early) order()
    this.#early = []
  }

  pause(): void {
    this.#onceBegun(() => this.#send({ type: 'team.pause' }))
  }

  /** Before the start it takes back a pause that was asked for. */
  resume(): void {
    this.#onceBegun(() => this.#send({ type: 'team.resume' }))
  }

  /** A call that runs is let end, unless `immediate`. */
  stop({ immediate = false }: { readonly immediate?: boolean } = {}): void {
    this.#send({ type: 'team.stop', immediate })
  }

  /** The person has posted; the host has put the message into the thread. `asked`: the participant that it mentions. */
  messagePosted(asked: string | null = null): void {
    this.#onceBegun(() => this.#send({ type: 'message.posted', asked }))
  }

  openGate(participant: string): void {
    this.#send({ type: 'gate.opened', participant })
  }

  approve(participant: string): void {
    this.#onceBegun(() => this.#send({ type: 'gate.approved', participant }))
  }

  /** It stands still until somebody says otherwise; also before its start. */
  get isPaused(): boolean {
    return this.#actor.getSnapshot().value === 'paused'
  }

  /** All that the run remembers now. */
  get memory(): TeamMemory {
    return this.#actor.getSnapshot().context
  }

  /** What the run has come to so far. */
  get progress(): Pick<TeamMemory, 'iterations' | 'chargedMs' | 'paused'> & { readonly limits: ReadonlyMap<string, number> } {
    const context = this.memory
    const now = this.#ports.clock.now()
    const limits = [...context.register.limits].flatMap(([engine, { untilAt }]) => (untilAt > now ? [[engine, untilAt] as const] : []))
    const chargedMs = chargedBy(context, this.#ports.clock.elapsedMs())
    return { iterations: context.iterations, chargedMs, paused: context.paused, limits: new Map(limits) }
  }

  startRun(turn: TeamTurn, number: number): void {
    this.#order = () => this.#run(turn, number)
  }

  abortRun(): void {
    this.#call?.unsubscribe()
    this.#call = null
  }

  startWait(wait: TeamWait): void {
    this.#order = () => {
      this.#fact({ type: 'wait.started', untilAt: wait.untilAt })
      this.#slice(wait)
    }
  }

  cancelWait(): void {
    this.#cancelSlice?.()
    this.#cancelSlice = null
  }

  #run({ n, participant, entry, startedBy }: TeamTurn, number: number): void {
    const run: TeamRun = { n, participant, entry, startedBy }
    this.#fact({ type: 'run.started', run })
    let result: RunResult = BROKEN
    const end = (came: RunResult): void => this.#send({ type: 'run.ended', number, result: came })
    try {
      this.#call = this.#ports.run(run).subscribe({
        next: (each) => {
          result = each
        },
        complete: () => end(result),
        error: () => end(BROKEN),
      })
    } catch {
      end(BROKEN)
    }
  }

  #slice(wait: TeamWait): void {
    const { clock } = this.#ports
    const leftMs = wait.untilAt - clock.now()
    if (leftMs <= 0) return this.#send({ type: 'wait.elapsed', number: wait.number })
    this.#cancelSlice = clock.after(Math.min(leftMs, this.#sliceMs), () => {
      this.#ports.onHeartbeat?.()
      this.#slice(wait)
    })
  }

  #step(state: RunState): void {
    if (this.#started && state !== 'stopped') this.#enter(state)
    const order = this.#order
    this.#order = null
    order?.()
  }

  #enter(state: RunState): void {
    if (this.#state === state) return
    this.#state = state
    this.#fact({ type: 'state.entered', state })
  }

  #tell(news: TeamNews): void {
    if (news.type === 'state.passed') this.#enter(news.state)
    else this.#fact(news)
  }

  #finish(): void {
    const reason = this.#actor.getSnapshot().output?.reason ?? 'stop'
    this.#enter('stopped')
    this.#fact({ type: 'team.ended', reason })
  }

  #fail(error: unknown): void {
    this.abortRun()
    this.cancelWait()
    this.#fact({ type: 'team.failed', error })
  }

  #fact(fact: Unstamped<TeamFact>): void {
    this.#ports.onFact({ ...fact, at: this.#ports.clock.now() })
  }

  /** The chart cannot tell a run that was left paused and has not begun from one that is paused: what would wake it is kept until the start. */
  #onceBegun(order: () => void): void {
    if (this.#started || this.memory.paused === null) order()
    else this.#early.push(order)
  }

  #send(event: Timeless<TeamMachineEvent>): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send({ ...event, ...this.#facts() })
  }

  #facts(): TeamFacts {
    return { now: this.#ports.clock.now(), elapsedMs: this.#ports.clock.elapsedMs() }
  }
}

type Unstamped<Fact> = Fact extends unknown ? Omit<Fact, 'at'> : never
type Timeless<Event> = Event extends unknown ? Omit<Event, keyof TeamFacts> : never

const BROKEN: RunResult = { kind: 'failed', fault: { kind: 'failed', failure: 'no result' } }

/** What a state of the chart is called outside. */
const STATES = {
  choosing: 'running',
  running: 'running',
  handingOff: 'running',
  rateLimited: 'rate_limited',
  unreachable: 'unreachable',
  backingOff: 'backing_off',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'stopped',
} as const satisfies Record<string, RunState>
