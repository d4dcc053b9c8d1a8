import type { Board, Hold } from '../../src/model/hold.ts'
import type { Entry, Plan } from '../../src/model/plan.ts'
import type { Profile, Reliability } from '../../src/model/settings.ts'
import { startWalk, type Walk, type WalkView, withVisit } from '../../src/policy/walk.ts'

/** Plans, walks and views to write tables with. */
export const RELIABILITY: Reliability = {
  providerRetries: 1,
  providerBackoffMs: 500,
  maxBackoffMs: 10_000,
  maxInTurnWaitMs: 30_000,
  defaultCooldownMs: 10_000,
  onAllHeld: 'wait',
  onRefusal: 'stop',
  jitter: 0,
}

export interface EntryShape {
  readonly label: string
  readonly model?: string
  readonly streaming?: boolean
  readonly tools?: boolean
  readonly toolEvents?: boolean
  readonly vision?: boolean
  readonly contextWindow?: number | null
}

function profileOf(id: string): Profile {
  return {
    id,
    family: id.split('.')[0] ?? id,
    api: null,
    endpoint: null,
    endpointPolicy: 'local-allowed',
    headers: {},
    dialect: null,
    body: {},
    model: 'm1',
    fallbackModels: [],
    fallback: [],
    capabilities: { streaming: true, toolEvents: true, tools: true, vision: true },
    zone: 'cloud',
    contextWindow: null,
    price: {},
    timeouts: { connectMs: null, firstByteMs: null, firstOutputMs: null, idleMs: null, totalMs: null },
    cli: null,
    completion: 'strict',
    credentials: [],
  }
}

/** Entries by label (`a.x`, `a.x#2`), all of model m1 unless the shape says otherwise. */
export function planOf(shapes: readonly (string | EntryShape)[], allow: readonly string[] | null = null): Plan {
  const entries = shapes.map((shape, index): Entry => {
    const {
      label,
      model = 'm1',
      streaming = true,
      tools = true,
      toolEvents = true,
      vision = true,
      contextWindow = null,
    } = typeof shape === 'string' ? { label: shape } : shape
    return {
      index,
      label,
      profile: profileOf(label.split('#')[0] ?? label),
      secret: null,
      modelHoldKey: null,
      holdKey: label,
      pin: model,
      model,
      capabilities: { streaming, tools, toolEvents, vision },
      contextWindow,
    }
  })
  return { entries, target: 'a.x', requested: { profile: 'a.x', model: 'm1' }, allow, warnings: [] }
}

export function boardOf(untilAt: Readonly<Record<string, number>>): Board {
  return new Map(Object.entries(untilAt).map(([key, at]): [string, Hold] => [key, { key, untilAt: at, reason: 'cooldown' }]))
}

export interface ViewShape {
  readonly plan: Plan
  readonly held?: Readonly<Record<string, number>>
  readonly now?: number
  readonly streaming?: boolean
  readonly tools?: boolean
  readonly reliability?: Partial<Reliability>
  /** Attempts spent, by index; `at` is the place in the order. */
  readonly spent?: Readonly<Record<number, number>>
  readonly at?: number
  readonly walk?: Partial<Walk>
}

export function viewOf({
  plan,
  held = {},
  now = 0,
  streaming = false,
  tools = false,
  reliability = {},
  spent = {},
  at = 0,
  walk = {},
}: ViewShape): WalkView {
  const rules = { ...RELIABILITY, ...reliability }
  const needs = { streaming, tools, vision: false }
  let begun: Walk = { ...startWalk(plan, needs, rules), at, ...walk }
  for (const [index, attempts] of Object.entries(spent)) begun = withVisit(begun, Number(index), { spent: attempts })
  return { plan, needs, reliability: rules, walk: begun, board: boardOf(held), now }
}
