import type { PageEvent } from '../page-event.ts'
import { SseReader } from './sse-reader.ts'

/** `refused`: the server wants the token of its start. */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused'

export interface StreamOptions {
  readonly token: string | null
  readonly onEvents: (events: readonly PageEvent[]) => void
  readonly onConnection: (connection: Connection) => void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000
/** The server says that it is there more often than this. */
const SILENCE_MS = 60_000

/**
 * Reads the server's events for as long as the page is open; a connection that ends is opened again. By `fetch` and not by `EventSource`, which cannot
 * send the token in a header. Each connection is told everything from the beginning.
 */
export async function readForever(options: StreamOptions): Promise<never> {
  let pauseMs = FIRST_PAUSE_MS
  options.onConnection('connecting')
  for (;;) {
    const ended = await readOnce(options).catch(() => 'lost' as const)
    pauseMs = ended === 'ended' ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    options.onConnection(ended === 'refused' ? 'refused' : 'lost')
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

async function readOnce({ token, onEvents, onConnection }: StreamOptions): Promise<'ended' | 'lost' | 'refused'> {
  const stop = new AbortController()
  const headers = { accept: 'text/event-stream', ...(token === null ? {} : { 'x-relevo-token': token }) }
  let silence = setTimeout(() => stop.abort(), SILENCE_MS)
  try {
    const response = await fetch('/api/events', { headers, cache: 'no-store', signal: stop.signal })
    if (response.status === 401 || response.status === 403) return 'refused'
    if (!response.ok || response.body === null) return 'lost'
    onConnection('live')
    const reader = new SseReader()
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await pieces.read()
      if (done) return 'ended'
      clearTimeout(silence)
      silence = setTimeout(() => stop.abort(), SILENCE_MS)
      const events = reader.add(value)
      if (events.length > 0) onEvents(events)
    }
  } finally {
    clearTimeout(silence)
    stop.abort()
  }
}
