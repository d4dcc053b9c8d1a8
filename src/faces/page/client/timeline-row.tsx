import type { Attempt, Turn, Wait } from './state.ts'
import { TailedName } from './tailed-name.tsx'
import { type Alignment, barKind, scale, type TimeWindow } from './time-scale.ts'
import { durationWords, spelled } from './words.ts'

const HEIGHT = 30
/** Bars of one row that are drawn; what comes on top of each other in a pixel tells nothing. */
const BARS = 300

interface TimelineRowProps {
  readonly turn: Turn
  readonly window: TimeWindow
  readonly width: number
  readonly alignment: Alignment
  readonly now: number
}

export function TimelineRow({ turn, window, width, alignment, now }: TimelineRowProps) {
  const toPixels = scale(window, width)
  const x = (at: number): number => Math.max(-10, Math.min(width + 10, toPixels(alignment === 'clock' ? at : at - turn.startedAt)))
  const isInSight = ({ startedAt, endedAt }: Attempt | Wait): boolean => x(endedAt ?? now) > -10 && x(startedAt) < width + 10
  return (
    <>
      <span class={`turn ${turn.kind ?? 'running'}`}>
        <b class="tailed">
          <TailedName name={turn.turn} />
        </b>
        <span>{turn.kind === null ? 'running' : spelled(turn.kind)}</span>
      </span>
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <path class="base" d={`M${x(turn.startedAt)} ${HEIGHT / 2}H${x(turn.endedAt ?? now)}`} />
        {turn.waits
          .filter(isInSight)
          .slice(-BARS)
          .map((wait) => (
            <WaitLine key={wait.startedAt} wait={wait} from={x(wait.startedAt)} to={x(wait.endedAt ?? now)} />
          ))}
        {turn.attempts
          .filter(isInSight)
          .slice(-BARS)
          .map((attempt, index) => (
            <Bar
              key={index}
              attempt={attempt}
              from={x(attempt.startedAt)}
              to={x(attempt.endedAt ?? now)}
              commit={attempt.committedAt === null ? null : x(attempt.committedAt)}
            />
          ))}
      </svg>
    </>
  )
}

function WaitLine({ wait, from, to }: { readonly wait: Wait; readonly from: number; readonly to: number }) {
  const words = `${spelled(wait.why)} ${durationWords((wait.endedAt ?? wait.startedAt + wait.ms) - wait.startedAt)}`
  return (
    <g class="wait">
      <rect x={from} y={HEIGHT / 2 - 3} width={Math.max(1, to - from)} height="6" />
      {to - from > words.length * 6 + 8 && (
        <text x={(from + to) / 2} y={HEIGHT / 2 - 5}>
          {words}
        </text>
      )}
    </g>
  )
}

interface BarProps {
  readonly attempt: Attempt
  readonly from: number
  readonly to: number
  readonly commit: number | null
}

function Bar({ attempt, from, to, commit }: BarProps) {
  const width = Math.max(2, to - from)
  const label = labelOf(attempt, from, from + width, commit)
  return (
    <g class={`bar ${barKind(attempt)}`}>
      <rect x={from} y="7" width={width} height="16" rx="2" />
      {label !== null && (
        <text x={label.x} y="19">
          {label.words}
        </text>
      )}
      {commit !== null && <path class="commit" d={`M${commit} 4V26M${commit - 4} 2h8l-4 5z`} />}
    </g>
  )
}

/** The longest words that a bar has room for, before its commit or behind it; null where there is none. */
function labelOf({ n, result }: Attempt, from: number, to: number, commit: number | null): { readonly x: number; readonly words: string } | null {
  for (const words of [`${n} ${result === null ? 'running' : spelled(result)}`, String(n)]) {
    const needed = words.length * 6.4 + 8
    if (Math.min(to, commit ?? to) - from > needed) return { x: from + 5, words }
    if (commit !== null && to - commit > needed + 2) return { x: commit + 7, words }
  }
  return null
}

/** What fills the bars, once for all rows. */
export function BarPatterns() {
  return (
    <svg class="patterns" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="fill-failed" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="ground" width="6" height="6" />
          <rect class="mark" width="2" height="6" />
        </pattern>
        <pattern id="fill-partial" width="5" height="5" patternUnits="userSpaceOnUse">
          <rect class="ground" width="5" height="5" />
          <rect class="mark" width="1.5" height="5" />
        </pattern>
        <pattern id="fill-cancelled" width="5" height="5" patternUnits="userSpaceOnUse">
          <rect class="ground" width="5" height="5" />
          <circle class="mark" cx="2" cy="2" r="1" />
        </pattern>
        <pattern id="fill-wait" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect class="mark" width="2" height="4" />
        </pattern>
      </defs>
    </svg>
  )
}

const LEGEND = [
  ['ok', 'served'],
  ['failed', 'failed'],
  ['partial', 'incomplete or not accepted'],
  ['cancelled', 'cancelled'],
  ['running', 'running'],
] as const

export function Legend() {
  return (
    <ul class="legend" aria-label="What the bars mean">
      {LEGEND.map(([kind, words]) => (
        <li key={kind}>
          <svg width="26" height="14" aria-hidden="true">
            <g class={`bar ${kind}`}>
              <rect x="1" y="1" width="24" height="12" rx="2" />
            </g>
          </svg>
          {words}
        </li>
      ))}
      <li>
        <svg width="26" height="14" aria-hidden="true">
          <g class="wait">
            <rect x="1" y="4" width="24" height="6" />
          </g>
        </svg>
        wait
      </li>
      <li>
        <svg width="12" height="14" aria-hidden="true">
          <path class="commit" d="M6 2V14M2 0h8l-4 5z" />
        </svg>
        commit: nothing is taken back from here on
      </li>
    </ul>
  )
}
