import { describe, expect, test } from 'vitest'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { effect } from '../../machines/effect.ts'
import { engineMachine } from '../../machines/engine.ts'
import { streamMachine } from '../../machines/stream.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
import { teamMachine } from '../../machines/team.ts'
import { turnMachine } from '../../machines/turn.ts'
import { wiredEngine, wiredSupervisor, wiredTeam, wiredTurn } from '../../src/runtime/wire.ts'
import { CHARTS, restStates, transitionsOf } from './edges.ts'

/** XState says nothing about a name without an implementation, in production: so every chart is walked. */
const WIRED: Readonly<Record<string, AnyStateMachine>> = { turn: wiredTurn, engine: wiredEngine, supervisor: wiredSupervisor, team: wiredTeam }

interface Named {
  readonly kind: 'action' | 'guard' | 'delay' | 'actor'
  readonly name: string
  readonly where: string
}

function nodesOf(root: AnyStateNode): AnyStateNode[] {
  return [root, ...Object.values(root.states).flatMap(nodesOf)]
}

function nameOf(reference: unknown): string | null {
  if (typeof reference === 'string') return reference
  if (typeof reference === 'object' && reference !== null && 'type' in reference && typeof reference.type === 'string') return reference.type
  return null
}

/** Everything a chart refers to by name, and anything that it says in line, which a reader could not find by name. */
function referencesOf(chart: AnyStateMachine): { named: Named[]; inline: string[] } {
  const named: Named[] = []
  const inline: string[] = []
  const take = (kind: Named['kind'], reference: unknown, where: string): void => {
    const name = nameOf(reference)
    if (name === null) inline.push(`${kind} at ${where}`)
    else named.push({ kind, name, where })
  }
  for (const node of nodesOf(chart.root)) {
    for (const action of [...node.entry, ...node.exit]) take('action', action, node.id)
    for (const invoked of node.invoke) take('actor', invoked.src, node.id)
    for (const transition of transitionsOf(node) as unknown as { eventType: string; guard?: unknown; actions: readonly unknown[] }[]) {
      const where = `${node.id} on ${transition.eventType === '' ? 'always' : transition.eventType}`
      if (transition.guard !== undefined) take('guard', transition.guard, where)
      for (const action of transition.actions) take('action', action, where)
    }
  }
  return { named, inline }
}

describe.each(CHARTS.map((chart) => [chart.id, chart] as const))('chart %s', (id, chart) => {
  const { named, inline } = referencesOf(chart)
  const { actions, guards, delays, actors } = chart.implementations
  const implementations = { action: actions, guard: guards, delay: delays, actor: actors } as Readonly<Record<Named['kind'], Record<string, unknown>>>

  test('says everything by name', () => {
    expect(inline).toEqual([])
  })

  test('every name resolves to an implementation', () => {
    expect(named.filter(({ kind, name }) => !Object.hasOwn(implementations[kind], name))).toEqual([])
  })

  test('no implementation is without a use', () => {
    const used = new Set(named.map(({ kind, name }) => `${kind} ${name}`))
    const had = (['action', 'guard', 'delay', 'actor'] as const).flatMap((kind) =>
      Object.keys(implementations[kind]).map((name) => `${kind} ${name}`),
    )
    expect(had.filter((name) => !used.has(name))).toEqual([])
  })

  test('every effect is provided by the runtime, and nothing else is', () => {
    const effects = Object.entries(actions).flatMap(([name, action]) => (action === (effect as unknown) ? [name] : []))
    const wired = WIRED[id]
    if (wired === undefined) return expect(effects).toEqual([])
    const provided = Object.entries(wired.implementations.actions).flatMap(([name, action]) => (action === actions[name] ? [] : [name]))
    expect(provided.sort()).toEqual(effects.sort())
  })

  test('has a bound on its steps', () => {
    expect(chart.options.maxIterations).toBeGreaterThan(0)
    expect(chart.options.maxIterations).toBeLessThanOrEqual(1_000)
  })

  test('waits for nothing by itself: no `after`', () => {
    expect(nodesOf(chart.root).flatMap((node) => node.after.map((each) => `${node.id} after ${String(each.delay)}`))).toEqual([])
  })

  test('a state without an edge is a final one', () => {
    for (const node of Object.values(chart.root.states)) {
      const ways = transitionsOf(node).length + transitionsOf(chart.root).length
      if (node.type !== 'final') expect(ways, node.id).toBeGreaterThan(0)
    }
  })
})

describe('R30 cancel', () => {
  test.each([
    ['turn', turnMachine, 'turn.cancel', 'cancelled'],
    ['stream', streamMachine, 'stream.cancelled', 'cancelled'],
    ['supervisor', supervisorMachine, 'supervisor.stop', 'stopped'],
  ] as const)('the %s has an edge for it from every state that can stand', (_, chart, type, target) => {
    for (const node of restStates(chart as AnyStateMachine)) {
      const edge = [node, chart.root as AnyStateNode].flatMap(transitionsOf).find((each) => each.eventType === type)
      expect(edge?.target?.[0]?.key, node.id).toBe(target)
      expect(edge?.guard, node.id).toBeUndefined()
    }
  })

  test('no edge leads on from cancelled', () => {
    expect(transitionsOf(turnMachine.root.states['cancelled'] as AnyStateNode)).toEqual([])
  })
})

describe('the absence of an edge is a rule', () => {
  const edgesFrom = (chart: { readonly root: unknown }, state: string): string[] => {
    const root = chart.root as AnyStateNode
    return transitionsOf(root.states[state] as AnyStateNode).map((each) => each.eventType)
  }

  test('R18 only a wait for a hold is cut short by a lifted hold; a backoff is not', () => {
    expect(edgesFrom(turnMachine, 'coolingDown')).toContain('hold.lifted')
    expect(edgesFrom(turnMachine, 'backingOff')).not.toContain('hold.lifted')
  })

  test('R27 nothing leads back over the replay boundary', () => {
    const committed = (streamMachine.root as AnyStateNode).states['committed'] as AnyStateNode
    const targets = transitionsOf(committed).map((each) => each.target?.[0]?.key)
    expect(targets).not.toContain('silent')
    expect(targets).not.toContain('opening')
  })

  test('T17 G11 G23 a message and an approval shorten a wait after a failed call and a wait play, and no sleep', () => {
    for (const state of ['backingOff', 'waiting'])
      expect(edgesFrom(teamMachine, state), state).toEqual(expect.arrayContaining(['message.posted', 'gate.approved']))
    for (const state of ['rateLimited', 'unreachable', 'paused', 'running', 'choosing', 'handingOff']) {
      if (state === 'paused') continue
      expect(edgesFrom(teamMachine, state), state).not.toContain('message.posted')
      expect(edgesFrom(teamMachine, state), state).not.toContain('gate.approved')
    }
  })

  test('a message is noted everywhere; it and an approval go on from a pause only when everybody was done', () => {
    const [noted] = (teamMachine.root as AnyStateNode).transitions.get('message.posted') ?? []
    expect(noted?.target).toBeUndefined()
    const paused = (teamMachine.root as AnyStateNode).states['paused'] as AnyStateNode
    expect(paused.transitions.get('message.posted')?.map(({ guard }) => guard)).toEqual(['isAllDone'])
    expect(paused.transitions.get('gate.approved')?.map(({ guard }) => guard)).toEqual(['isAwaitedApproval'])
  })

  test('T17 every wait of a team has an edge for stop and for pause, and none for resume', () => {
    for (const state of ['rateLimited', 'unreachable', 'backingOff', 'waiting']) {
      expect(edgesFrom(teamMachine, state), state).toEqual(expect.arrayContaining(['team.stop', 'team.pause', 'wait.elapsed']))
      expect(edgesFrom(teamMachine, state), state).not.toContain('team.resume')
    }
  })

  test('G22 a result has an edge only where a call runs', () => {
    const states = Object.keys((teamMachine.root as AnyStateNode).states)
    expect(states.filter((state) => edgesFrom(teamMachine, state).includes('run.ended'))).toEqual(['running'])
  })

  test('R18 an available engine has nothing that could lapse', () => {
    expect(edgesFrom(engineMachine, 'available')).toEqual([])
  })
})
