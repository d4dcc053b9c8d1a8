import type { LoopbackRequest } from '../../src/engines/loopback/recorded.ts'
import type { LoopbackScript } from '../../src/engines/loopback/script.ts'
import type { LoopbackProvider } from '../../src/engines/loopback/server.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import type { LedgerRow } from '../../src/model/usage.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { type VirtualClock, virtualClock } from '../../src/simulate/virtual-clock.ts'
import { type Row, SECOND_TEXT, type Sink } from './row.ts'

/**
 * One cell of the matrix: a turn of the shipped kernel over real HTTP, against a provider on this machine.
 *
 * 1. Time is virtual and moves only once every request has said its last: no cell waits for a deadline, and none comes too early because
 *    the machine is busy. Deadlines are those of production.
 * 2. A cell ends when its turn is over and the provider has seen the end of each of its requests.
 */
export interface Played {
  readonly outcome: Outcome
  readonly events: readonly TurnEvent[]
  /** What a draft sink was handed, in order. */
  readonly drafts: readonly string[]
  readonly rows: readonly LedgerRow[]
  readonly requests: readonly LoopbackRequest[]
  /** What `turn.text` rejected with; null when it gave a text. */
  readonly error: unknown
  /** Connections that are open once the kernel was stopped. */
  readonly connections: number
}

export interface Cell {
  readonly row: Row
  readonly sink: Sink
  /** Names the profiles of the cell, which share a server with all others. */
  readonly name: string
}

const firstOf = ({ name }: Cell): string => `first.${name}`
const secondOf = ({ name }: Cell): string => `second.${name}`

/** What one provider says in all of the cells. */
export function scriptOf(cells: readonly Cell[]): LoopbackScript {
  return Object.fromEntries(
    cells.flatMap((cell) => [
      [`${firstOf(cell)}/m`, { stream: cell.row.stream, call: cell.row.call }],
      [`${secondOf(cell)}/m`, { stream: [], call: [{ ok: SECOND_TEXT }] }],
    ]),
  )
}

/** Who of the two was asked by a profile's name. */
export function whoIs(profile: string): 'first' | 'second' {
  return profile.startsWith('first.') ? 'first' : 'second'
}

export async function play(cell: Cell, api: string, provider: LoopbackProvider): Promise<Played> {
  const clock = virtualClock(Date.UTC(2026, 0, 1))
  const kernel = kernelOf(cell, api, provider, clock)
  const mine = (): LoopbackRequest[] => provider.requests.filter(({ path }) => path.includes(firstOf(cell)) || path.includes(secondOf(cell)))
  const events: TurnEvent[] = []
  const drafts: string[] = []
  let played: Omit<Played, 'connections'>
  try {
    const draft = (text: string) => void drafts.push(text)
    const turn = kernel.turn({ prompt: 'hello', sinks: cell.sink === 'draft' ? { draft } : cell.sink === 'event' ? ['event'] : [] })
    turn.events$.subscribe((event) => void events.push(event))
    const error = turn.text.then(
      () => null,
      (rejected: unknown) => rejected,
    )
    const outcome = await stepped(turn.outcome, mine, clock)
    await stepped(Promise.all(mine().map((request) => request.ended)), mine, clock)
    played = { outcome, events, drafts, rows: kernel.ledger.rows(), requests: mine(), error: await error }
  } finally {
    await kernel.stop()
  }
  let connections = await provider.connections()
  for (let left = ROUNDS; left > 0 && connections > 0; left--) {
    await new Promise((resolve) => void setImmediate(resolve))
    connections = await provider.connections()
  }
  return { ...played, connections }
}

function kernelOf(cell: Cell, api: string, provider: LoopbackProvider, clock: VirtualClock) {
  const { row } = cell
  const profile = (id: string) => ({ api, endpoint: provider.endpoint(id), model: 'm', apiKey: 'k', price: { m: { input: 1, output: 1 } } })
  const second = row.alone === true ? {} : { [secondOf(cell)]: profile(secondOf(cell)) }
  return createKernel(
    {
      primary: firstOf(cell),
      profiles: { [firstOf(cell)]: { ...profile(firstOf(cell)), fallback: Object.keys(second) }, ...second },
      reliability: { providerRetries: row.retries ?? 0, jitter: 0 },
    },
    { clock },
  )
}

/** Rounds of the event loop after which a connection on this machine has done what it could do at once. */
const ROUNDS = 40
/** Far more moves of the clock than any row takes: a turn that never ends is told as that, not as a test that hangs. */
const MOST_MOVES = 50

/** Waits for `done`, and moves the clock from wake to wake whenever nothing else can bring it about. */
async function stepped<Value>(done: Promise<Value>, requests: () => readonly LoopbackRequest[], clock: VirtualClock): Promise<Value> {
  let over = false
  const settled = done.then(() => {
    over = true
  })
  for (let move = 0; move < MOST_MOVES; move++) {
    let seen = -1
    while (!over && seen !== requests().length) {
      seen = requests().length
      await Promise.race([settled, Promise.all(requests().map((request) => request.quiet))])
      await rounds(() => over || requests().length > seen)
    }
    if (over) return done
    if (!clock.step()) break
  }
  const told = requests().map(({ path, end }) => `${path} ${end ?? 'is open'}`)
  throw new Error(`nothing is left that could end the turn; requests: ${told.join(', ') || 'none'}`)
}

async function rounds(enough: () => boolean): Promise<void> {
  for (let round = 0; round < ROUNDS && !enough(); round++) await new Promise((resolve) => void setImmediate(resolve))
}
