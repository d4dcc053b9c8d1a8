import { z } from 'zod'
import type { FailureKind } from './failure.ts'

/** Tokens of one attempt. A count that the provider did not tell is absent, which is not zero (R34). */
export const usageSchema = z.strictObject({
  input: z.number().int().nonnegative().optional().describe('Input tokens, cached and cache-written ones included'),
  output: z.number().int().nonnegative().optional().describe('Output tokens, reasoning included'),
  cachedInput: z.number().int().nonnegative().optional().describe('The part of `input` read from a cache'),
})
export type Usage = z.infer<typeof usageSchema>

/** Of the counts that were told: undefined is one that was not. */
export function usageFrom(input: number | undefined, output: number | undefined, cachedInput: number | undefined): Usage {
  const usage: Usage = {}
  if (input !== undefined) usage.input = input
  if (output !== undefined) usage.output = output
  if (cachedInput !== undefined) usage.cachedInput = cachedInput
  return usage
}

/** USD per million tokens. Without `cachedInput` cached tokens cost the input rate. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number | undefined
}

/**
 * How the provider bills an attempt (R34). `metered`: by its tokens, at a price that is known · `unknown`: by its tokens, at a price nobody
 * told · `subscription`: a coding-agent CLI on its plan, which owes nothing for a single call.
 */
export const COST_BASES = ['metered', 'subscription', 'unknown'] as const
export type CostBasis = (typeof COST_BASES)[number]

/** Whose price an attempt was reckoned at: the settings', or that of a price book, with the version of its data and the name it knows the model by. */
export interface PriceSource {
  readonly source: string
  readonly version: string | null
  readonly model: string
}

/** What one attempt is to be paid for. Money is whole pico-USD, so that sums are exact. */
export interface Bill {
  readonly usage: Usage | null
  /** Null when the price or a count is unknown, and for a subscription: never 0 for that. */
  readonly costPicoUsd: number | null
  /** The same in USD, for people. */
  readonly cost: number | null
  readonly costBasis: CostBasis
  /** Null without a price. */
  readonly price: PriceSource | null
  /** What a CLI itself says that its run would have cost; in no sum. */
  readonly reportedPicoUsd: number | null
}

/** Of an attempt of which nothing is known. */
export const UNKNOWN_BILL: Bill = { usage: null, costPicoUsd: null, cost: null, costBasis: 'unknown', price: null, reportedPicoUsd: null }

/** Whole pico-USD in one USD. */
export const PICO_PER_USD = 1e12

/** Pico-USD in USD, for people and traces. */
export function usdOf(pico: number | null): number | null {
  return pico === null ? null : pico / PICO_PER_USD
}

/** How one attempt ended, as the ledger and a trace say it. */
export type AttemptResult = 'ok' | 'incomplete' | 'cancelled' | FailureKind

/**
 * One physical attempt (R34). Appended when it starts, closed once; `endedAt` null while it runs. Its bill is that of its end: until
 * then only how it is billed is known.
 */
export interface LedgerRow extends Bill {
  readonly turn: string
  /** Number of the attempt in its turn, from 1. */
  readonly n: number
  /** Which of the models that the provider itself tried inside this attempt, from 1; null where it tried one, as nearly always. */
  readonly iteration: number | null
  /** Who of a team the turn is for; absent outside a team. */
  readonly participant?: string | undefined
  /** Whose request the turn was, as its host named it; absent where nobody was named. */
  readonly caller?: string | undefined
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
}
