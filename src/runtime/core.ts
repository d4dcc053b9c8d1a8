import type { ActorRefFrom, AnyActorRef } from 'xstate'
import type { TurnInput } from '../../machines/turn.ts'
import type { Engine } from '../engines/contract.ts'
import type { Clock, RandomSource } from '../model/clock.ts'
import type { Hold } from '../model/hold.ts'
import type { Secret } from '../model/secret.ts'
import type { Profile, Settings } from '../model/settings.ts'
import type { Facts } from '../policy/turn-step.ts'
import type { Ledger } from './ledger.ts'
import type { Log } from './log.ts'
import type { Pricing } from './pricing.ts'
import type { Spending } from './spending.ts'
import type { wiredTurn } from './wire.ts'

/** A turn in flight, as its kernel holds it. */
export interface RunningTurn {
  readonly id: string
  cancel(): void
  /** A hold was lifted early: a turn that waits for one looks again. */
  lift(): void
}

/** What a running turn needs of its kernel. */
export interface KernelCore {
  readonly clock: Clock
  readonly random: RandomSource
  readonly ledger: Ledger
  readonly log: Log
  readonly pricing: Pricing
  readonly spending: Spending
  /** The live settings: a notice is read from them at delivery (R35). */
  readonly settings: Settings
  /** Time and holds as of now. */
  facts(): Facts
  engineOf(profile: Profile): Engine
  spawnTurn(input: TurnInput): ActorRefFrom<typeof wiredTurn>
  /** An actor was made, of whatever chart; before it starts. */
  made(actor: AnyActorRef): void
  /** `by`: the entry that brought it, by whose credential it is kept. */
  reportHold(hold: Hold, by?: { readonly secret: Secret | null }): void
  waitingStarted(run: RunningTurn): void
  waitingEnded(run: RunningTurn): void
  turnEnded(run: RunningTurn): void
}
