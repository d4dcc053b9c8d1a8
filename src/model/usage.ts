import { z } from 'zod'
import type { FailureKind } from './failure.ts'

/** Tokens of one attempt. A count that the provider did not tell is absent, which is not zero (R34). */
export const usageSchema = z.strictObject({
  input: z.number().int().nonnegative().optional().describe('Input tokens, cached and cache-written ones included'),
  output: z.number().int().nonnegative().optional().describe('Output tokens, reasoning included'),
  cachedInput: z.number().int().nonnegative().optional().describe('The part of `input` read from a cache'),
})
export type Usage = z.infer<typeof usageSchema>

/** USD per million tokens. Without `cachedInput` cached tokens cost the input rate. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number | undefined
}

/** How one attempt ended, as the ledger and a trace say it. */
export type AttemptResult = 'ok' | 'incomplete' | 'cancelled' | FailureKind

/** One physical attempt (R34). Appended when it starts, closed once; `endedAt` null while it runs. */
export interface LedgerRow {
  readonly turn: string
  /** Number of the attempt in its turn, from 1. */
  readonly n: number
  /** Who of a team the turn is for; absent outside a team. */
  readonly participant?: string | undefined
  /** What was asked for after routing (R33); it never merges with who was called. */
  readonly requested: { readonly profile: string; readonly model: string }
  /** Profile, with `#n` when it came from a pool of credentials. */
  readonly profile: string
  /** The model that was sent. */
  readonly model: string
  readonly mode: 'stream' | 'call'
  readonly startedAt: number
  readonly endedAt: number | null
  readonly outcome: AttemptResult | null
  readonly accepted: boolean
  readonly usage: Usage | null
  /** USD, or null when the price or a count is unknown. */
  readonly cost: number | null
}
