import { map, type Observable } from 'rxjs'
import { type ActorRefFrom, type AnyActorRef, createActor } from 'xstate'
import type { SupervisorEvent } from '../../machines/supervisor.ts'
import { type Checked, checkConfig } from '../config/check.ts'
import { remembered, type SecretSource } from '../config/credential.ts'
import { unbuildableProfile } from '../config/unbuildable.ts'
import { writtenCopy } from '../config/written-copy.ts'
import type { Engine } from '../engines/contract.ts'
import { HTTP_APIS } from '../engines/http/registry.ts'
import type { Clock, RandomSource } from '../model/clock.ts'
import { type Board, type Hold, holdAt } from '../model/hold.ts'
import type { Diagnostic } from '../model/plan.ts'
import type { Secret } from '../model/secret.ts'
import type { Profile, Settings } from '../model/settings.ts'
import { describePlan, type PlanDescription } from '../plan/describe.ts'
import { type Estimator, guardedEstimator } from '../plan/effort.ts'
import { describeHints, describeProfiles, type HintDescription, type ProfileDescription } from '../plan/listing.ts'
import { aimOf, type PlanAsk, type Planned, planTurn } from '../plan/plan.ts'
import { isOverBudget } from '../policy/budget.ts'
import { holdKeyNow, holdsOver } from '../policy/credential.ts'
import { Choices } from './choices.ts'
import type { KernelCore, RunningTurn } from './core.ts'
import { EngineRoom } from './engine-room.ts'
import { ConfigError, RelevoError } from './errors.ts'
import type { Kernel, KernelConfig, KernelPorts, PlanQuery } from './kernel-door.ts'
import { KernelEngines } from './kernel-engines.ts'
import { KernelInspection } from './kernel-inspection.ts'
import { kernelLog } from './kernel-log.ts'
import { type Ledger, memoryLedger } from './ledger.ts'
import { type OpenTurn, OpenTurnHandle } from './open-turn.ts'
import { moneyRules, Pricing } from './pricing.ts'
import { checkOpenTurn, checkRequest, checkTargets, type OpenTurnRequest, type TurnRequest } from './request.ts'
import { KernelSpending, type Spending } from './spending.ts'
import { systemClock } from './system-clock.ts'
import { systemSecrets } from './system-secrets.ts'
import { supervise } from './team/supervise.ts'
import type { SupervisedTeam } from './team/supervised-team.ts'
import { systemTeamClock, teamClockOn } from './team/system-team-clock.ts'
import type { TeamClock } from './team/team-clock.ts'
import type { Team, TeamHandle } from './team/team-door.ts'
import type { Turn } from './turn-handle.ts'
import { NOTHING_BEFORE } from './turn-work.ts'
import { Turns } from './turns.ts'
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
  readonly id = globalThis.crypto.randomUUID()
  readonly clock: Clock
  readonly random: RandomSource
  readonly ledger: Ledger
  readonly log: KernelCore['log']
  readonly pricing: Pricing
  readonly spending: Spending
  /** Not a field of its own to print: headers and addresses may carry a key. */
  #settings: Settings
  warnings: readonly Diagnostic[]
  readonly #engines: KernelEngines
  readonly #secrets: SecretSource
  /** As they were read with the settings in force: an entry of a team that is first called later has the keys of then. */
  #keys: SecretSource
  readonly #supervisor: ActorRefFrom<typeof wiredSupervisor>
  readonly #room: EngineRoom
  readonly #turns: Turns
  readonly #choices = new Choices()
  readonly #estimate: Estimator | undefined
  readonly #waiting = new Set<RunningTurn>()
  #isWoken = false
  readonly #teams = new Set<SupervisedTeam>()
  readonly #teamClock: TeamClock
  readonly #inspection: KernelInspection
  /** The settings as they were given. */
  #written: unknown
  #stopped = false
  /** Why no engine can be made for a profile, or null. */
  readonly #fault = (profile: Profile): Diagnostic | null => (this.#engines.of(profile) === undefined ? unbuildableProfile(profile, HTTP_APIS) : null)

  constructor(config: unknown, ports: KernelPorts) {
    this.clock = ports.clock ?? systemClock()
    this.random = ports.random ?? Math.random
    this.ledger = ports.ledger ?? memoryLedger()
    this.log = kernelLog(this.id, ports)
    this.#secrets = ports.secrets ?? systemSecrets()
    this.#keys = this.#secrets
    this.#engines = new KernelEngines(ports, this.clock)
    this.#teamClock = ports.clock === undefined ? systemTeamClock() : teamClockOn(ports.clock)
    const checked = this.#check(config)
    this.#settings = checked.settings
    this.warnings = checked.warnings
    this.#written = writtenCopy(config)
    this.pricing = new Pricing(ports.prices, (error) => this.log.listenerThrew(error))
    this.spending = new KernelSpending(() => this.settings.budgets?.zone ?? 'UTC', ports.earlier ?? [])
    this.#inspection = new KernelInspection(ports.inspect, (error) => this.log.listenerThrew(error))
    this.#supervisor = createActor(wiredSupervisor, {
      input: { port: { wakeWaiting: () => this.#wakeLater(), cancelTurns: () => this.#turns.cancelAll() } },
      ...this.#inspection.atTop,
    })
    this.#inspection.begin(this.#supervisor)
    this.#supervisor.subscribe({ error: (defect) => this.log.defect('supervisor', defect) })
    this.#supervisor.start()
    this.#turns = new Turns(this, globalThis.crypto.randomUUID().slice(0, 8), (key) => this.#room.ensure(key))
    this.#estimate = guardedEstimator(ports.estimate, (error) => this.log.listenerThrew(error))
    this.#room = new EngineRoom(this, this.#supervisor, ports.holds ?? null, (error) => this.log.listenerThrew(error))
  }

  get settings(): Settings {
    return this.#settings
  }

  turn(asked: TurnRequest): Turn {
    if (this.#stopped) throw stoppedKernel()
    const request = checkRequest(asked)
    return this.#turns.begin(request.id ?? this.#turns.mint(), request, () => ({
      settings: this.settings,
      before: NOTHING_BEFORE,
      plan: ({ tools, vision }, prompt) => this.#planned({ tools, vision, prompt, ...this.#choices.askOf(request) }),
    }))
  }

  openTurn(asked: OpenTurnRequest = {}): OpenTurn {
    if (this.#stopped) throw stoppedKernel()
    const request = checkOpenTurn(asked)
    const aim = aimOf(this.settings, { prompt: request.prompt, ...this.#choices.askOf(request) }, this.#estimate, this.#fault)
    if ('error' in aim) throw new ConfigError([aim.error])
    return new OpenTurnHandle({
      id: request.id ?? this.#turns.mint(),
      turns: this.#turns,
      settings: this.settings,
      written: this.#written,
      aim,
      check: (config) => this.#checked(config),
      signal: request.signal,
      caller: request.caller,
    })
  }

  chooseModel(scope: string, model: string | null): void {
    this.#choices.choose(scope, model)
  }

  chosenModel(scope: string): string | null {
    return this.#choices.of(scope)
  }

  supervise(asked: Team): TeamHandle {
    if (this.#stopped) throw stoppedKernel()
    const team = supervise(
      {
        core: this,
        launch: (core, work, handle) => void this.#turns.launch(core, work, handle),
        settings: () => this.settings,
        written: () => this.#written,
        check: (config) => this.#checked(config),
        clock: this.#teamClock,
        prefix: this.#turns.mint(),
        isAtWork: (id) => [...this.#teams].some((team) => team.id === id),
        inspect: this.#inspection.inspect,
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
    checkTargets(query)
    const planned = this.#planned({ ...query, ...this.#choices.askOf(query) })
    if ('error' in planned) throw new ConfigError([planned.error])
    const { plan } = planned
    const now = this.clock.now()
    const money = moneyRules(this, this.settings.budgets, plan)
    const spent = this.spending.spent(0, now)
    const isBarred = money === undefined ? undefined : (index: number, profile: string): boolean => isOverBudget(money, spent, index, profile)
    return describePlan(plan, { board: this.#room.board, now, ask: query, isBarred })
  }

  profiles(): readonly ProfileDescription[] {
    return describeProfiles(this.settings, this.#fault)
  }

  hints(): readonly HintDescription[] {
    return describeHints(this.settings)
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
    const moved = holdsOver(this.settings, settings, this.#room.board.values())
    this.#settings = settings
    this.warnings = warnings
    this.#written = writtenCopy(config)
    for (const { hold } of moved) this.#room.clear(hold.key)
    for (const { hold, key } of moved) if (key !== null) this.#room.report({ ...hold, key })
  }

  async stop(): Promise<void> {
    for (const team of this.#teams) void team.stop({ immediate: true })
    if (!this.#stopped) this.#supervisor.send({ type: 'supervisor.stop' })
    this.#stopped = true
    this.#turns.stop()
    this.#room.stop()
    await this.#engines.close()
    this.#inspection.end()
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
    const turn = createActor(wiredTurn, { id: 'turn', input, parent: this.#supervisor })
    this.made(turn)
    return turn
  }

  made(actor: AnyActorRef): void {
    this.#inspection.made(actor)
  }

  /** A turn that began before a reload may bring a hold of a credential that is in another place by now, or in none. */
  reportHold(hold: Hold, by?: { readonly secret: Secret | null }): void {
    const key = by === undefined ? hold.key : holdKeyNow(this.settings, hold.key, by.secret)
    if (key !== null) this.#room.report(key === hold.key ? hold : { ...hold, key })
  }

  waitingStarted(run: RunningTurn): void {
    this.#waiting.add(run)
    this.#tellSupervisor({ type: 'turn.waiting' })
  }

  waitingEnded(run: RunningTurn): void {
    if (this.#waiting.delete(run)) this.#tellSupervisor({ type: 'turn.resumed' })
  }

  turnEnded(run: RunningTurn): void {
    this.#turns.ended(run.id)
  }

  #planned(ask: PlanAsk): Planned {
    return planTurn(this.settings, ask, this.#estimate, this.#fault)
  }

  #check(config: unknown): { settings: Settings; warnings: readonly Diagnostic[] } {
    const keys = remembered(this.#secrets)
    const { settings, errors, warnings } = this.#checked(config, keys)
    if (settings === null) throw new ConfigError(errors)
    this.#keys = keys
    return { settings, warnings }
  }

  #checked(config: unknown, secrets: SecretSource = this.#keys): Checked {
    return checkConfig(config, {
      secrets,
      buildable: this.#fault,
      locate: (profile) => this.#engines.locate(profile),
    })
  }

  /**
   * A supervisor that was stopped is told nothing: turns that end on its order tell of it afterwards. What it orders is carried out behind its
   * step: a turn that is woken tells facts, and charts tell none within the action of another.
   */
  #tellSupervisor(event: SupervisorEvent): void {
    if (!this.#stopped) this.#supervisor.send(event)
    if (!this.#isWoken) return
    this.#isWoken = false
    this.#wakeWaiting()
  }

  #wakeLater(): void {
    this.#isWoken = true
  }

  #wakeWaiting(): void {
    for (const run of [...this.#waiting]) run.lift()
  }
}

function stoppedKernel(): RelevoError {
  return new RelevoError('kernel_stopped', 'The kernel was stopped; make a new one with createKernel.')
}

function activeHolds(board: Board, now: number): Hold[] {
  return [...board.values()].filter((hold) => holdAt(board, hold.key, now) !== undefined)
}
