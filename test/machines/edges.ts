import type { AnyActorRef, AnyStateMachine, AnyStateNode, InspectionEvent } from 'xstate'
import { engineMachine } from '../../machines/engine.ts'
import { streamMachine } from '../../machines/stream.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
import { teamMachine } from '../../machines/team.ts'
import { turnMachine } from '../../machines/turn.ts'

/** Every chart of the project. `machine.root` is walked, because XState's own graph leaves out `always` edges. */
export const CHARTS: readonly AnyStateMachine[] = [turnMachine, streamMachine, engineMachine, supervisorMachine, teamMachine]

/** One edge of one chart: a branch of its own for each guard, and for an edge of the root one for each state it can be taken from. */
export interface Edge {
  readonly chart: string
  readonly from: string
  /** Event type, or `always`. */
  readonly on: string
  /** Guard of the branch; the empty string where there is none. */
  readonly guard: string
  /** The empty string where the edge stays. */
  readonly to: string
}

export function edgeName({ chart, from, on, guard, to }: Edge): string {
  return `${chart}: ${from} --${on}${guard === '' ? '' : ` [${guard}]`}--> ${to === '' ? '(stays)' : to}`
}

interface TransitionLike {
  readonly source: AnyStateNode
  readonly eventType: string
  readonly guard?: unknown
  readonly target?: readonly AnyStateNode[] | undefined
}

const ALWAYS = 'always'

function edgeOf(transition: TransitionLike, from: string): Edge {
  const { guard, target } = transition
  return {
    chart: transition.source.machine.id,
    from,
    on: transition.eventType === '' ? ALWAYS : transition.eventType,
    guard: typeof guard === 'string' ? guard : '',
    to: target?.[0]?.key ?? '',
  }
}

export function transitionsOf(node: AnyStateNode): TransitionLike[] {
  const own: TransitionLike[] = [...node.transitions.values()].flat()
  return [...own, ...(node.always ?? [])]
}

/** The states of a chart in which an actor can stand between two events. */
export function restStates(machine: AnyStateMachine): AnyStateNode[] {
  return Object.values(machine.root.states).filter((node) => node.type !== 'final' && (node.always ?? []).length === 0)
}

export function edgesOf(machine: AnyStateMachine): Edge[] {
  const inner = Object.values(machine.root.states).flatMap((node) => transitionsOf(node).map((each) => edgeOf(each, node.key)))
  const outer = transitionsOf(machine.root).flatMap((each) =>
    isDefect(each.eventType)
      ? [edgeOf(each, '(any)')]
      : restStates(machine)
          .filter((node) => !isShadowed(each, node))
          .map((node) => edgeOf(each, node.key)),
  )
  return [...inner, ...outer]
}

/** The state has an edge of its own for the event that is always taken. */
function isShadowed({ eventType }: TransitionLike, node: AnyStateNode): boolean {
  return transitionsOf(node).some((own) => own.eventType === eventType && own.guard === undefined)
}

/** A defect is not a step of any state: one way to meet it is enough. */
function isDefect(eventType: string): boolean {
  return eventType.startsWith('xstate.error')
}

export function statesOf(machine: AnyStateMachine): string[] {
  return Object.keys(machine.root.states)
}

/** Records which states and edges the actors of a kernel go through. */
export class EdgeRecorder {
  readonly edges = new Map<string, number>()
  readonly states = new Map<string, number>()
  readonly #at = new Map<string, string>()

  readonly inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.microstep' && event.type !== '@xstate.snapshot') return
    const actor = event.actorRef as AnyActorRef
    const { snapshot } = event as unknown as { readonly snapshot: { readonly value?: unknown; readonly machine?: AnyStateMachine } }
    if (snapshot.machine === undefined || typeof snapshot.value !== 'string') return
    const before = this.#at.get(actor.sessionId)
    if (event.type === '@xstate.microstep') {
      for (const transition of event._transitions as unknown as readonly TransitionLike[]) this.#take(transition, before)
    }
    if (snapshot.value === before) return
    this.#at.set(actor.sessionId, snapshot.value)
    bump(this.states, `${snapshot.machine.id}: ${snapshot.value}`)
  }

  #take(transition: TransitionLike, before: string | undefined): void {
    const root = transition.source.parent === undefined
    const initial = transition.source.machine.root.initial.target[0]?.key ?? ''
    const from = root ? (isDefect(transition.eventType) ? '(any)' : (before ?? initial)) : transition.source.key
    // An actor is first heard of in its initial state, in which no step has led.
    if (before === undefined) bump(this.states, `${transition.source.machine.id}: ${initial}`)
    bump(this.edges, edgeName(edgeOf(transition, from)))
  }
}

function bump(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
