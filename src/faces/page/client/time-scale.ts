import type { Attempt, Turn } from './state.ts'

/**
 * Instants to pixels. `clock`: by the clock of what is looked at; `start`: from the start of each turn, so that turns can be compared.
 */
export type Alignment = 'clock' | 'start'

export interface TimeWindow {
  /** Epoch ms with `clock`, ms since the start of the turn with `start`. */
  readonly from: number
  readonly to: number
}

export interface Zoom {
  /** Times as near as all of it; 1 and up. */
  readonly factor: number
  /** Where in it, from 0 to 1. */
  readonly place: number
}

export const LONGEST_ZOOM = 4_096

/** What the turns in sight span, and of that what the zoom leaves; never less than a millisecond. */
export function windowOf(turns: readonly Turn[], alignment: Alignment, now: number, { factor, place }: Zoom): TimeWindow {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const turn of turns) {
    const end = turn.endedAt ?? Math.max(now, turn.startedAt)
    from = Math.min(from, alignment === 'clock' ? turn.startedAt : 0)
    to = Math.max(to, alignment === 'clock' ? end : end - turn.startedAt)
  }
  if (from > to) return { from: 0, to: 1 }
  const span = Math.max(1, (to - from) * 1.02)
  const width = Math.max(1, span / factor)
  const start = from + (span - width) * place
  return { from: start, to: start + width }
}

export function scale({ from, to }: TimeWindow, width: number): (at: number) => number {
  return (at) => ((at - from) / (to - from)) * width
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5]

/** Instants that the axis names, at least `apart` pixels from each other. */
export function ticks(window: TimeWindow, width: number, apart = 90): number[] {
  const least = ((window.to - window.from) / Math.max(1, width)) * apart
  const step = STEPS.find((each) => each >= least) ?? Math.ceil(least / 864e5) * 864e5
  const found: number[] = []
  for (let at = Math.ceil(window.from / step) * step; at <= window.to && found.length < 60; at += step) found.push(at)
  return found
}

/** What a bar looks like; its words stand beside it, since a colour alone tells some people nothing. */
export function barKind({ result, accepted }: Attempt): 'ok' | 'partial' | 'cancelled' | 'failed' | 'running' {
  if (result === null) return 'running'
  if (result === 'ok') return accepted ? 'ok' : 'partial'
  if (result === 'incomplete') return 'partial'
  return result === 'cancelled' ? 'cancelled' : 'failed'
}
