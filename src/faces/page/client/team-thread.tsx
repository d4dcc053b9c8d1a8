import { useEffect, useRef } from 'preact/hooks'
import { useNow } from './hooks.ts'
import type { LogLine, TeamPost } from './state.ts'
import { clipped, instantWords, timeWords } from './words.ts'

/** The latest that are drawn; the thread itself is a file. */
const SHOWN = 200
const POST_CHARACTERS = 20_000

interface ThreadProps {
  readonly posts: readonly TeamPost[]
  /** Why there are no texts; null where there are. */
  readonly whyNoTexts: string | null
}

export function Thread({ posts, whyNoTexts }: ThreadProps) {
  const now = useNow(10_000)
  const last = posts.slice(-SHOWN)
  return (
    <Scrolled label="Thread" count={posts.length}>
      <h3>Thread</h3>
      {whyNoTexts !== null && <p class="hint">{whyNoTexts}</p>}
      {last.length === 0 && <p class="hint">Nobody has posted yet.</p>}
      <ol class="posts">
        {last.map(({ id, at, participant, engine, text, notice }) => (
          <li key={id} class={participant === null ? 'person' : undefined}>
            <p class="byline">
              <b>{participant === null ? 'you' : clipped(participant, 80)}</b> {engine === null ? '' : clipped(engine, 80)} · {id} ·{' '}
              {instantWords(at, now)}
            </p>
            {text !== null && <p class="text">{clipped(text, POST_CHARACTERS)}</p>}
            {notice !== undefined && <p class="notice">{clipped(notice, 400)}</p>}
          </li>
        ))}
      </ol>
    </Scrolled>
  )
}

export function LogLines({ log }: { readonly log: readonly LogLine[] }) {
  const last = log.slice(-SHOWN)
  return (
    <Scrolled label="Log" count={log.length}>
      <h3>Log</h3>
      {last.length === 0 && <p class="hint">Nothing has been logged yet.</p>}
      <ol class="log">
        {last.map(({ at, line }, index) => (
          <li key={log.length - last.length + index}>
            <time>{timeWords(at)}</time> {clipped(line, 1_000)}
          </li>
        ))}
      </ol>
    </Scrolled>
  )
}

interface ScrolledProps {
  readonly label: string
  readonly count: number
  readonly children: preact.ComponentChildren
}

/** Stays at its end, unless a person has scrolled away from it. */
function Scrolled({ label, count, children }: ScrolledProps) {
  const box = useRef<HTMLElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [count])
  const scrolled = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: { readonly currentTarget: HTMLElement }): void => {
    atEnd.current = scrollTop + clientHeight > scrollHeight - 24
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section class="scrolled" aria-label={label} ref={box} tabIndex={0} onScroll={scrolled}>
      {children}
    </section>
  )
}
