import { useEffect, useRef, useState } from 'preact/hooks'
import type { Connection } from './event-stream.ts'
import { connectionWords } from './masthead.tsx'
import type { PageState } from './state.ts'

/** A screen reader is told the latest of what changed, and not more often than this. */
const PAUSE_MS = 3_000

interface AnnouncerProps {
  readonly said: PageState['said']
  readonly connection: Connection
  readonly closed: PageState['closed']
}

export function Announcer({ said, connection, closed }: AnnouncerProps) {
  const [text, setText] = useState('')
  const latest = useRef('')
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const tell = (words: string): void => {
    latest.current = words
    timer.current ??= setTimeout(() => {
      timer.current = null
      setText(latest.current)
    }, PAUSE_MS)
  }
  useEffect(() => {
    if (said.text !== '') tell(said.text)
  }, [said.n])
  useEffect(() => {
    if (connection === 'lost' || connection === 'refused') tell(connectionWords(connection, closed))
  }, [connection, closed])
  return (
    <div class="unseen" aria-live="polite">
      {text}
    </div>
  )
}
