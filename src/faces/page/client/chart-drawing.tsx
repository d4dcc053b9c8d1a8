import { type ChartLayout, edgesTaken, type Step } from './charts.ts'

/** What of a chart is lit. */
export interface Lit {
  /** How many actors are in which state; for one actor a single 1. */
  readonly states: ReadonlyMap<string, number>
  /** What was taken last; null for many actors, and at the start. */
  readonly step: Step | null
}

interface ChartDrawingProps {
  readonly chart: ChartLayout
  readonly lit: Lit
  readonly label: string
  /** Without what stands on the edges, to be drawn small. */
  readonly small?: boolean
}

export function ChartDrawing({ chart, lit, label, small = false }: ChartDrawingProps) {
  const taken = edgesTaken(chart, lit.step)
  return (
    <svg class={small ? 'chart small' : 'chart'} viewBox={`0 0 ${chart.width} ${chart.height}`} role="img" aria-label={label}>
      <defs>
        <marker id={`head-${small}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path class="head" d="M0 0.8L7.5 4L0 7.2z" />
        </marker>
      </defs>
      {chart.edges.map((edge, index) => (
        <Edge key={index} edge={edge} taken={taken.has(index)} small={small} />
      ))}
      {chart.states.map((state) => (
        <State key={state.name} state={state} initial={state.name === chart.initial} count={lit.states.get(state.name) ?? 0} />
      ))}
    </svg>
  )
}

function Edge({ edge, taken, small }: { readonly edge: ChartLayout['edges'][number]; readonly taken: boolean; readonly small: boolean }) {
  return (
    <g class={taken ? 'edge taken' : 'edge'}>
      <path d={edge.line} marker-end={`url(#head-${small})`} />
      {!small &&
        edge.labels.map((label, line) => (
          <text key={label} x={edge.labelX} y={edge.labelY + 11 + 14 * line}>
            {label}
          </text>
        ))}
    </g>
  )
}

interface StateProps {
  readonly state: ChartLayout['states'][number]
  readonly initial: boolean
  readonly count: number
}

function State({ state: { name, final, x, y, width, height }, initial, count }: StateProps) {
  const kind = ['state', count > 0 ? 'lit' : '', final ? 'final' : '', name === '' ? 'any' : ''].filter((part) => part !== '').join(' ')
  return (
    <g class={kind}>
      <rect x={x} y={y} width={width} height={height} rx="6" />
      {final && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx="4" />}
      {initial && <circle cx={x - 5} cy={y + height / 2} r="3.5" />}
      <text x={x + width / 2} y={y + height / 2 + 4}>
        {name === '' ? 'any state' : name}
      </text>
      {count > 1 && (
        <g class="count">
          <rect x={x + width - 12} y={y - 9} width={14 + String(count).length * 7} height="17" rx="8" />
          <text x={x + width - 5 + (String(count).length * 7) / 2} y={y + 4}>
            {count}
          </text>
        </g>
      )}
    </g>
  )
}
