import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ChartDrawing } from './chart-drawing.tsx'
import { chartOf, stepsFrom } from './charts.ts'
import { useNow } from './hooks.ts'
import type { Actor } from './state.ts'
import { clipped, durationWords, instantWords, spelled } from './words.ts'

/** All actors of a kind on one chart: how many are in which state. */
export function KindDetails({ kind, states }: { readonly kind: string; readonly states: ReadonlyMap<string, number> }) {
  const chart = chartOf(kind)
  const counts = [...states].map(([state, count]) => `${count} ${spelled(state)}`).join(', ') || 'no actor at work'
  return (
    <>
      <h3>
        {clipped(kind, 80)} <small>{counts}</small>
      </h3>
      <Canvas>{chart !== null && <ChartDrawing chart={chart} lit={{ states, step: null }} label={`Chart of ${kind}: ${counts}`} />}</Canvas>
      <p class="hint">The counts are of actors in that state now. Choose one in the list to follow it.</p>
    </>
  )
}

export function ActorDetails({ actor }: { readonly actor: Actor }) {
  const chart = chartOf(actor.machine)
  const step = actor.before === null ? null : { from: actor.before, to: actor.state, event: actor.event }
  return (
    <>
      <h3>
        {clipped(actor.name)} <small>{spelled(actor.state)}</small>
      </h3>
      <Canvas lit={`${actor.key} ${actor.state}`}>
        {chart === null ? (
          <p>No chart of this kind is known here.</p>
        ) : (
          <ChartDrawing
            chart={chart}
            lit={{ states: new Map([[actor.state, 1]]), step }}
            label={`Chart of ${actor.machine} ${clipped(actor.name, 80)}; its state is ${spelled(actor.state)}`}
          />
        )}
      </Canvas>
      <Facts actor={actor} />
      {chart !== null && <Ways state={actor.state} ways={stepsFrom(chart, actor.state)} />}
    </>
  )
}

interface CanvasProps {
  /** What it follows: brought into sight whenever it is another one, and left where a person scrolls to in between. */
  readonly lit?: string
  readonly children: ComponentChildren
}

function Canvas({ lit, children }: CanvasProps) {
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (lit !== undefined && box.current !== null) bringLitIntoSight(box.current)
  }, [lit])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section class="canvas" aria-label="Drawing" tabIndex={0} ref={box}>
      {children}
    </section>
  )
}

/** To the middle, where it stands over a side: on a narrow page the ends of a chart are out of sight. */
function bringLitIntoSight(box: HTMLElement): void {
  const state = box.querySelector('.state.lit')?.getBoundingClientRect()
  if (state === undefined) return
  const { left, right, width } = box.getBoundingClientRect()
  if (state.left < left || state.right > right) box.scrollLeft += state.left + state.width / 2 - (left + width / 2)
}

function Facts({ actor }: { readonly actor: Actor }) {
  const now = useNow()
  const over = actor.status === 'active' ? '' : ` (${actor.status})`
  return (
    <dl class="facts">
      <div>
        <dt>state</dt>
        <dd>
          {spelled(actor.state)}
          {over}, since {instantWords(actor.since, now)} ({durationWords(now - actor.since)})
        </dd>
      </div>
      <div>
        <dt>last event</dt>
        <dd>{clipped(actor.event ?? 'none yet')}</dd>
      </div>
      <div>
        <dt>before</dt>
        <dd>{actor.before === null ? 'nothing' : spelled(actor.before)}</dd>
      </div>
      <div>
        <dt>steps</dt>
        <dd>{actor.steps}</dd>
      </div>
      <div>
        <dt>session</dt>
        <dd>
          {clipped(actor.session, 80)}
          {actor.parent === null ? '' : `, of ${clipped(actor.parent, 80)}`}
        </dd>
      </div>
      <div>
        <dt>kernel</dt>
        <dd>{clipped(actor.kernel, 80)}</dd>
      </div>
    </dl>
  )
}

function Ways({ state, ways }: { readonly state: string; readonly ways: ReturnType<typeof stepsFrom> }) {
  if (ways.length === 0) return <p class="hint">{spelled(state)} is an end: nothing leads out of it.</p>
  return (
    <section class="ways" aria-label={`What leads out of ${spelled(state)}`}>
      <h4>From {spelled(state)}</h4>
      <ul>
        {ways.map(({ label, to }, index) => (
          <li key={index}>
            <code>{label}</code> <span class="unseen">leads to</span>
            <span aria-hidden="true">→</span> {spelled(to)}
          </li>
        ))}
      </ul>
    </section>
  )
}
