interface Listener {
  readonly waiting: Set<() => void>
  readonly hear: () => void
}

const listeners = new WeakMap<AbortSignal, Listener>()

/**
 * Calls `fire` when the signal aborts, unless the answer is called before. However many wait for one signal, it is listened to once, and not
 * at all when nobody waits any more: a host may hand the same one to every turn of a process, and Node takes eleven listeners for a leak.
 */
export function onAbort(signal: AbortSignal, fire: () => void): () => void {
  const listener = listeners.get(signal) ?? listenerOf(signal)
  listener.waiting.add(fire)
  return () => {
    listener.waiting.delete(fire)
    if (listener.waiting.size > 0 || listeners.get(signal) !== listener) return
    listeners.delete(signal)
    signal.removeEventListener('abort', listener.hear)
  }
}

function listenerOf(signal: AbortSignal): Listener {
  const waiting = new Set<() => void>()
  const hear = (): void => {
    for (const fire of [...waiting]) fire()
  }
  const listener = { waiting, hear }
  listeners.set(signal, listener)
  signal.addEventListener('abort', hear, { once: true })
  return listener
}
