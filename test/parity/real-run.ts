import { startLoopbackProvider } from '../../src/engines/loopback/server.ts'
import type { Clock } from '../../src/model/clock.ts'
import type { Hold } from '../../src/model/hold.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { Kernel } from '../../src/runtime/kernel-door.ts'
import { memoryLedger } from '../../src/runtime/ledger.ts'
import type { Turn } from '../../src/runtime/turn-handle.ts'
import type { Scenario, Step } from '../../src/simulate/scenario.ts'
import { holdTraces, rowTrace, type Trace, turnTrace, warningTraces } from '../../src/simulate/trace.ts'
import { fastClock, reached } from './clock.ts'

/**
 * A scenario over real HTTP: the shipped kernel with its own engines, a provider on this machine that speaks the real protocols, and a
 * clock that really runs. Nothing of the simulator is in it but the words of the trace.
 */
export interface RealRun {
  readonly trace: Trace
  /** Every event of every turn, by turn. */
  readonly events: ReadonlyMap<string, readonly TurnEvent[]>
  /** Requests that the script did not provide for. */
  readonly problems: readonly string[]
}

export type Protocols = Readonly<Record<string, 'openai-chat' | 'anthropic-messages'>>

/** `speed`: how many times faster than the scenario's own time it runs. */
export async function runReal(scenario: Scenario, protocols: Protocols, speed: number): Promise<RealRun> {
  const provider = await startLoopbackProvider({ script: scenario.script, timeScale: 1 / speed })
  const startAt = scenario.startAt === undefined ? 0 : Date.parse(scenario.startAt)
  const clock = fastClock(startAt, speed)
  const holds = Object.entries(scenario.holds ?? {}).map(([key, { untilMs, reason }]) => ({ key, untilAt: startAt + untilMs, reason }))
  const kernel = createKernel(realConfig(scenario.config, protocols, (profile) => provider.endpoint(profile)) as never, {
    clock,
    random: () => 0.5,
    ledger: memoryLedger(Number.POSITIVE_INFINITY),
    holds: { load: () => holds, report() {}, clear() {} },
    secrets: { env: () => undefined, file: () => undefined },
  })
  try {
    const host = new Host(kernel, clock, startAt)
    await host.take(scenario.steps)
    return { trace: host.trace(scenario.id), events: host.events(), problems: provider.problems }
  } finally {
    await kernel.stop()
    await provider.close()
  }
}

/** A connection to this machine is not what a scenario is about, and a busy machine is slow to make one. */
const CONNECT_MS = 10 * 60_000

function realConfig(config: Readonly<Record<string, unknown>>, protocols: Protocols, endpointOf: (profile: string) => string): unknown {
  const profiles = Object.entries(config['profiles'] as Record<string, Record<string, unknown>>).map(([id, profile]) => [
    id,
    // Where it really is must not make local what the scenario has in a cloud.
    {
      zone: 'cloud',
      ...profile,
      api: protocols[id],
      endpoint: endpointOf(id),
      timeouts: { connectMs: CONNECT_MS, ...(profile['timeouts'] as object | undefined) },
    },
  ])
  return { ...config, reliability: { jitter: 0, ...(config['reliability'] as object | undefined) }, profiles: Object.fromEntries(profiles) }
}

/** Does what the steps say when the clock says so, and waits for the outcomes. Holds are read in the instant of the last step or end (C43). */
class Host {
  readonly #kernel: Kernel
  readonly #clock: Clock
  readonly #startAt: number
  readonly #turns = new Map<string, { id: string; turn: Turn; events: TurnEvent[]; outcome: Outcome | null; unscripted: ReadonlySet<number> }>()
  #holds: readonly Hold[]

  constructor(kernel: Kernel, clock: Clock, startAt: number) {
    this.#kernel = kernel
    this.#clock = clock
    this.#startAt = startAt
    this.#holds = kernel.holds()
  }

  async take(steps: readonly Step[]): Promise<void> {
    for (const at of [...new Set(steps.map((step) => step.atMs))].sort((left, right) => left - right)) {
      await reached(this.#clock, this.#startAt + at)
      const now = steps.filter((step) => step.atMs === at)
      for (const step of now) if ('cancel' in step) this.#turns.get(step.cancel)?.turn.cancel()
      for (const step of now) if ('turn' in step) this.#start(step.turn, now)
      for (const step of now) if ('advance' in step) await reached(this.#clock, this.#startAt + at + step.advance)
      this.#holds = this.#kernel.holds()
    }
    await Promise.all([...this.#turns.values()].map((each) => each.turn.outcome))
  }

  /** Read when all turns are over. */
  trace(id: string): Trace {
    return {
      format: 1,
      id,
      turns: [...this.#turns.values()].map((each) => turnTrace(each, this.#startAt)),
      holds: holdTraces(this.#holds, this.#startAt),
      ledger: this.#kernel.ledger.rows().map(rowTrace),
      warnings: warningTraces(this.#kernel.warnings),
    }
  }

  events(): ReadonlyMap<string, readonly TurnEvent[]> {
    return new Map([...this.#turns].map(([id, { events }]) => [id, events]))
  }

  #start(asked: Extract<Step, { turn: unknown }>['turn'], now: readonly Step[]): void {
    const { id, model, stream, sinks = [], tools = false, messages } = asked
    const turn = this.#kernel.turn({ id, model, stream, sinks, messages, tools: tools ? [{ name: 'tool', description: '', parameters: {} }] : [] })
    const watching = { id, turn, events: [] as TurnEvent[], outcome: null as Outcome | null, unscripted: new Set<number>() }
    this.#turns.set(id, watching)
    turn.events$.subscribe((event) => {
      watching.events.push(event)
      if (event.type !== 'turn.ended') return
      watching.outcome = event.outcome
      this.#holds = this.#kernel.holds()
    })
    if (now.some((step) => 'cancel' in step && step.cancel === id)) turn.cancel()
  }
}
