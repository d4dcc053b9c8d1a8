import type { Chart } from './chart.ts'

/** Where an edge from any state begins; no state has this name. */
const ANYWHERE = 'any_state'

/** A chart as a Mermaid state diagram. */
export function mermaid(chart: Chart): string {
  const lines = ['---', `title: ${chart.name}`, '---', 'stateDiagram-v2', `  [*] --> ${chart.initial}`]
  if (chart.edges.some(({ from }) => from === null)) lines.push(`  state "any state" as ${ANYWHERE}`)
  for (const edge of chart.edges) lines.push(`  ${edge.from ?? ANYWHERE} --> ${edge.to ?? ANYWHERE} : ${edge.label}`)
  for (const state of chart.states) if (state.final) lines.push(`  ${state.name} --> [*]`)
  return `${lines.join('\n')}\n`
}
