import { useNow } from './hooks.ts'
import type { Turn } from './state.ts'
import { VirtualTable } from './virtual-table.tsx'
import { clipped, durationWords, instantWords, spelled, usdWords } from './words.ts'

interface Line {
  readonly at: number
  readonly cells: readonly string[]
}

const COLUMNS = [
  { title: 'since start', figure: true },
  { title: 'what' },
  { title: 'entry' },
  { title: 'result' },
  { title: 'took', figure: true },
  { title: 'commit', figure: true },
  { title: 'cost', figure: true },
]

/** One turn in words: the same as its bars, for whoever reads rather than looks. */
export function TurnDetails({ turn }: { readonly turn: Turn }) {
  const now = useNow()
  const { served, requested } = turn
  return (
    <section class="turn-details" aria-label={`Turn ${clipped(turn.turn, 60)}`}>
      <h3>
        {clipped(turn.turn, 80)} <small>{turn.kind === null ? 'running' : spelled(turn.kind)}</small>
      </h3>
      <p class="hint">
        began {instantWords(turn.startedAt, now)}
        {requested === null ? '' : `, asked for ${clipped(requested.profile)} ${clipped(requested.model)}`}
        {served === null ? '' : `, served by ${clipped(served.profile)} ${clipped(served.model)}`}
        {turn.cost === null ? '' : `, ${usdWords(turn.cost)}`}
      </p>
      <VirtualTable
        label={`Attempts and waits of ${clipped(turn.turn, 60)}`}
        columns={COLUMNS}
        items={linesOf(turn, now)}
        keyOf={({ at }, index) => `${index} ${at}`}
        cells={({ cells }) => cells}
      />
    </section>
  )
}

function linesOf(turn: Turn, now: number): Line[] {
  const since = (at: number): string => `+${durationWords(at - turn.startedAt)}`
  const attempts = turn.attempts.map((attempt) => ({
    at: attempt.startedAt,
    cells: [
      since(attempt.startedAt),
      `attempt ${attempt.n}, ${attempt.mode}`,
      clipped(attempt.entry, 80),
      attempt.result === null ? 'running' : spelled(attempt.result),
      durationWords((attempt.endedAt ?? now) - attempt.startedAt),
      attempt.committedAt === null ? '–' : since(attempt.committedAt),
      attempt.cost === null ? '?' : usdWords(attempt.cost),
    ],
  }))
  const waits = turn.waits.map((wait) => ({
    at: wait.startedAt,
    cells: [
      since(wait.startedAt),
      `wait: ${spelled(wait.why)}`,
      clipped(wait.key, 80),
      wait.cut ? 'cut short' : '',
      durationWords((wait.endedAt ?? now) - wait.startedAt),
      '',
      '',
    ],
  }))
  const remarks = turn.remarks.map(({ at, text }) => ({ at, cells: [since(at), clipped(text, 200), '', '', '', '', ''] }))
  // At one instant: what was decided comes before the attempt or the wait that it led to.
  return [...remarks, ...waits, ...attempts].sort((a, b) => a.at - b.at)
}
