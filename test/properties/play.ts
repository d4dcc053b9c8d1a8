import type { Engine } from '../../src/engines/contract.ts'
import type { ScriptedOutcome, ScriptedStream } from '../../src/engines/loopback/script.ts'
import { type Script, scriptedEngine } from '../../src/engines/scripted.ts'
import type { Hold } from '../../src/model/hold.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import type { LedgerRow } from '../../src/model/usage.ts'
import type { Inspector } from '../../src/runtime/inspect.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { memoryLedger } from '../../src/runtime/ledger.ts'
import type { Turn } from '../../src/runtime/turn-handle.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'
import type { WrittenScenario, WrittenTurn } from './arbitraries.ts'

/** What happened, in the one order in which it happened: events of all turns, cancels, and the holds that the kernel showed between steps. */
export type Moment =
  | { readonly type: 'event'; readonly at: number; readonly turn: string; readonly event: TurnEvent }
  | { readonly type: 'cancel'; readonly at: number; readonly turn: string }
  | { readonly type: 'holds'; readonly at: number; readonly holds: readonly Hold[] }

/** What an attempt was told to do; undefined beyond the end of the script. */
export interface Asked {
  readonly turn: string
  readonly n: number
  readonly mode: 'stream' | 'call'
  readonly entry: string
  readonly item: ScriptedOutcome | ScriptedStream | undefined
  readonly messages: number
}

export interface Played {
  readonly moments: readonly Moment[]
  readonly asked: readonly Asked[]
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly ledger: readonly LedgerRow[]
  /** Wakes that were left behind once every turn had ended and the kernel was stopped. */
  readonly pending: number
  readonly steps: number
}

const MOST_STEPS = 20_000

/** Plays a scenario on the kernel as it is shipped, keeping more of what happens than a trace does. */
export async function play(scenario: WrittenScenario, inspect?: Inspector): Promise<Played> {
  const clock = virtualClock(0)
  const moments: Moment[] = []
  const asked: Asked[] = []
  const turns = new Map<string, Turn>()
  const outcomes = new Map<string, Outcome>()
  const ledger = memoryLedger(Number.POSITIVE_INFINITY)
  const holds: Hold[] = Object.entries(scenario.holds).map(([key, { untilMs, reason }]) => ({ key, untilAt: untilMs, reason }))
  const kernel = createKernel({ ...scenario.config, reliability: { jitter: 0, ...scenario.config.reliability } } as never, {
    clock,
    random: () => 0.5,
    engines: recordingEngine(scenario.script, asked),
    ledger,
    holds: { load: () => holds, report() {}, clear() {} },
    secrets: { env: () => undefined, file: () => undefined },
    ...(inspect === undefined ? {} : { inspect }),
  })
  const start = (asking: WrittenTurn): void => {
    const { tools, ...rest } = asking
    const turn = kernel.turn({ ...rest, tools: tools ? [{ name: 'tool', description: '', parameters: {} }] : [] })
    turns.set(asking.id, turn)
    turn.events$.subscribe((event) => {
      moments.push({ type: 'event', at: clock.now(), turn: asking.id, event })
      if (event.type === 'turn.ended') outcomes.set(asking.id, event.outcome)
    })
  }
  const cancel = (id: string): void => {
    if (!turns.has(id)) return
    moments.push({ type: 'cancel', at: clock.now(), turn: id })
    turns.get(id)?.cancel()
  }
  const rest = async (): Promise<void> => {
    await Promise.resolve()
    moments.push({ type: 'holds', at: clock.now(), holds: kernel.holds() })
  }
  let steps = 0
  for (const step of [...scenario.steps].sort((left, right) => left.atMs - right.atMs)) {
    while ((clock.nextAt() ?? Number.POSITIVE_INFINITY) < step.atMs && steps++ < MOST_STEPS) {
      clock.step()
      await rest()
    }
    clock.setTo(step.atMs)
    if ('turn' in step) start(step.turn)
    else cancel(step.cancel)
    await rest()
  }
  while (outcomes.size < turns.size && steps++ < MOST_STEPS && clock.step()) await rest()
  await kernel.stop()
  return { moments, asked, outcomes, ledger: ledger.rows(), pending: clock.pending, steps }
}

function recordingEngine(script: Script, asked: Asked[]): () => Engine {
  const engine = scriptedEngine(script)
  const used = new Map<string, number>()
  const recording: Engine = {
    attempt: (request) => {
      const { turn, n, mode, entry } = request
      const key = `${mode} ${entry}`
      const at = used.get(key) ?? 0
      used.set(key, at + 1)
      asked.push({ turn, n, mode, entry, item: script[entry]?.[mode]?.[at], messages: request.messages.length })
      return engine.attempt(request)
    },
  }
  return () => recording
}

export function eventsOf(played: Played, turn: string): TurnEvent[] {
  return played.moments.flatMap((moment) => (moment.type === 'event' && moment.turn === turn ? [moment.event] : []))
}
