import { charts } from '../charts/chart.ts'
import { mermaid } from '../charts/mermaid.ts'
import { svg, svgOfAll } from '../charts/svg.ts'
import type { Io } from './io.ts'
import { BadInput, EXIT } from './problems.ts'

export const CHART_FORMATS = ['mermaid', 'svg', 'json'] as const
export type ChartFormat = (typeof CHART_FORMATS)[number]

/** `relevo machines`: the charts, drawn from the machines that run. */
export async function machines(io: Io, name: string | undefined, { format }: { readonly format: ChartFormat }): Promise<number> {
  const all = charts()
  const chosen = name === undefined ? all : all.filter((chart) => chart.name === name)
  const [only] = chosen
  if (only === undefined) throw new BadInput([`There is no chart ${name}. Name one of ${all.map((chart) => chart.name).join(', ')}.`])
  if (format === 'mermaid') await io.stdout.write(chosen.map(mermaid).join('\n'))
  else if (format === 'svg') await io.stdout.write(name === undefined ? svgOfAll(chosen) : svg(only))
  else await io.stdout.write(`${JSON.stringify(name === undefined ? chosen : only, null, 2)}\n`)
  return EXIT.ok
}
