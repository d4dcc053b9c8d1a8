import { useState } from 'preact/hooks'
import type { TeamStatus } from '../../../index.ts'
import { useTools } from './hooks.ts'

/** What a person may order. Stop asks once more, because a run that is over does not go on. */
export function TeamOrders({ team }: { readonly team: TeamStatus | null }) {
  const { order, whyNoOrders } = useTools()
  const [stopping, setStopping] = useState(false)
  if (order === null) return <p class="hint">{whyNoOrders}</p>
  const over = team?.state === 'stopped'
  const stop = (immediate: boolean) => (): void => {
    order({ do: 'stop', immediate })
    setStopping(false)
  }
  return (
    <section class="orders" aria-label="Orders">
      <button type="button" disabled={over || team?.state === 'paused'} onClick={() => order({ do: 'pause' })}>
        Pause
      </button>
      <button type="button" disabled={over || team?.state !== 'paused'} onClick={() => order({ do: 'resume' })}>
        Resume
      </button>
      {stopping ? (
        <fieldset class="sure" aria-label="Stop the team">
          <button type="button" onClick={stop(false)}>
            After this call
          </button>
          <button type="button" onClick={stop(true)}>
            At once
          </button>
          <button type="button" onClick={() => setStopping(false)}>
            Keep on
          </button>
        </fieldset>
      ) : (
        <button type="button" disabled={over} onClick={() => setStopping(true)}>
          Stop…
        </button>
      )}
      <Say disabled={over} onSay={(text) => order({ do: 'say', text })} />
    </section>
  )
}

function Say({ disabled, onSay }: { readonly disabled: boolean; readonly onSay: (text: string) => void }) {
  const [text, setText] = useState('')
  const say = (event: SubmitEvent): void => {
    event.preventDefault()
    if (text.trim() === '') return
    onSay(text)
    setText('')
  }
  return (
    <form class="say" onSubmit={say}>
      <input
        aria-label="Say to the team"
        placeholder="Say to the team"
        value={text}
        disabled={disabled}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={disabled || text.trim() === ''}>
        Say
      </button>
    </form>
  )
}
