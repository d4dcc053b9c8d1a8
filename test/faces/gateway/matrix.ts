import { expect } from 'vitest'
import type { Outcome } from '../../../src/index.ts'
import type { Fault } from '../../../src/testing.ts'
import { type RigProfile, startRig } from './rig.ts'

/**
 * What real clients make of an answer that breaks on its way through the gateway: one cell is a client, the protocol of the provider, and a
 * fault of it.
 *
 * A client must raise exactly when its answer is not whole. What is whole the kernel says (R25); beside that, whatever the kernel says, a
 * client that raises nothing must have every word.
 */
export interface MatrixClient {
  readonly name: string
  /** Asks for a streamed answer and reads it to its end; `text` is what it was shown, also where it then raises. */
  readonly ask: (address: string) => Promise<{ readonly text: string; readonly raised: unknown }>
}

export const WHOLE = 'one two three'
const SPARE = 'from the spare'

/** Where and how a provider may break. The answer has three pieces of text, then its usage and its end. */
export const FAULTS: readonly Fault[] = [
  ...(['end', 'fin', 'rst'] as const).flatMap((by): Fault[] => [
    { kind: 'cut', at: 0, by },
    { kind: 'cut', at: { beforeEvent: 0 }, by },
    { kind: 'cut', at: { insideEvent: 0 }, by },
    { kind: 'cut', at: { beforeEvent: 1 }, by },
    { kind: 'cut', at: { insideEvent: 1 }, by },
    { kind: 'cut', at: { beforeEvent: 3 }, by },
    { kind: 'cut', at: { frame: -2 }, by },
    { kind: 'cut', at: { frame: -1 }, by },
    { kind: 'cut', at: -3, by },
    { kind: 'cut', at: 'end', by },
  ]),
  { kind: 'brokenFraming', at: { beforeEvent: 1 } },
  { kind: 'garbage', bytes: 200, at: { beforeEvent: 1 } },
  { kind: 'closeAtOnce' },
  { kind: 'html200' },
  { kind: 'error200', http: 429 },
  { kind: 'stall', at: { beforeEvent: 1 } },
  { kind: 'endTwice' },
  { kind: 'contentAfter', text: ' and more' },
  { kind: 'holdOpen' },
  { kind: 'dribble', bytes: 7, everyMs: 0 },
]

const EVENTS = [{ text: 'one ' }, { text: 'two ' }, { text: 'three' }, { usage: { input: 3, output: 3 } }, { final: 'stop' as const }]

export interface Cell {
  readonly kind: Outcome['kind'] | 'none'
  readonly text: string
  readonly raised: boolean
}

/** Plays one cell; `spare`: another provider stands behind, and answers what nobody was shown yet. */
export async function played(client: MatrixClient, api: RigProfile['api'], fault: Fault, spare: boolean): Promise<Cell> {
  let kind: Cell['kind'] = 'none'
  const profiles: RigProfile[] = [{ id: 'x.a', api, model: 'm1' }, ...(spare ? [{ id: 'y.b', api: 'openai-chat', model: 'm2' } as const] : [])]
  const rig = await startRig({
    profiles,
    script: { 'x.a/m1': { stream: [{ fault, answer: { events: EVENTS } }] }, 'y.b/m2': { call: [{ ok: SPARE }] } },
    gateway: {
      onOver: ({ outcome }) => {
        kind = outcome?.kind ?? 'none'
      },
    },
    timeouts: { idleMs: 150 },
  })
  try {
    const { text, raised } = await client.ask(rig.gateway.address)
    return { kind, text, raised: raised !== null }
  } finally {
    await rig.close()
  }
}

/** What must hold of every cell. */
export function expectHonest({ kind, text, raised }: Cell): void {
  const isWhole = text === WHOLE || text === SPARE
  expect(raised || isWhole, `shown ${JSON.stringify(text)} without an error`).toBe(true)
  expect(raised, `the turn ended ${kind} and the client was shown ${JSON.stringify(text)}`).toBe(kind !== 'ok')
}
