import { map, type Observable } from 'rxjs'
import { type ActorRefFrom, createActor } from 'xstate'
import type { SupervisorEvent } from '../../machines/supervisor.ts'
import { type Checked, checkConfig } from '../config/check.ts'
import type { SecretSource } from '../config/credential.ts'
import { turnInFlight } from '../config/turn-diagnostics.ts'
import { unbuildableProfile } from '../config/unbuildable.ts'
import type { Engine } from '../engines/contract.ts'
import { HTTP_APIS } from '../engines/http/registry.ts'
import type { Clock, RandomSource } from '../model/clock.ts'
import { type Board, type Hold, holdAt } from '../model/hold.ts'
import { hasImage } from '../model/message.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Diagnostic } from '../model/plan.ts'
import type { Profile, Settings } from '../model/settings.ts'
import { describePlan, type PlanDescription } from '../plan/describe.ts'
import { planTurn } from '../plan/plan.ts'
import { onAbort } from './abort-signal.ts'
import { lastPrompt, workOf } from './asked-work.ts'
import type { KernelCore, RunningTurn } from './core.ts'
import { EngineRoom } from './engine-room.ts'
import { ConfigError, RelevoError } from './errors.ts'
import { guardedInspector, type Inspector } from './inspect.ts'
import type { Kernel, KernelConfig, KernelPorts, PlanQuery } from './kernel-door.ts'
import { KernelEngines } from './kernel-engines.ts'
import { type Ledger, memoryLedger } from './ledger.ts'
import { logTo, silentLog } from './log.ts'
import { unstarted } from './outcome.ts'
import { Pricing } from './pricing.ts'
import { type CheckedRequest, checkRequest, messagesOf, type TurnRequest } from './request.ts'
import { KernelSpending, type Spending } from './spending.ts'
import { systemClock } from './system-clock.ts'
import { systemSecrets } from './system-secrets.ts'
import { supervise } from './team/supervise.ts'
import type { SupervisedTeam } from './team/supervised-team.ts'
import { systemTeamClock, teamClockOn } from './team/system-team-clock.ts'
import type { TeamClock } from './team/team-clock.ts'
import type { Team, TeamHandle } from './team/team-door.ts'
import { type Turn, TurnHandle } from './turn-handle.ts'
import { TurnRun } from './turn-run.ts'
import type { TurnWork } from './turn-work.ts'
import { wiredSupervisor, wiredTurn } from './wire.ts'

/**
 * Makes a kernel from settings (see docs/reference/settings.md).
 *
 * Throws ConfigError with every fatal problem, each with path and remedy; nothing is started then.
 */
export function createKernel(config: KernelConfig, ports: KernelPorts = {}): Kernel {
  return new RunningKernel(config, ports)
}

class RunningKernel implements Kernel, KernelCore {
  readonly clock: Clock
  readonly random: RandomSource
  readonly ledger: Ledger
  readonly log: KernelCore['log']
  readonly pricing: Pricing
  readonly spending: Spending
  settings: Settings
  warnings: readonly Diagnostic[]
  readonly #engines: KernelEngines
  readonly #secrets: SecretSource
  readonly #supervisor: ActorRefFrom<typeof wiredSupervisor>
  readonly #room: EngineRoom
  /** By name; null until the turn starts. */
  readonly #turns = new Map<string, RunningTurn | null>()
  readonly #waiting = new Set<RunningTurn>()
  readonly #teams = new Set<SupervisedTeam>()
  readonly #teamClock: TeamClock
  readonly #inspect: Inspector | undefined
  /** The settings as they were given. */
  #written: unknown
  #made = 0
  #stopped = false
  readonly #prefix = globalThis.crypto.randomUUID().slice(0, 8)

  constructor(config: unknown, ports: KernelPorts) {
    this.clock = ports.clock ?? systemClock()
    this.random = ports.random ?? Math.random
    this.ledger = ports.ledger ?? memoryLedger()
    this.log = ports.logger === undefined ? silentLog : logTo(ports.logger)
    this.#secrets = ports.secrets ?? systemSecrets()
    this.#engines = new KernelEngines(ports, this.clock)
    this.#teamClock = ports.clock === undefined ? systemTeamClock() : teamClockOn(ports.clock)
    const checked = this.#check(config)
    this.settings = checked.settings
    this.warnings = checked.warnings
    this.#written = config
    this.pricing = new Pricing(ports.prices, (error) => this.log.listenerThrew(error))
    this.spending = new KernelSpending(() => this.settings.budgets?.zone ?? 'UTC', ports.earlier ?? [], this.#instant())
    const inspect = ports.inspect === undefined ? undefined : guardedInspector(ports.inspect, (error) => this.log.listenerThrew(error))
    this.#inspect = inspect
    this.#supervisor = createActor(wiredSupervisor, {
      input: { port: { wakeWaiting: () => this.#wakeWaiting(), cancelTurns: () => this.#cancelTurns() } },
      ...(inspect === undefined ? {} : { inspect }),
    })
    this.#supervisor.subscribe({ error: (defect) => this.log.defect('supervisor', defect) })
    this.#supervisor.start()
    this.#room = new EngineRoom(this.clock, this.#supervisor, ports.holds ?? null, (error) => this.log.listenerThrew(error))
  }

  turn(asked: TurnRequest): Turn {
    if (this.#stopped) throw stoppedKernel()
    const request = checkRequest(asked)
    const id = request.id ?? `${this.#prefix}-${++this.#made}`
    if (this.#turns.has(id)) throw new ConfigError([turnInFlight(id)])
    const callbacks =
      request.sinks === undefined || Array.isArray(request.sinks) ? {} : (request.sinks as Exclude<TurnRequest['sinks'], readonly string[]>)
    const handle = new TurnHandle(id, callbacks ?? {}, (error) => this.log.listenerThrew(error))
    let cancelled = false
    handle.onCancel = () => {
      cancelled = true
    }
    this.#turns.set(id, null)
    const { signal } = request
    if (signal !== undefined) void handle.outcome.then(onAbort(signal, handle.cancel))
    queueMicrotask(() => this.#begin(request, handle, () => cancelled || this.#stopped || signal?.aborted === true))
    return handle
  }

  /** A turn that cannot even start, because a port throws or a host's object is not what was checked, ends as a defect all the same. */
  #begin(request: CheckedRequest, handle: TurnHandle, isCancelled: () => boolean): void {
    try {
      this.#start(request, handle, isCancelled)
    } catch (defect) {
      this.log.defect(handle.id, defect)
      this.#endUnstarted(handle, unstarted('defect', null, null, this.#instant()), defect)
    }
  }

  #endUnstarted(handle: TurnHandle, outcome: Outcome, cause?: unknown): void {
    this.#turns.delete(handle.id)
    handle.publish({ type: 'turn.ended', turn: handle.id, at: outcome.endedAt, outcome })
    handle.finish(outcome, cause)
  }

  /** The present instant; 0 where it is the clock that is broken. */
  #instant(): number {
    try {
      return this.clock.now()
    } catch {
      return 0
    }
  }

  #start(request: CheckedRequest, handle: TurnHandle, isCancelled: () => boolean): void {
    const messages = messagesOf(request)
    const vision = hasImage(messages)
    const tools = request.tools ?? []
    const planned = planTurn(this.settings, { model: request.model, tools: tools.length > 0, vision, prompt: lastPrompt(messages) })
    if ('error' in planned) {
      return this.#endUnstarted(handle, unstarted('config_error', planned.requested, planned.error, this.clock.now()))
    }
    const work = workOf(this.settings, request, planned.plan, handle)
    this.#launch(this, work, handle, isCancelled)
  }

  #launch(core: KernelCore, work: TurnWork, handle: TurnHandle, isCancelled: () => boolean): void {
    for (const { holdKey, modelHoldKey } of work.plan.entries) {
      this.#room.ensure(holdKey)
      if (modelHoldKey !== null) this.#room.ensure(modelHoldKey)
    }
    const run = new TurnRun(core, work, handle)
    if (isCancelled()) return run.finishUnstarted()
    this.#turns.set(handle.id, run)
    handle.onCancel = () => run.cancel()
    run.start()
  }

  supervise(asked: Team): TeamHandle {
    if (this.#stopped) throw stoppedKernel()
    const team = supervise(
      {
        core: this,
        launch: (core, work, handle) => this.#launch(core, work, handle, () => this.#stopped),
        settings: () => this.settings,
        written: () => this.#written,
        check: (config) => this.#checked(config),
        clock: this.#teamClock,
        prefix: `${this.#prefix}-${++this.#made}`,
        isAtWork: (id) => [...this.#teams].some((team) => team.id === id),
        inspect: this.#inspect,
      },
      asked,
    )
    // A program that a killed host left behind still works on what the team goes on with.
    this.#engines.sweep()
    this.#teams.add(team)
    void team.done.then(() => this.#teams.delete(team))
    queueMicrotask(() => team.begin())
    return team
  }

  plan(query: PlanQuery = {}): PlanDescription {
    const planned = planTurn(this.settings, query)
    if ('error' in planned) throw new ConfigError([planned.error])
    return describePlan(planned.plan, { board: this.#room.board, now: this.clock.now(), ask: query })
  }

  holds(): readonly Hold[] {
    return activeHolds(this.#room.board, this.clock.now())
  }

  get holds$(): Observable<readonly Hold[]> {
    return this.#room.board$.pipe(map((board) => activeHolds(board, this.clock.now())))
  }

  clearHold(key: string): boolean {
    const cleared = this.#room.clear(key)
    if (cleared) this.#tellSupervisor({ type: 'hold.lifted' })
    return cleared
  }

  reload(config: unknown): void {
    const { settings, warnings } = this.#check(config)
    this.settings = settings
    this.warnings = warnings
    this.#written = config
  }

  async stop(): Promise<void> {
    for (const team of this.#teams) void team.stop({ immediate: true })
    if (!this.#stopped) this.#supervisor.send({ type: 'supervisor.stop' })
    this.#stopped = true
    this.#room.stop()
    await this.#engines.close()
  }

  facts(): { now: number; board: Board } {
    return { now: this.clock.now(), board: this.#room.board }
  }

  engineOf(profile: Profile): Engine {
    const engine = this.#engines.of(profile)
    if (engine === undefined) throw new RelevoError('unbuildable_profile', `No engine can be made for ${profile.id}; check its api.`)
    return engine
  }

  /** Every turn actor is named alike: a chart memoises the edges of each event type it meets, and a done event carries the child's name. */
  spawnTurn(input: Parameters<KernelCore['spawnTurn']>[0]): ReturnType<KernelCore['spawnTurn']> {
    this.#tellSupervisor({ type: 'turn.started' })
    return createActor(wiredTurn, { id: 'turn', input, parent: this.#supervisor })
  }

  reportHold(hold: Hold): void {
    this.#room.report(hold)
  }

  waitingStarted(run: RunningTurn): void {
    this.#waiting.add(run)
    this.#tellSupervisor({ type: 'turn.waiting' })
  }

  waitingEnded(run: RunningTurn): void {
    if (this.#waiting.delete(run)) this.#tellSupervisor({ type: 'turn.resumed' })
  }

  turnEnded(run: RunningTurn): void {
    this.#turns.delete(run.id)
  }

  #check(config: unknown): { settings: Settings; warnings: readonly Diagnostic[] } {
    const { settings, errors, warnings } = this.#checked(config)
    if (settings === null) throw new ConfigError(errors)
    return { settings, warnings }
  }

  #checked(config: unknown): Checked {
    return checkConfig(config, {
      secrets: this.#secrets,
      buildable: (profile) => this.#buildable(profile),
      locate: (profile) => this.#engines.locate(profile),
    })
  }

  #buildable(profile: Profile): Diagnostic | null {
    return this.#engines.of(profile) === undefined ? unbuildableProfile(profile, HTTP_APIS) : null
  }

  /** A supervisor that was stopped is told nothing: turns that end on its order tell of it afterwards. */
  #tellSupervisor(event: SupervisorEvent): void {
    if (!this.#stopped) this.#supervisor.send(event)
  }

  #wakeWaiting(): void {
    for (const run of [...this.#waiting]) run.lift()
  }

  #cancelTurns(): void {
    for (const run of [...this.#turns.values()]) run?.cancel()
  }
}

function stoppedKernel(): RelevoError {
  return new RelevoError('kernel_stopped', 'The kernel was stopped; make a new one with createKernel.')
}

function activeHolds(board: Board, now: number): Hold[] {
  return [...board.values()].filter((hold) => holdAt(board, hold.key, now) !== undefined)
}
