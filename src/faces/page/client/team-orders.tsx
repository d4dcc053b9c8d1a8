import { useEffect, useRef, useState } from 'preact/hooks'
import type { TeamStatus } from '../../../index.ts'
import { useTools } from './hooks.ts'

/** What a person may order. */
export function TeamOrders({ team }: { readonly team: TeamStatus | null }) {
  const { order, whyNoOrders } = useTools()
  if (order === null) return <p class="hint">{whyNoOrders}</p>
  const over = team?.state === 'stopped'
  return (
    <section class="orders" aria-label="Orders">
      <button type="button" disabled={over || team?.state === 'paused'} onClick={() => order({ do: 'pause' })}>
        Pause
      </button>
      <button type="button" disabled={over || team?.state !== 'paused'} onClick={() => order({ do: 'resume' })}>
        Resume
      </button>
      <Stop disabled={over} onStop={(immediate) => order({ do: 'stop', immediate })} />
      <Say disabled={over} onSay={(text) => order({ do: 'say', text })} />
    </section>
  )
}

/** Asks once more, because a run that is over does not go on. The focus goes to the question and back, since what had it is gone each time. */
function Stop({ disabled, onStop }: { readonly disabled: boolean; readonly onStop: (immediate: boolean) => void }) {
  const [asking, setAsking] = useState(false)
  const question = useRef<HTMLFieldSetElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const hasAsked = useRef(false)
  useEffect(() => {
    if (asking) question.current?.focus()
    else if (hasAsked.current) button.current?.focus()
    hasAsked.current = asking
  }, [asking])
  const stop = (immediate: boolean) => (): void => {
    onStop(immediate)
    setAsking(false)
  }
  if (!asking) {
    return (
      <button type="button" ref={button} disabled={disabled} onClick={() => setAsking(true)}>
        Stop…
      </button>
    )
  }
  const leave = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') setAsking(false)
  }
  return (
    <fieldset class="sure" aria-label="Stop the team" ref={question} tabIndex={-1} onKeyDown={leave}>
      <button type="button" onClick={stop(false)}>
        After this call
      </button>
      <button type="button" onClick={stop(true)}>
        At once
      </button>
      <button type="button" onClick={() => setAsking(false)}>
        Keep on
      </button>
    </fieldset>
  )
}

/** A text stays where it was written until it was taken: what is refused or reaches nobody would have to be written again. */
function Say({ disabled, onSay }: { readonly disabled: boolean; readonly onSay: (text: string) => Promise<boolean> }) {
  const [text, setText] = useState('')
  const isOnTheWay = useRef(false)
  const say = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (text.trim() === '' || isOnTheWay.current) return
    isOnTheWay.current = true
    const isTaken = await onSay(text)
    isOnTheWay.current = false
    if (isTaken) setText((now) => (now === text ? '' : now))
  }
  return (
    <form class="say" onSubmit={(event) => void say(event)}>
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
