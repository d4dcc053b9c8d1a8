import type { AnyStateMachine } from 'xstate'
import { engineMachine, streamMachine, supervisorMachine, teamMachine, turnMachine } from '../../../machines/index.ts'

/**
 * A chart as data, taken from the machine that runs. Transitions are walked by hand, `always` included, because XState's own directed graph
 * leaves those out (house.md §3, fact 10).
 */
export interface Chart {
  readonly name: string
  readonly initial: string
  readonly states: readonly ChartState[]
  readonly edges: readonly ChartEdge[]
}

export interface ChartState {
  readonly name: string
  readonly final: boolean
  /** Names of the actions on the way in and out. */
  readonly entry: readonly string[]
  readonly exit: readonly string[]
}

export interface ChartEdge {
  /** Null: from any state. */
  readonly from: string | null
  /** Equal to `from` when the state is not left. */
  readonly to: string | null
  /** Null: taken at once, as soon as the guard holds. */
  readonly event: string | null
  readonly guard: string | null
  readonly actions: readonly string[]
  /** What stands on it: `event [guard] / actions`. */
  readonly label: string
}

const MACHINES: readonly AnyStateMachine[] = [turnMachine, streamMachine, engineMachine, supervisorMachine, teamMachine]

/** The charts of relevo, in the order of a turn. */
export function charts(): Chart[] {
  return MACHINES.map(chartOf)
}

type Node = AnyStateMachine['root']
type Transition = Node['always'] extends (infer Item)[] | undefined ? Item : never

/** The chart of a machine with one level of states, which is what house.md asks of them. */
export function chartOf(machine: AnyStateMachine): Chart {
  const { root } = machine
  const nodes = Object.values(root.states) as Node[]
  for (const node of nodes)
    if (Object.keys(node.states).length > 0) throw new Error(`${machine.id}.${node.key} has states of its own, which no chart draws yet`)
  return {
    name: machine.id,
    initial: root.initial.target[0]?.key ?? '',
    states: nodes.map((node) => ({ name: node.key, final: node.type === 'final', entry: names(node.entry), exit: names(node.exit) })),
    edges: [...edgesOf(root, null), ...nodes.flatMap((node) => edgesOf(node, node.key))],
  }
}

function edgesOf(node: Node, from: string | null): ChartEdge[] {
  const evented = [...node.transitions].flatMap(([event, transitions]) =>
    transitions.map((transition) => edge(from, event, event, transition as Transition)),
  )
  const always = node.always ?? []
  const atOnce = always.map((transition) => edge(from, null, always.length > 1 ? 'otherwise' : 'always', transition as Transition))
  return [...evented, ...atOnce]
}

/** `unguarded`: what an edge without a guard is called. */
function edge(from: string | null, event: string | null, unguarded: string, transition: Transition): ChartEdge {
  const guard = transition.guard === undefined ? null : nameOf(transition.guard)
  const actions = names(transition.actions)
  const label = [
    event ?? (guard === null ? unguarded : null),
    guard === null ? null : `[${guard}]`,
    actions.length === 0 ? null : `/ ${actions.join(', ')}`,
  ]
  return { from, to: transition.target?.[0]?.key ?? from, event, guard, actions, label: label.filter((part) => part !== null).join(' ') }
}

function names(items: readonly unknown[]): string[] {
  return items.map(nameOf)
}

/** Charts name what they do; a function written in place would have no name to draw. */
function nameOf(item: unknown): string {
  if (typeof item === 'string') return item
  if (typeof item === 'object' && item !== null && 'type' in item) return String(item.type)
  throw new Error('a guard or action without a name cannot be drawn')
}
