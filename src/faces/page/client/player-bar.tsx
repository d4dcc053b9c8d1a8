import { useTools } from './hooks.ts'
import type { Player } from './store.ts'
import { clipped, countWords, instantWords } from './words.ts'

const SPEEDS = [1, 10, 60, 600, 3_600]

/** Steps through a recording; every view shows the state at its place. */
export function PlayerBar({ player }: { readonly player: Player }) {
  const { store } = useTools()
  const { recording, position, playing, speed } = player
  const count = recording.events.length
  const at = recording.events[position - 1]?.at ?? recording.events[0]?.at ?? 0
  const end = recording.events.at(-1)?.at ?? at
  const place = `event ${countWords(position)} of ${countWords(count)}, ${instantWords(at, end)}`
  return (
    <section class="player" aria-label={`Recording ${clipped(recording.name, 80)}`}>
      <button type="button" onClick={() => store.seek(position - 1)} disabled={position === 0} aria-label="One event back">
        ‹
      </button>
      <button type="button" class="first" onClick={() => store.play(!playing)}>
        {playing ? 'Pause' : 'Play'}
      </button>
      <button type="button" onClick={() => store.seek(position + 1)} disabled={position === count} aria-label="One event on">
        ›
      </button>
      <input
        type="range"
        min="0"
        max={count}
        step="1"
        value={position}
        aria-label="Place in the recording"
        aria-valuetext={place}
        onInput={(event) => store.seek(Number(event.currentTarget.value))}
      />
      {/* While it plays it would be said at each event. */}
      <output aria-live={playing ? 'off' : 'polite'}>{place}</output>
      <select aria-label="Speed" value={String(speed)} onChange={(event) => store.speed(Number(event.currentTarget.value))}>
        {SPEEDS.map((each) => (
          <option key={each} value={String(each)}>
            {countWords(each)}×
          </option>
        ))}
      </select>
      <button type="button" onClick={() => store.close()}>
        Close
      </button>
    </section>
  )
}
