import { useMemo, useState } from 'preact/hooks'
import { ActorDetails, KindDetails } from './actor-details.tsx'
import { ChartDrawing } from './chart-drawing.tsx'
import { CHARTS } from './charts.ts'
import type { Actor, PageState } from './state.ts'
import { TailedName } from './tailed-name.tsx'
import { VirtualList } from './virtual-list.tsx'
import { clipped, spelled } from './words.ts'

type Row = { readonly key: string; readonly kind: string; readonly actor: Actor | null; readonly count: number }

/** Every actor by kind, and the chart of the chosen one with its present state lit. */
export function LiveView({ state }: { readonly state: PageState }) {
  const [filter, setFilter] = useState('')
  const [chosen, choose] = useState<string>('kind:turn')
  const rows = useMemo(() => rowsOf(state.actors, filter), [state.actors, filter])
  const actor = state.actors.get(chosen) ?? null
  const kind = actor?.machine ?? (chosen.startsWith('kind:') ? chosen.slice(5) : 'turn')
  return (
    <div class="live split">
      <section class="side" aria-label="Actors">
        <label class="filter">
          <span>Filter</span>
          <input type="search" value={filter} placeholder="name, state or kernel" onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        <VirtualList
          label="Actors by kind"
          items={rows}
          keyOf={({ key }) => key}
          rowHeight={26}
          selected={chosen}
          onSelect={({ key }) => choose(key)}
          say={sayRow}
          row={(row) => <ActorRow row={row} />}
        />
      </section>
      <section class="wide" aria-label="Chart">
        <fieldset class="kinds" aria-label="Kinds of actor">
          {CHARTS.map((chart) => (
            <button
              key={chart.name}
              type="button"
              aria-pressed={kind === chart.name}
              onClick={() => choose(`kind:${chart.name}`)}
              aria-label={`Chart of all actors of kind ${chart.name}`}
            >
              <ChartDrawing small chart={chart} lit={{ states: countStates(state.actors, chart.name), step: null }} label={chart.name} />
              <span>{chart.name}</span>
            </button>
          ))}
        </fieldset>
        {actor === null ? <KindDetails kind={kind} states={countStates(state.actors, kind)} /> : <ActorDetails actor={actor} />}
      </section>
    </div>
  )
}

function rowsOf(actors: ReadonlyMap<string, Actor>, filter: string): Row[] {
  const words = filter.trim().toLowerCase()
  const fits = ({ name, state, kernel, machine }: Actor): boolean => `${machine} ${name} ${state} ${kernel}`.toLowerCase().includes(words)
  const kinds = new Map<string, Actor[]>(CHARTS.map(({ name }) => [name, []]))
  for (const actor of actors.values()) {
    if (words !== '' && !fits(actor)) continue
    const list = kinds.get(actor.machine)
    if (list === undefined) kinds.set(actor.machine, [actor])
    else list.push(actor)
  }
  return [...kinds].flatMap(([kind, list]) => {
    // What lives stands first, and the latest first among equals.
    const sorted = list.reverse().sort((a, b) => Number(b.status === 'active') - Number(a.status === 'active'))
    return [{ key: `kind:${kind}`, kind, actor: null, count: list.length }, ...sorted.map((actor) => ({ key: actor.key, kind, actor, count: 1 }))]
  })
}

export function countStates(actors: ReadonlyMap<string, Actor>, kind: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { machine, state, status } of actors.values()) {
    if (machine === kind && status === 'active') counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  return counts
}

function sayRow({ kind, actor, count }: Row): string {
  if (actor === null) return `${kind}, ${count} ${count === 1 ? 'actor' : 'actors'}`
  return `${clipped(actor.name, 80)}: ${spelled(actor.state)}${actor.status === 'active' ? '' : `, ${actor.status}`}`
}

function ActorRow({ row: { kind, actor, count } }: { readonly row: Row }) {
  if (actor === null) {
    return (
      <span class="group">
        {kind} <b>{count}</b>
      </span>
    )
  }
  return (
    <span class={`actor ${actor.status}`}>
      <i aria-hidden="true" />
      <span class="name tailed">
        <TailedName name={actor.name} />
      </span>
      <span class="at">{spelled(actor.state)}</span>
    </span>
  )
}
