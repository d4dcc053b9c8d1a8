import type { ElkExtendedEdge, ElkNode } from 'elkjs'
import ElkConstructor from 'elkjs/lib/elk.bundled.js'
import type { Chart } from '../../src/faces/charts/chart.ts'

/**
 * Where the page draws each state and edge of a chart. Laid out here, when the documents are made, and written down: the page then needs neither the
 * layout engine (1.6 MB) nor the machines, and two builds draw the same.
 *
 * 1. Edges between the same two states are one line with a label each, so that a chart stays readable.
 *    A guard stands in a label where it decides between two states.
 * 2. An edge that does not leave its state is not drawn; the list beside a chart names it.
 * 3. All figures are whole pixels.
 */
export interface ChartLayout {
  readonly name: string
  readonly initial: string
  readonly width: number
  readonly height: number
  readonly states: readonly { name: string; final: boolean; x: number; y: number; width: number; height: number }[]
  /** `from` empty: from any state. `line` is the path of an SVG. */
  readonly edges: readonly { from: string; to: string; labels: readonly string[]; line: string; labelX: number; labelY: number }[]
  /** Every edge of the chart, drawn or not. */
  readonly steps: readonly { from: string; to: string; event: string; guard: string }[]
}

const CHARACTER = 6.7
const LINE = 14
const ANY = 'any state'

const OPTIONS = {
  'elk.algorithm': 'layered',
  // Labels lie along their lines: beside each other they would make a chart three times as wide.
  'elk.direction': 'RIGHT',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '22',
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '10',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '20',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '9',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.edgeLabels.inline': 'false',
  'elk.padding': '[top=12,left=12,bottom=12,right=12]',
  'elk.randomSeed': '1',
}

export async function chartLayout(chart: Chart): Promise<ChartLayout> {
  const elk = new (ElkConstructor as unknown as new () => { layout(graph: ElkNode): Promise<ElkNode> })()
  const drawn = await elk.layout(graphOf(chart))
  const states = (drawn.children ?? []).map(({ id, x = 0, y = 0, width = 0, height = 0 }) => ({
    name: id === ANY ? '' : id,
    final: chart.states.some(({ name, final }) => name === id && final),
    ...whole({ x, y, width, height }),
  }))
  return {
    name: chart.name,
    initial: chart.initial,
    ...whole({ width: drawn.width ?? 0, height: drawn.height ?? 0 }),
    states,
    edges: (drawn.edges ?? []).map((edge) => drawnEdge(edge as ElkExtendedEdge)),
    steps: chart.edges.map(({ from, to, event, guard }) => ({ from: from ?? '', to: to ?? '', event: event ?? '', guard: guard ?? '' })),
  }
}

function graphOf(chart: Chart): ElkNode {
  const anywhere = chart.edges.some(({ from, to }) => from === null && to !== null)
  const names = [...(anywhere ? [ANY] : []), ...chart.states.map(({ name }) => name)]
  return {
    id: chart.name,
    layoutOptions: OPTIONS,
    children: names.map((id) => ({ id, width: Math.ceil(id.length * 7.6 + 30), height: 30 })),
    edges: [...joined(chart)].map(([id, labels]) => {
      const [from = '', to = ''] = id.split(' ')
      const width = Math.ceil(Math.max(...labels.map(({ length }) => length)) * CHARACTER)
      return { id, sources: [from === '' ? ANY : from], targets: [to], labels: [{ text: labels.join('\n'), width, height: labels.length * LINE }] }
    }),
  }
}

/** `from to` → what stands on the line. */
function joined(chart: Chart): Map<string, string[]> {
  const lines = new Map<string, string[]>()
  for (const { from, to, event, guard } of chart.edges) {
    if (to === null || from === to) continue
    const key = `${from ?? ''} ${to}`
    const alone = event !== null && chart.edges.every((other) => other.from !== from || other.event !== event || other.to === to)
    const label = [event, guard === null || alone ? null : `[${guard}]`].filter((part) => part !== null).join(' ')
    const labels = lines.get(key) ?? []
    if (label !== '' && !labels.includes(label)) labels.push(label)
    lines.set(key, labels.length === 0 ? ['otherwise'] : labels)
  }
  return lines
}

function drawnEdge({ id, sections, labels }: ElkExtendedEdge): ChartLayout['edges'][number] {
  const [section] = sections ?? []
  const [label] = labels ?? []
  if (section === undefined || label === undefined) throw new Error(`${id} was not laid out`)
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(whole)
  const [from = '', to = ''] = id.split(' ')
  return {
    from,
    to,
    labels: (label.text ?? '').split('\n'),
    line: rounded(points),
    labelX: Math.round(label.x ?? 0),
    labelY: Math.round(label.y ?? 0),
  }
}

/** A path through the points whose corners are a little round. */
function rounded(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const parts = [`M${first.x} ${first.y}`]
  let before = first
  for (const [index, point] of rest.entries()) {
    const after = rest[index + 1]
    if (after === undefined) parts.push(`L${point.x} ${point.y}`)
    else {
      const radius = Math.min(6, distance(before, point) / 2, distance(point, after) / 2)
      const [a, b] = [toward(point, before, radius), toward(point, after, radius)]
      parts.push(`L${a.x} ${a.y}Q${point.x} ${point.y} ${b.x} ${b.y}`)
    }
    before = point
  }
  return parts.join('')
}

type Point = { readonly x: number; readonly y: number }

const distance = (a: Point, b: Point): number => Math.abs(a.x - b.x) + Math.abs(a.y - b.y)

function toward(from: Point, to: Point, by: number): Point {
  const length = distance(from, to) || 1
  return whole({ x: from.x + ((to.x - from.x) / length) * by, y: from.y + ((to.y - from.y) / length) * by })
}

function whole<Figures extends { readonly [Name in keyof Figures]: number }>(figures: Figures): Figures {
  return Object.fromEntries(Object.entries<number>(figures).map(([name, value]) => [name, Math.round(value)])) as unknown as Figures
}

/** As it is written down: a state, an edge, a step each on a line of its own. */
export function layoutFile(layouts: readonly ChartLayout[]): string {
  const lines = layouts.map(({ states, edges, steps, ...head }) => {
    const list = (items: readonly unknown[]): string => `[\n    ${items.map((item) => JSON.stringify(item)).join(',\n    ')}\n  ]`
    return `{ ${JSON.stringify(head).slice(1, -1)},\n  "states": ${list(states)},\n  "edges": ${list(edges)},\n  "steps": ${list(steps)} }`
  })
  return `[\n${lines.join(',\n')}\n]\n`
}
