import { expect, it } from 'vitest'
import { chartOf, edgesTaken } from '../../../../src/faces/page/client/charts.ts'

function taken(machine: string, from: string, to: string, event: string | null = null): string[] {
  const chart = chartOf(machine)
  if (chart === null) throw new Error(machine)
  return chart.edges.filter((_, index) => edgesTaken(chart, { from, to, event }).has(index)).map((edge) => `${edge.from} → ${edge.to}`)
}

it.each<[string, string, string, string | null, string[]]>([
  ['a step', 'backingOff', 'selecting', 'wait.elapsed', ['backingOff → selecting']],
  ['through a state that is left at once', 'streaming', 'served', 'attempt.ended', ['streaming → judging', 'judging → served']],
  ['through two or three of them', 'streaming', 'coolingDown', 'attempt.ended', ['selecting → coolingDown', 'streaming → judging']],
  ['by which of two ways is not known: what both have', 'streaming', 'exhausted', 'attempt.ended', ['streaming → judging']],
  ['from any state', 'streaming', 'cancelled', 'turn.cancel', [' → cancelled']],
  ['that is none', 'served', 'streaming', null, []],
])('the edges by which a state was come to: %s', (_, from, to, event, edges) => {
  expect(taken('turn', from, to, event)).toEqual(edges)
})

it('the edges by which a state was come to are those of the event', () => {
  expect(taken('team', 'running', 'stopped', 'team.stop')).toEqual(['running → stopped'])
  expect(taken('team', 'running', 'stopped', 'run.ended')).toEqual(['choosing → stopped'])
  expect(taken('engine', 'available', 'limited', 'hold.reported')).toEqual([' → limited'])
})

it('nothing is lit that was not come by', () => {
  const chart = chartOf('turn')
  expect(chart === null ? null : edgesTaken(chart, null).size).toBe(0)
})
