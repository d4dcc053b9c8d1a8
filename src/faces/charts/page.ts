import type { Chart } from './chart.ts'
import { mermaid } from './mermaid.ts'

/** A chart as a page of the documentation: the diagram, then every state and every edge in words. */
export function chartPage(chart: Chart): string {
  const states = chart.states.map(
    ({ name, final, entry, exit }) =>
      `| ${name} | ${name === chart.initial ? 'initial' : final ? 'final' : ''} | ${entry.join(', ')} | ${exit.join(', ')} |`,
  )
  const edges = chart.edges.map((edge) => `| ${edge.from ?? 'any'} | ${edge.label} | ${edge.to ?? 'stays'} |`)
  return [
    `# Chart: ${chart.name}`,
    '',
    `Drawn from \`machines/${chart.name}.ts\`. \`npm run docs\` makes it anew.`,
    '',
    '```mermaid',
    mermaid(chart).trimEnd(),
    '```',
    '',
    '| state | | on the way in | on the way out |',
    '|---|---|---|---|',
    ...states,
    '',
    '| from | on | to |',
    '|---|---|---|',
    ...edges,
    '',
  ].join('\n')
}
