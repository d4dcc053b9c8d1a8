import type { ActorRefLike } from 'xstate'
import { type EngineContext, engineMachine } from '../../machines/engine.ts'
import { type StreamContext, streamMachine } from '../../machines/stream.ts'
import { type SupervisorContext, supervisorMachine } from '../../machines/supervisor.ts'
import { type TeamContext, teamMachine } from '../../machines/team.ts'
import { type TurnContext, turnMachine } from '../../machines/turn.ts'
import type { InspectedChart, InspectedFigures } from './inspection-message.ts'

/** What may be told of the actors of one chart. */
export interface ChartView {
  readonly chart: InspectedChart
  /** The chart as JSON. */
  readonly definition: string
  /** Where it begins. */
  readonly initial: string
  /** The listed figures of a context (R36): a field that a chart comes to have is not told before somebody has asked what it may hold. */
  figures(context: unknown): InspectedFigures
}

const VIEWS = new Map<unknown, ChartView>([
  viewOf(supervisorMachine, 'supervisor', ({ inFlight, waiting }: SupervisorContext) => ({ inFlight, waiting })),
  viewOf(engineMachine, 'engine', ({ hold }: EngineContext) => ({ heldUntil: hold?.untilAt ?? null })),
  viewOf(turnMachine, 'turn', ({ attempt }: TurnContext) => ({ attempt: attempt.n })),
  viewOf(streamMachine, 'stream', ({ committed }: StreamContext) => ({ committed })),
  viewOf(teamMachine, 'team', ({ runs, iterations }: TeamContext) => ({ runs, iterations })),
])

function viewOf<Context>(
  { config }: { readonly config: { readonly initial?: unknown } },
  chart: InspectedChart,
  figures: (context: Context) => InspectedFigures,
): [unknown, ChartView] {
  // Effects and guards stand in a chart by name; what JSON leaves out are functions.
  return [config, { chart, definition: JSON.stringify(config), initial: String(config.initial), figures: (context) => figures(context as Context) }]
}

/** Null for an actor of a chart that is none of ours. What was wired has the configuration of its chart. */
export function chartViewOf(actor: ActorRefLike): ChartView | null {
  const { logic } = actor as { readonly logic?: { readonly config?: unknown } }
  return VIEWS.get(logic?.config) ?? null
}
