import layouts from './chart-layout.json' with { type: 'json' }

/** A chart as it was laid out when the documents were made; drawn from the machines that run. */
export type ChartLayout = (typeof layouts)[number]

export const CHARTS: readonly ChartLayout[] = layouts

export function chartOf(machine: string): ChartLayout | null {
  return CHARTS.find(({ name }) => name === machine) ?? null
}

/** What leads out of a state, in words: `attempt.ended [isCurrentAttempt] → judging`. */
export function stepsFrom(chart: ChartLayout, state: string): { readonly label: string; readonly to: string }[] {
  if (chart.states.some(({ name, final }) => name === state && final)) return []
  return chart.steps
    .filter(({ from }) => from === state || from === '')
    .map(({ event, guard, to }) => ({
      label: [event, guard === '' ? '' : `[${guard}]`].filter((part) => part !== '').join(' ') || 'otherwise',
      to: to === '' ? 'stays' : to,
    }))
}

/** A change of state as it was told: what is left at once on the way is not among it. */
export interface Step {
  readonly from: string
  readonly to: string
  /** By which it came; null where nobody knows. */
  readonly event: string | null
}

type Way = readonly number[]

/** By index, the edges that were taken for certain: where several ways lead there, what they have in common. */
export function edgesTaken(chart: ChartLayout, step: Step | null): ReadonlySet<number> {
  if (step === null) return new Set()
  const steps = chart.steps.filter(({ from }) => from === step.from)
  const named = steps.filter(({ event }) => event === step.event)
  const firsts = new Set((named.length === 0 ? steps : named).map(({ to }) => to))
  const [first, ...others] = [...firsts].flatMap((next) => waysThrough(chart, step.from, next, step.to, []))
  if (first === undefined) return new Set(chart.edges.flatMap(({ from, to }, index) => (from === '' && to === step.to ? [index] : [])))
  return new Set(first.filter((edge) => others.every((way) => way.includes(edge))))
}

/** Over states that are left at once, none of them twice. */
function waysThrough(chart: ChartLayout, from: string, to: string, end: string, before: Way): Way[] {
  const edge = chart.edges.findIndex((each) => each.from === from && each.to === to)
  if (edge < 0 || before.includes(edge)) return []
  const way = [...before, edge]
  if (to === end) return [way]
  const out = chart.steps.filter((each) => each.from === to)
  if (out.length === 0 || out.some(({ event }) => event !== '')) return []
  return [...new Set(out.map((each) => each.to))].flatMap((next) => waysThrough(chart, to, next, end, way))
}
