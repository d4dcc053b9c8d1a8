import type { Failure } from '../../model/failure.ts'
import { type Board, withHold } from '../../model/hold.ts'
import type { Message } from '../../model/message.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { KernelCore } from '../core.ts'
import type { Spending } from '../spending.ts'
import { TurnHandle } from '../turn-handle.ts'
import { NOTHING_BEFORE, type TurnWork } from '../turn-work.ts'
import type { EntryCall } from './team-engines.ts'

/** What the calls of a team need of their kernel. */
export interface TeamHost {
  readonly core: KernelCore
  /** Starts the turn now. */
  launch(core: KernelCore, work: TurnWork, handle: TurnHandle): void
}

export interface TeamAsked {
  /** Name of the turn in the ledger. */
  readonly turn: string
  readonly participant: string
  readonly messages: readonly Message[]
  /** Of the team. */
  readonly spending: Spending
}

export interface CallEnd {
  readonly outcome: Outcome
  /** With the words of the provider; null when nothing failed. */
  readonly last: Failure | null
}

export interface RunningTeamCall {
  readonly ended: Promise<CallEnd>
  cancel(): void
}

/**
 * One call of one entry as a turn of the kernel: deadlines, ledger, log and charts are those of any turn.
 *
 * 1. Whether the entry may be called was decided by the register of the team (T6, T7, G13): a hold of the kernel on a single entry has no say
 *    in it, except one that this call has brought itself. Among the credentials of a pool all have, since they are one entry to the team (R11).
 * 2. A hold that the call brings is the kernel's too: its other turns go around the engine.
 * 3. Nothing is streamed: nobody reads along, so every recovery stays open and a post is whole or is none.
 */
export function startCall(host: TeamHost, { plan, settings }: EntryCall, asked: TeamAsked): RunningTeamCall {
  const { core } = host
  const single = plan.entries.length === 1
  const ledger = core.ledger
  let brought: Board = new Map()
  const teamCore: KernelCore = {
    clock: core.clock,
    random: core.random,
    log: core.log.of({ participant: asked.participant }),
    pricing: core.pricing,
    spending: asked.spending,
    settings,
    ledger: {
      append: (row) => ledger.append({ ...row, participant: asked.participant }),
      close: (turn, n, close) => ledger.close(turn, n, close),
      rows: () => ledger.rows(),
    },
    facts: () => (single ? { now: core.clock.now(), board: brought } : core.facts()),
    engineOf: (profile) => core.engineOf(profile),
    spawnTurn: (input) => core.spawnTurn(input),
    made: (actor) => core.made(actor),
    reportHold: (hold) => {
      brought = withHold(brought, hold)
      core.reportHold(hold)
    },
    waitingStarted: (run) => core.waitingStarted(run),
    waitingEnded: (run) => core.waitingEnded(run),
    turnEnded: (run) => core.turnEnded(run),
  }
  const handle = new TurnHandle(asked.turn, {}, (error) => core.log.listenerThrew(error))
  const work: TurnWork = {
    plan,
    messages: asked.messages,
    shortened: null,
    tools: [],
    options: {},
    needs: { streaming: false, tools: false, vision: false },
    eventSink: false,
    draftSink: false,
    reliability: settings.reliability,
    budgets: settings.budgets,
    endMarkers: settings.endMarkers,
    before: NOTHING_BEFORE,
    warnings: [],
  }
  const ended = handle.outcome.then((outcome) => ({ outcome, last: isFailure(handle.cause) ? handle.cause : null }))
  host.launch(teamCore, work, handle)
  return { ended, cancel: () => handle.cancel() }
}

function isFailure(cause: unknown): cause is Failure {
  return typeof cause === 'object' && cause !== null && 'phase' in cause && 'kind' in cause
}
