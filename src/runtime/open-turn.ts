import type { Checked } from '../config/check.ts'
import { switchedConfig } from '../config/switched-config.ts'
import { blankSwitch, invalidCall, unknownSwitch } from '../config/turn-diagnostics.ts'
import type { AttemptRecord, Outcome } from '../model/outcome.ts'
import type { Identity } from '../model/plan.ts'
import type { Settings } from '../model/settings.ts'
import { type Bill, type Usage, usdOf } from '../model/usage.ts'
import type { Aim } from '../plan/aim.ts'
import { planAim, switchedAim } from '../plan/plan.ts'
import { sumCosts, sumUsage } from '../policy/cost.ts'
import type { AttemptBook } from './attempt-book.ts'
import { ConfigError, RelevoError } from './errors.ts'
import { type CheckedRequest, checkRequest, type TurnRequest } from './request.ts'
import type { Turn } from './turn-handle.ts'
import type { Turns } from './turns.ts'

/** What is asked of one call of an open turn: the turn has a name, and decided about the model. */
export type CallRequest = Omit<TurnRequest, 'id' | 'model' | 'targets' | 'scope' | 'caller'>

/**
 * One turn of several model calls, such as an agent's loop: one decision about effort and who may be called, one name in the ledger, one
 * attribution (R37, R39, R33).
 */
export interface OpenTurn {
  readonly id: string
  /** The next call. Throws ConfigError while one is in flight, and RelevoError `turn_closed` after `close`. */
  call(request: CallRequest): Turn
  /**
   * Serves the next calls by this model of this profile, with the fallbacks of that profile (R41). A choice of the operator, and whether the
   * routing is automatic, stay as they are. Throws ConfigError, and changes nothing, when the profile is not configured, cannot be called or
   * may not be, or the model is blank.
   */
  switchModel(profile: string, model: string): void
  /** Who served the last accepted call; null before one. */
  readonly served: Identity | null
  /** The recovery record of the last accepted call; null when what was asked for served it (R33). */
  readonly attribution: Outcome['attribution']
  /** Of all calls that have ended. */
  readonly attempts: readonly AttemptRecord[]
  readonly usage: Usage | null
  /** USD, the sum of the rows of all calls that have ended (R34). */
  readonly cost: number | null
  /** No call follows; one in flight is cancelled. */
  close(): void
}

export interface OpenTurnParts {
  readonly id: string
  readonly turns: Turns
  /** The settings as they were when the turn was opened, checked and as written: a reload is taken from the next turn on (R12). */
  readonly settings: Settings
  readonly written: unknown
  readonly aim: Aim
  readonly check: (config: unknown) => Checked
  readonly signal: AbortSignal | undefined
  readonly caller: string | undefined
}

export class OpenTurnHandle implements OpenTurn {
  readonly id: string
  readonly attempts: AttemptRecord[] = []
  served: Identity | null = null
  attribution: Outcome['attribution'] = null
  readonly #parts: OpenTurnParts
  readonly #bills: Bill[] = []
  /** The decision, and the settings that it was made under; a switch replaces both. */
  #active: { readonly settings: Settings; readonly aim: Aim }
  #inFlight: Turn | null = null
  #spentPicoUsd = 0
  #closed = false

  constructor(parts: OpenTurnParts) {
    this.id = parts.id
    this.#parts = parts
    this.#active = { settings: parts.settings, aim: parts.aim }
    parts.turns.keep(parts.id)
  }

  get usage(): Usage | null {
    return sumUsage(this.#bills)
  }

  get cost(): number | null {
    return usdOf(sumCosts(this.#bills))
  }

  call(asked: CallRequest): Turn {
    this.#refuseClosed()
    const { turns, signal, caller } = this.#parts
    const request = { ...withSignal(checkRequest(withoutDecision(asked)), signal), caller }
    const turn = turns.call(this.id, request, () => {
      const { settings, aim } = this.#active
      return {
        settings,
        before: { attempts: this.attempts.length, picoUsd: this.#spentPicoUsd },
        plan: (needs) => planAim(settings, aim, needs),
      }
    })
    this.#inFlight = turn
    turn.onEnd = (outcome, book) => this.#take(outcome, book)
    return turn
  }

  switchModel(profile: string, model: string): void {
    this.#refuseClosed()
    const { settings, written, check } = this.#parts
    if (typeof profile !== 'string' || !settings.profiles.has(profile)) {
      throw new ConfigError([unknownSwitch(String(profile), [...settings.profiles.keys()])])
    }
    if (typeof model !== 'string' || model.trim() === '') throw new ConfigError([blankSwitch()])
    const checked = check(switchedConfig(written as object, profile, model))
    if (checked.settings === null) throw new ConfigError(checked.errors)
    const aim = switchedAim(checked.settings, this.#active.aim)
    if ('error' in aim) throw new ConfigError([aim.error])
    this.#active = { settings: checked.settings, aim }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#inFlight?.cancel()
    this.#parts.turns.letGo(this.id)
  }

  /** A call that brought no answer leaves the record of the last one that did. */
  #take(outcome: Outcome, book: AttemptBook | null): void {
    this.#inFlight = null
    this.attempts.push(...outcome.attempts)
    if (book !== null) {
      this.#bills.push(...book.bills)
      this.#spentPicoUsd = book.spentPicoUsd
    }
    if (outcome.served === null) return
    this.served = outcome.served
    this.attribution = outcome.attribution
  }

  #refuseClosed(): void {
    if (this.#closed) throw new RelevoError('turn_closed', `The turn ${this.id} was closed; open another one with kernel.openTurn.`)
  }
}

/** A call is cancelled by its own signal and by that of its turn. */
function withSignal(request: CheckedRequest, ofTurn: AbortSignal | undefined): CheckedRequest {
  if (ofTurn === undefined) return request
  return { ...request, signal: request.signal === undefined ? ofTurn : AbortSignal.any([request.signal, ofTurn]) }
}

/** The request of a call; one that decides what the turn has decided was meant otherwise. */
function withoutDecision(asked: CallRequest): CallRequest {
  const decided = (['id', 'model', 'targets', 'scope', 'caller'] as const).filter((field) => (asked as TurnRequest)[field] !== undefined)
  if (decided.length > 0) throw new ConfigError(decided.map(invalidCall))
  return asked
}
