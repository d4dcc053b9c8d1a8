import type { CallOptions, PassThrough } from '../engines/contract.ts'
import type { Message, ToolDefinition } from '../model/message.ts'
import type { Diagnostic, Plan } from '../model/plan.ts'
import type { Budgets, Reliability, Settings } from '../model/settings.ts'
import type { Planned } from '../plan/plan.ts'
import type { Needs } from '../policy/walk.ts'

/** What a turn works on, fixed when it starts (R12). */
export interface TurnWork {
  readonly plan: Plan
  readonly messages: readonly Message[]
  /** The history without its older half, or null when there is nothing to drop (R20). */
  readonly shortened: readonly Message[] | null
  readonly tools: readonly ToolDefinition[]
  readonly options: CallOptions
  /** What the client wrote, where it may be sent and answered as it is. */
  readonly passThrough?: PassThrough | undefined
  readonly needs: Needs
  readonly eventSink: boolean
  readonly draftSink: boolean
  readonly reliability: Reliability
  readonly budgets: Budgets | null
  readonly endMarkers: readonly string[]
  /** What earlier calls of the same turn came to. */
  readonly before: { readonly attempts: number; readonly picoUsd: number }
  /** What this turn itself is warned about. */
  readonly warnings: readonly Diagnostic[]
}

/** A turn of one call. */
export const NOTHING_BEFORE: TurnWork['before'] = { attempts: 0, picoUsd: 0 }

/** How a call is planned when it starts: by itself, or as one of several of a turn. */
export interface CallPlan {
  readonly settings: Settings
  readonly before: TurnWork['before']
  plan(needs: { readonly tools: boolean; readonly vision: boolean }, prompt: string): Planned
}
