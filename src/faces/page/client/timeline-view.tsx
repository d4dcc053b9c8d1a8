import { useMemo, useState } from 'preact/hooks'
import { useNow, useSize } from './hooks.ts'
import type { PageState, Turn } from './state.ts'
import { type Alignment, LONGEST_ZOOM, scale, type TimeWindow, ticks, windowOf, type Zoom } from './time-scale.ts'
import { BarPatterns, Legend, TimelineRow } from './timeline-row.tsx'
import { TurnDetails } from './turn-details.tsx'
import { VirtualList } from './virtual-list.tsx'
import { clipped, countWords, durationWords, spelled, timeWords } from './words.ts'

/** Attempts as bars, a line for each turn; the axis spans the turns in sight. */
export function TimelineView({ state }: { readonly state: PageState }) {
  const [filter, setFilter] = useState('')
  const [chosen, choose] = useState<string | null>(null)
  const [follow, setFollow] = useState(true)
  const [alignment, setAlignment] = useState<Alignment>('clock')
  const [zoom, setZoom] = useState<Zoom>({ factor: 1, place: 1 })
  const [sight, setSight] = useState({ first: 0, last: 40 })
  const [measure, { width }] = useSize<HTMLDivElement>()
  const now = useNow(500)
  const turns = useMemo(() => filtered(state.turns, filter), [state.turns, filter])
  if (state.turns.size === 0) return <p class="empty">No turn has begun yet.</p>
  const window = windowOf(turns.slice(sight.first, sight.last), alignment, now, zoom)
  const barWidth = Math.max(60, width - labelWidth(width) - 16)
  const turn = chosen === null ? undefined : state.turns.get(chosen)
  return (
    <div class={isNarrow(width) ? 'timeline narrow' : 'timeline'}>
      <BarPatterns />
      <div class="controls">
        <label class="filter">
          <span>Filter</span>
          <input type="search" value={filter} placeholder="turn, participant or outcome" onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        <Zooming zoom={zoom} onZoom={setZoom} alignment={alignment} onAlign={setAlignment} />
        <label>
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} /> Follow the latest
        </label>
        <Count state={state} shown={turns.length} />
      </div>
      <div class="bars" ref={measure}>
        {turns.length === 0 ? (
          <p class="hint">No turn fits the filter.</p>
        ) : (
          <Axis window={window} width={barWidth} left={labelWidth(width)} alignment={alignment} />
        )}
        <VirtualList
          label="Turns"
          items={turns}
          keyOf={({ key }) => key}
          rowHeight={30}
          selected={chosen}
          onSelect={({ key }) => {
            choose(key)
            setFollow(false)
          }}
          onSight={(first, last) => setSight({ first, last })}
          follow={follow}
          say={sayTurn}
          row={(each) => <TimelineRow turn={each} window={window} width={barWidth} alignment={alignment} now={now} />}
        />
      </div>
      <Legend />
      {turn !== undefined && <TurnDetails turn={turn} />}
    </div>
  )
}

/** The style sheet has the same widths for the column of names. */
const isNarrow = (width: number): boolean => width < 600
const labelWidth = (width: number): number => (isNarrow(width) ? 112 : 190)

function filtered(turns: ReadonlyMap<string, Turn>, filter: string): Turn[] {
  const words = filter.trim().toLowerCase()
  const all = [...turns.values()]
  if (words === '') return all
  return all.filter(({ turn, participant, kind }) => `${turn} ${participant ?? ''} ${spelled(kind ?? 'running')}`.toLowerCase().includes(words))
}

function sayTurn({ turn, participant, kind, attempts, startedAt, endedAt }: Turn): string {
  const parts = [
    `${clipped(turn, 60)}: ${kind === null ? 'running' : spelled(kind)}`,
    `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`,
    ...(participant === null ? [] : [`for ${clipped(participant, 60)}`]),
    ...(endedAt === null ? [] : [durationWords(endedAt - startedAt)]),
  ]
  return parts.join(', ')
}

function Count({ state, shown }: { readonly state: PageState; readonly shown: number }) {
  const { held, gone } = state.attempts
  const turns = state.turns.size
  const older = gone === 0 ? '' : `; ${countWords(gone)} older ones were let go`
  return (
    <p class="hint">
      {shown === turns ? '' : `${countWords(shown)} of `}
      {countWords(turns)} {turns === 1 ? 'turn' : 'turns'}, {countWords(held)} {held === 1 ? 'attempt' : 'attempts'}
      {older}
    </p>
  )
}

interface ZoomingProps {
  readonly zoom: Zoom
  readonly onZoom: (zoom: Zoom) => void
  readonly alignment: Alignment
  readonly onAlign: (alignment: Alignment) => void
}

function Zooming({ zoom, onZoom, alignment, onAlign }: ZoomingProps) {
  const by = (times: number) => (): void => onZoom({ ...zoom, factor: Math.min(LONGEST_ZOOM, Math.max(1, zoom.factor * times)) })
  return (
    <fieldset class="zooming" aria-label="Time">
      <select aria-label="Line up turns" value={alignment} onChange={(event) => onAlign(event.currentTarget.value === 'start' ? 'start' : 'clock')}>
        <option value="clock">by the clock</option>
        <option value="start">from their start</option>
      </select>
      <button type="button" onClick={by(0.5)} disabled={zoom.factor <= 1} aria-label="Zoom out">
        −
      </button>
      <button type="button" onClick={by(2)} disabled={zoom.factor >= LONGEST_ZOOM} aria-label="Zoom in">
        +
      </button>
      <button type="button" onClick={() => onZoom({ factor: 1, place: 1 })}>
        Fit
      </button>
      <input
        type="range"
        min="0"
        max="1"
        step="0.002"
        value={zoom.place}
        disabled={zoom.factor <= 1}
        aria-label="Scroll along the time"
        onInput={(event) => onZoom({ ...zoom, place: Number(event.currentTarget.value) })}
      />
      <output>{zoom.factor}×</output>
    </fieldset>
  )
}

interface AxisProps {
  readonly window: TimeWindow
  readonly width: number
  readonly left: number
  readonly alignment: Alignment
}

function Axis({ window, width, left, alignment }: AxisProps) {
  const x = scale(window, width)
  const fine = window.to - window.from < 5_000
  const words = (at: number): string => {
    if (alignment === 'start') return durationWords(at)
    return fine ? `${timeWords(at)}.${String(((at % 1_000) + 1_000) % 1_000).padStart(3, '0')}` : timeWords(at)
  }
  return (
    <svg class="axis" width={left + width} height="22" aria-hidden="true">
      {ticks(window, width, 110).map((at) => (
        <g key={at} class={x(at) > width - 34 ? 'last' : undefined} transform={`translate(${left + x(at)} 0)`}>
          <path d="M0 15V22" />
          <text y="12">{words(at)}</text>
        </g>
      ))}
    </svg>
  )
}
