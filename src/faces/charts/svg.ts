import type { Chart, ChartEdge } from './chart.ts'

/**
 * A chart as a drawing that needs nothing else.
 *
 * 1. States stand below each other, in layers from the initial one. Every edge has a row of its own beside the state that it leaves, so
 *    that no label can cover another.
 * 2. All edges to one state run into one vertical line, which enters that state at its head.
 * 3. Lines that would overlap get tracks beside each other.
 */
const ROW = 24
const GAP = 18
const LEFT = 28
const TOP = 44
const CHARACTER = 7.3
const TRACK = 16

interface Block {
  /** Null: the block of edges from any state. */
  readonly name: string | null
  readonly final: boolean
  readonly edges: readonly ChartEdge[]
  readonly y: number
}

interface Bus {
  readonly to: string
  readonly top: number
  readonly bottom: number
  readonly track: number
  readonly colour: string
}

export interface Drawing {
  readonly width: number
  readonly height: number
  /** What stands inside the `svg` element. */
  readonly body: string
}

/** One chart as an SVG document. */
export function svg(chart: Chart): string {
  return document([drawing(chart)], [chart])
}

/** Several charts below each other in one SVG document. */
export function svgOfAll(charts: readonly Chart[]): string {
  return document(charts.map(drawing), charts)
}

function document(drawings: readonly Drawing[], charts: readonly Chart[]): string {
  const width = Math.max(...drawings.map((each) => each.width))
  let y = 0
  const placed = drawings.map(({ body, height }) => {
    const group = `<g transform="translate(0 ${y})">${body}</g>`
    y += height
    return group
  })
  const title = charts.map(({ name }) => name).join(', ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    ...placed,
    '</svg>',
    '',
  ].join('\n')
}

const STYLE = [
  'svg{background:#fff;color:#1b1f24;font:12px ui-monospace,Menlo,Consolas,monospace}',
  'text{fill:currentColor}.name{font-weight:600}.head{font-size:15px;font-weight:600}',
  '.box{fill:none;stroke:currentColor;stroke-width:1.4}.edge{fill:none;stroke-width:1.3}.dot{stroke:none}',
  '@media(prefers-color-scheme:dark){svg{background:#14171a;color:#e6e8ea}}',
].join('')

function drawing(chart: Chart): Drawing {
  const blocks = blocksOf(chart)
  const boxWidth = Math.max(...blocks.map(({ name }) => (name ?? ANY).length)) * CHARACTER + 28
  const right = LEFT + boxWidth
  const labels = right + 12
  const firstTrack = labels + Math.max(0, ...chart.edges.map((edge) => edge.label.length)) * CHARACTER + 14
  const buses = busesOf(blocks)
  const tracks = Math.max(0, ...buses.map(({ track }) => track + 1))
  const last = blocks.at(-1)
  const trackAt = (track: number): number => firstTrack + track * TRACK
  return {
    width: Math.ceil(trackAt(tracks) + 10),
    height: (last === undefined ? TOP : bottomOf(last)) + GAP,
    body: [
      `<text class="head" x="${LEFT}" y="26">${escaped(chart.name)}</text>`,
      ...buses.map((bus) => busLine(bus, trackAt(bus.track), right, headOf(blocks, bus.to))),
      ...blocks.map((block) => blockBody(block, chart, { boxWidth, right, labels, buses, trackAt })),
    ].join('\n'),
  }
}

const ANY = 'any state'

/** States in layers: the shorter the way from the initial state, the higher. Edges from any state stand first. */
function blocksOf(chart: Chart): Block[] {
  const anywhere = chart.edges.filter(({ from }) => from === null)
  const order = [...layered(chart)].map((name) => ({
    name: name as string | null,
    final: chart.states.find((state) => state.name === name)?.final ?? false,
  }))
  let y = TOP
  return [...(anywhere.length > 0 ? [{ name: null, final: false }] : []), ...order].map(({ name, final }) => {
    const edges = chart.edges.filter(({ from }) => from === name)
    const block: Block = { name, final, edges, y }
    y = bottomOf(block) + GAP
    return block
  })
}

function layered({ initial, states, edges }: Chart): Set<string> {
  const seen = new Set([initial])
  // A set is walked in order of insertion, what is added on the way included: a breadth-first search.
  for (const name of seen) for (const { from, to } of edges) if (from === name && to !== null) seen.add(to)
  for (const { name } of states) seen.add(name)
  return seen
}

function bottomOf({ y, edges }: Block): number {
  return y + ROW * (1 + edges.length)
}

function headOf(blocks: readonly Block[], name: string): number {
  return (blocks.find((block) => block.name === name)?.y ?? 0) + ROW / 2
}

function rowOf(block: Block, index: number): number {
  return block.y + ROW * (index + 1) + ROW / 2
}

/** One vertical line a target, as long as it must be; on the first track that is free there. */
function busesOf(blocks: readonly Block[]): Bus[] {
  const ends = new Map<string, number[]>()
  for (const block of blocks) {
    for (const [index, { to }] of block.edges.entries()) {
      if (to === null || to === block.name) continue
      ends.set(to, [...(ends.get(to) ?? [headOf(blocks, to)]), rowOf(block, index)])
    }
  }
  const buses: Bus[] = []
  for (const [to, ys] of ends) {
    const top = Math.min(...ys)
    const bottom = Math.max(...ys)
    const taken = new Set(buses.filter((bus) => bus.top <= bottom && top <= bus.bottom).map((bus) => bus.track))
    let track = 0
    while (taken.has(track)) track++
    buses.push({ to, top, bottom, track, colour: colourOf(buses.length) })
  }
  return buses
}

function busLine({ top, bottom, colour }: Bus, x: number, right: number, head: number): string {
  return [
    `<path class="edge" stroke="${colour}" d="M${x} ${top}V${bottom}M${x} ${head}H${right + 7}"/>`,
    `<path class="dot" fill="${colour}" d="M${right + 1} ${head}l8 -4v8z"/>`,
  ].join('')
}

interface Frame {
  readonly boxWidth: number
  readonly right: number
  readonly labels: number
  readonly buses: readonly Bus[]
  readonly trackAt: (track: number) => number
}

function blockBody(block: Block, chart: Chart, frame: Frame): string {
  const { name, final, y } = block
  const height = bottomOf(block) - y
  const box = (inset: number): string =>
    `<rect class="box" x="${LEFT + inset}" y="${y + inset}" width="${frame.boxWidth - 2 * inset}" height="${height - 2 * inset}" rx="6"${name === null ? ' stroke-dasharray="4 3"' : ''}/>`
  return [
    box(0),
    ...(final ? [box(3)] : []),
    ...(name === chart.initial
      ? [`<circle cx="10" cy="${y + ROW / 2}" r="5" fill="currentColor"/><path class="edge" stroke="currentColor" d="M15 ${y + ROW / 2}H${LEFT}"/>`]
      : []),
    `<text class="name" x="${LEFT + 12}" y="${y + ROW / 2 + 4}">${escaped(name ?? ANY)}</text>`,
    ...block.edges.map((edge, index) => edgeRow(edge, rowOf(block, index), frame)),
  ].join('\n')
}

function edgeRow(edge: ChartEdge, y: number, { right, labels, buses, trackAt }: Frame): string {
  const label = `<text x="${labels}" y="${y - 3}">${escaped(edge.label)}</text>`
  const bus = edge.to === edge.from ? undefined : buses.find(({ to }) => to === edge.to)
  if (bus === undefined) return `${label}<path class="edge" stroke="currentColor" d="M${right} ${y - 6}h8v8h-8"/>`
  const x = trackAt(bus.track)
  return `${label}<path class="edge" stroke="${bus.colour}" d="M${right} ${y + 2}H${x - 3}L${x} ${y}"/><circle class="dot" fill="${bus.colour}" cx="${x}" cy="${y}" r="2.4"/>`
}

/** Steps of the golden angle keep neighbours apart; every one can be told from white and from black. */
function colourOf(index: number): string {
  return `hsl(${Math.round(index * 137.5) % 360} 62% 44%)`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
