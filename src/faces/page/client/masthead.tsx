import type { Connection } from './event-stream.ts'
import { useNow } from './hooks.ts'
import type { PageModel } from './store.ts'
import { clipped, timeWords, zoneWords } from './words.ts'

const CONNECTION: Readonly<Record<Connection, string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'connection lost, trying again',
  refused: 'open the printed address: its token is missing or another one',
}

export function connectionWords(connection: Connection, closed: PageModel['state']['closed']): string {
  return connection === 'lost' && closed === 'over' ? 'it has ended' : CONNECTION[connection]
}

export function Masthead({ model }: { readonly model: PageModel }) {
  const { state, player, connection } = model
  const now = useNow()
  return (
    <header>
      <h1>relevo</h1>
      <p class="title">{clipped(state.opened?.title ?? '', 80)}</p>
      <p class={`connection ${player === null ? connection : 'recorded'}`}>
        <i aria-hidden="true" />
        {player === null ? connectionWords(connection, state.closed) : 'recording'}
      </p>
      {state.opened !== null && (
        <p class="clock" title="On the clock of what is looked at">
          {timeWords(now)} <small>{zoneWords(now)}</small>
        </p>
      )}
    </header>
  )
}
