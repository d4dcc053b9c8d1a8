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
