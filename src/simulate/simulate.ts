import type { EngineResolver } from '../engines/contract.ts'
import { scriptedEngine } from '../engines/scripted.ts'
import type { Clock } from '../model/clock.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Diagnostic } from '../model/plan.ts'
import type { TurnEvent } from '../model/turn-event.ts'
import { ConfigError } from '../runtime/errors.ts'
import { createKernel } from '../runtime/kernel.ts'
import type { Kernel, KernelPorts } from '../runtime/kernel-door.ts'
import { memoryLedger } from '../runtime/ledger.ts'
import type { Turn } from '../runtime/turn-handle.ts'
import type { Scenario, Step } from './scenario.ts'
import { holdTraces, rowTrace, type Trace, turnTrace, unstartedTrace, type Watched, warningTraces } from './trace.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'

/**
 * Runs a scenario through the kernel that is shipped, on a virtual clock and a scripted engine. There is no second model of the rules.
 *
 * 1. Host steps of an instant come before whatever else is due then; among them cancels come first (C27).
 * 2. A turn runs until it needs time to pass before the next step is taken (C27).
 * 3. A cancel in the instant of a turn's start belongs to that start (C26).
 * 4. Chance is still: jitter is 0.
 * 5. It never keeps the process to itself: now and then the rest of it has its turn, and an aborted signal ends the run.
 */
export interface Simulated {
  readonly trace: Trace
  /** Some call went beyond the end of a script. */
  readonly unscripted: boolean
}

/** Ports of the kernel under simulation that a test may replace or watch, and how to end it early. */
export interface SimulationPorts extends Pick<KernelPorts, 'inspect' | 'logger' | 'ledger'> {
  /** Called with the kernel when it is made, and its clock. */
  readonly onKernel?: ((kernel: Kernel, clock: Clock) => void) | undefined
  /** Aborted: the simulation rejects with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Plays a scenario in virtual time. Settings that cannot be used are an outcome in its trace; aborted, it rejects with the reason of `signal`. */
export async function simulate(scenario: Scenario, ports: SimulationPorts = {}): Promise<Simulated> {
  const startAt = scenario.startAt === undefined ? 0 : Date.parse(scenario.startAt)
  const run = new Run(scenario, startAt, ports)
  return run.play()
}

interface Watching {
  readonly id: string
  readonly turn: Turn
  readonly events: TurnEvent[]
  readonly unscripted: Set<number>
  outcome: Outcome | null
}

class Run {
  readonly #scenario: Scenario
  readonly #startAt: number
  readonly #clock: VirtualClock
  readonly #kernel: Kernel | Diagnostic
  readonly #watching = new Map<string, Watching>()
  readonly #warnings: Diagnostic[] = []
  #endAt: number
  readonly #signal: AbortSignal | undefined
  #rounds = 0

  constructor(scenario: Scenario, startAt: number, { signal, onKernel, ...ports }: SimulationPorts) {
    this.#scenario = scenario
    this.#signal = signal
    this.#startAt = startAt
    this.#endAt = startAt
    this.#clock = virtualClock(startAt)
    this.#kernel = this.#makeKernel(ports)
    if ('code' in this.#kernel) return
    this.#warnings.push(...this.#kernel.warnings)
    onKernel?.(this.#kernel, this.#clock)
  }

  async play(): Promise<Simulated> {
    try {
      for (const steps of byInstant(this.#scenario.steps)) await this.#takeSteps(steps)
      while (this.#isRunning() && this.#clock.step()) await this.#settled()
      return this.#simulated()
    } finally {
      if (!('code' in this.#kernel)) await this.#kernel.stop()
    }
  }

  #simulated(): Simulated {
    const trace = this.#trace()
    return { trace, unscripted: [...this.#watching.values()].some((each) => each.unscripted.size > 0) }
  }

  #makeKernel({ ledger = memoryLedger(Number.POSITIVE_INFINITY), ...ports }: SimulationPorts): Kernel | Diagnostic {
    const engine = scriptedEngine(this.#scenario.script, (request) => this.#watching.get(request.turn)?.unscripted.add(request.n))
    const engines: EngineResolver = () => engine
    const holds = Object.entries(this.#scenario.holds ?? {}).map(([key, hold]) => ({
      key,
      untilAt: this.#startAt + hold.untilMs,
      reason: hold.reason,
    }))
    try {
      return createKernel(still(this.#scenario.config) as never, {
        ...ports,
        clock: this.#clock,
        random: () => 0.5,
        engines,
        ledger,
        holds: { load: () => holds, report() {}, clear() {} },
        secrets: { env: () => undefined, file: () => undefined },
      })
    } catch (error) {
      if (error instanceof ConfigError && error.problems[0] !== undefined) return error.problems[0]
      throw error
    }
  }

  async #takeSteps(steps: readonly Step[]): Promise<void> {
    const at = this.#startAt + (steps[0]?.atMs ?? 0)
    await this.#moveTo(at, false)
    const starting = new Set(steps.flatMap((step) => ('turn' in step ? [step.turn.id] : [])))
    const cancels = steps.flatMap((step) => ('cancel' in step ? [step.cancel] : []))
    for (const id of cancels) if (!starting.has(id)) this.#watching.get(id)?.turn.cancel()
    for (const step of steps) {
      if ('turn' in step) await this.#startTurn(step.turn, cancels.includes(step.turn.id))
      if ('advance' in step) await this.#moveTo(at + step.advance, true)
      this.#endAt = Math.max(this.#endAt, this.#clock.now())
    }
  }

  async #startTurn(asked: Extract<Step, { turn: unknown }>['turn'], cancelled: boolean): Promise<void> {
    if ('code' in this.#kernel) return
    const { id, model, stream, sinks = [], tools = false, messages } = asked
    const turn = this.#kernel.turn({ id, model, stream, sinks, messages, tools: tools ? [{ name: 'tool', description: '', parameters: {} }] : [] })
    const watching: Watching = { id, turn, events: [], unscripted: new Set(), outcome: null }
    this.#watching.set(id, watching)
    turn.events$.subscribe((event) => this.#watch(watching, event))
    if (cancelled) turn.cancel()
    await this.#settled()
  }

  #watch(watching: Watching, event: TurnEvent): void {
    watching.events.push(event)
    if (event.type === 'warning.raised') this.#warnings.push(event.warning)
    if (event.type !== 'turn.ended') return
    watching.outcome = event.outcome
    this.#endAt = Math.max(this.#endAt, event.at)
  }

  /** Moves the clock, wake by wake; what is due at `at` itself waits for the host's steps unless `inclusive`. */
  async #moveTo(at: number, inclusive: boolean): Promise<void> {
    for (;;) {
      const nextAt = this.#clock.nextAt()
      if (nextAt === null || nextAt > at || (nextAt === at && !inclusive)) break
      this.#clock.step()
      await this.#settled()
    }
    this.#clock.setTo(at)
  }

  /** Lets what the host has asked for begin: a turn starts at the end of the task that made it. */
  async #settled(): Promise<void> {
    if (++this.#rounds % ROUNDS_AT_A_STRETCH !== 0) return
    await new Promise((resolve) => void setTimeout(resolve, 0))
    this.#signal?.throwIfAborted()
  }

  #isRunning(): boolean {
    return [...this.#watching.values()].some((each) => each.outcome === null)
  }

  #trace(): Trace {
    const { id } = this.#scenario
    if ('code' in this.#kernel) return this.#unstarted(this.#kernel)
    const kernel = this.#kernel
    return {
      format: 1,
      id,
      turns: [...this.#watching.values()].map((each): Watched => each).map((each) => turnTrace(each, this.#startAt)),
      holds: holdTraces(
        kernel.holds().filter((hold) => hold.untilAt > this.#endAt),
        this.#startAt,
      ),
      ledger: kernel.ledger.rows().map(rowTrace),
      warnings: warningTraces(this.#warnings),
    }
  }

  #unstarted(problem: Diagnostic): Trace {
    const turns = this.#scenario.steps.flatMap((step) => ('turn' in step ? [unstartedTrace(step.turn.id, problem, step.atMs)] : []))
    return { format: 1, id: this.#scenario.id, turns, holds: {}, ledger: [], warnings: [] }
  }
}

/** Steps in order of their instants, those of one instant together in listed order. */
function byInstant(steps: readonly Step[]): Step[][] {
  const groups = new Map<number, Step[]>()
  for (const step of [...steps].sort((left, right) => left.atMs - right.atMs)) {
    const group = groups.get(step.atMs)
    if (group === undefined) groups.set(step.atMs, [step])
    else group.push(step)
  }
  return [...groups.values()]
}

/** The settings with jitter off, unless they are too broken to say. */
function still(config: Readonly<Record<string, unknown>>): unknown {
  const { reliability } = config
  if (reliability !== undefined && (typeof reliability !== 'object' || reliability === null)) return config
  return { ...config, reliability: { jitter: 0, ...reliability } }
}

/** After so many rounds the rest of the process has its turn: a few ms of work. */
const ROUNDS_AT_A_STRETCH = 256
