import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageEvent } from '../page-event.ts'
import { useModel, useTools } from './hooks.ts'
import type { Recording } from './recording.ts'
import type { Store } from './store.ts'
import { VirtualList } from './virtual-list.tsx'
import { clipped, countWords, instantWords, spelled } from './words.ts'

/** Opens a recorded file and lists its events; what it was like at any of them every other view shows. */
export function TraceView() {
  const { store } = useTools()
  const { player, reading, failure } = useModel(store)
  useDroppedFiles(store)
  return (
    <div class="trace">
      <section class="open" aria-label="Recordings">
        <label class="file">
          <span>Open a recording</span>
          <input
            type="file"
            accept=".jsonl,.ndjson,.json,.log,application/x-ndjson"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              if (file !== undefined) void store.open(file)
              currentTarget.value = ''
            }}
          />
        </label>
        <p class="hint">
          Or drop the file here. <code>relevo run</code>, <code>relevo demo</code> and <code>relevo simulate …</code> write one with{' '}
          <code>--record FILE</code>. It is read in this browser and sent nowhere.
        </p>
        {reading !== null && <progress aria-label="Reading the recording" value={reading} max={1} />}
        {failure !== null && (
          <p class="warning" role="alert">
            {clipped(failure, 400)}
          </p>
        )}
      </section>
      {player !== null && <Problems recording={player.recording} />}
      {player !== null && <Events recording={player.recording} position={player.position} store={store} />}
    </div>
  )
}

/** A file may be dropped anywhere on the page while this view is open. */
function useDroppedFiles(store: Store): void {
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault()
    const take = (event: DragEvent): void => {
      event.preventDefault()
      const [file] = event.dataTransfer?.files ?? []
      if (file !== undefined) void store.open(file)
    }
    document.addEventListener('dragover', allow)
    document.addEventListener('drop', take)
    return () => {
      document.removeEventListener('dragover', allow)
      document.removeEventListener('drop', take)
    }
  }, [store])
}

function Problems({ recording: { problems, problemCount } }: { readonly recording: Recording }) {
  if (problemCount === 0) return null
  return (
    <section class="problems" aria-label="Lines that cannot be read">
      <h3>
        {countWords(problemCount)} {problemCount === 1 ? 'line' : 'lines'} left out
      </h3>
      <ul>
        {problems.slice(0, 20).map(({ line, text }, index) => (
          <li key={index}>
            line {line}: {clipped(text, 200)}
          </li>
        ))}
      </ul>
      {problemCount > 20 && <p class="hint">and {countWords(problemCount - 20)} more</p>}
    </section>
  )
}

type Row = { readonly place: number; readonly event: PageEvent }

function Events({
  recording: { events, name },
  position,
  store,
}: {
  readonly recording: Recording
  readonly position: number
  readonly store: Store
}) {
  const [filter, setFilter] = useState('')
  const rows = useMemo(() => rowsOf(events, filter), [events, filter])
  return (
    <section class="events" aria-label="Events of the recording">
      <h3>
        {clipped(name, 80)} <small>{countWords(events.length)} events</small>
      </h3>
      <label class="filter">
        <span>Filter</span>
        <input type="search" value={filter} placeholder="kind or name" onInput={(event) => setFilter(event.currentTarget.value)} />
      </label>
      <VirtualList
        label="Events"
        items={rows}
        keyOf={({ place }) => String(place)}
        rowHeight={24}
        selected={String(position)}
        onSelect={({ place }) => store.seek(place)}
        say={({ place, event }) => `${place}: ${summary(event)}`}
        row={({ place, event }) => (
          <span class={place <= position ? 'event told' : 'event'}>
            <span class="n">{place}</span>
            <time>{instantWords(event.at, event.at)}</time>
            <span class="type">{event.type}</span>
            <span class="name">{summary(event)}</span>
          </span>
        )}
      />
    </section>
  )
}

function rowsOf(events: readonly PageEvent[], filter: string): Row[] {
  const words = filter.trim().toLowerCase()
  const rows = events.map((event, index) => ({ place: index + 1, event }))
  return words === '' ? rows : rows.filter(({ event }) => `${event.type} ${summary(event)}`.toLowerCase().includes(words))
}

function summary(event: PageEvent): string {
  switch (event.type) {
    case 'page.opened':
      return clipped(event.title)
    case 'page.time':
      return `${event.rate}×`
    case 'page.closed':
      return event.why
    case 'team.opened':
      return clipped(event.name)
    case 'turn.told':
      return `${clipped(event.fact.turn, 60)}: ${event.fact.type}`
    case 'row.closed':
      return `${clipped(event.row.turn, 60)} ${event.row.n}: ${clipped(event.row.profile, 60)} ${event.row.outcome ?? ''}`
    case 'chain.planned':
      return `${clipped(event.model ?? 'settings', 60)}: ${event.plan.entries.length} entries`
    case 'holds.changed':
      return event.holds.length === 0 ? 'none' : clipped(event.holds.map(({ key }) => key).join(', '))
    case 'actor.stepped':
      return `${event.machine} ${clipped(event.name, 60)}: ${spelled(event.state)}`
    case 'team.told':
      return `${event.event.type}: ${spelled(event.status.state)}`
    case 'team.logged':
      return clipped(event.line)
    case 'team.posted':
      return `${event.post.id} by ${clipped(event.post.participant ?? 'you', 60)}`
  }
}
