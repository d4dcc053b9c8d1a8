import { bareHost } from '../../host.ts'
import { checkedDoor, Door, openToAll } from './door.ts'
import { LIMITS, Listener } from './listener.ts'
import { Metrics } from './metrics.ts'
import { type GatewayOptions, Reception } from './reception.ts'

export type { GatewayOptions } from './reception.ts'

export interface RunningGateway {
  /** Where it listens: `http://127.0.0.1:4141`. */
  readonly address: string
  readonly port: number
  /** What whoever started it should be told, a line each. */
  readonly warnings: readonly string[]
  /**
   * Takes no more requests, lets those in flight end, and after `graceMs` cancels what is left: a stream ends with the error of its
   * protocol.
   */
  close(graceMs?: number): Promise<void>
}

const GRACE_MS = 10_000
/** How long a client may take to read why its answer was cut. */
const LAST_WORDS_MS = 1_000

/** Starts to listen. Rejects with ConfigError where it cannot, or where it would be open to others. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { settings, kernel, limits } = options
  const warnings = checkedDoor(settings)
  const door = new Door(settings)
  const metrics = new Metrics(kernel)
  const stood = { ...LIMITS, ...limits }
  const reception = new Reception({ options, door, metrics, limits: stood, isDraining: () => listener.draining })
  const listener = new Listener((request, response, goOn) => reception.came(request, response, goOn), stood)
  let closed: Promise<void> | null = null
  const close = (graceMs = GRACE_MS): Promise<void> => {
    closed ??= drained(listener, reception, graceMs).finally(() => metrics.stop())
    return closed
  }
  try {
    const port = await listenedOn(listener, door, options)
    const host = bareHost(settings.host)
    return { address: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port, warnings, close }
  } catch (error) {
    await close(0)
    throw error
  }
}

async function listenedOn(listener: Listener, door: Door, { settings: { host, port, keys } }: GatewayOptions): Promise<number> {
  const at = await listener.listen(host, port)
  door.listensOn(at.port)
  // A name was taken at its word until it was looked up.
  if (!at.isLoopback && keys.every(({ secret }) => secret === null)) throw openToAll(host, keys.length)
  return at.port
}

async function drained(listener: Listener, reception: Reception, graceMs: number): Promise<void> {
  const ended = listener.drain()
  if (!(await within(ended, graceMs))) {
    reception.cancelAll()
    await within(ended, LAST_WORDS_MS)
    listener.cut()
  }
  await ended
}

/** Whether it came in time. */
async function within(coming: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const isThere = await Promise.race([coming.then(() => true), late])
  clearTimeout(timer)
  return isThere
}
