import type { Profile } from './settings.ts'
import type { Usage } from './usage.ts'

/** What is to be priced. */
export interface PriceAsk {
  readonly profile: Pick<Profile, 'id' | 'family' | 'api' | 'endpoint'>
  /** The model that was sent, or that the provider says answered. */
  readonly model: string
  /** Null asks only whether there is a price. */
  readonly usage: Usage | null
  /** When the attempt started (epoch ms): prices change. */
  readonly at: number
}

export interface PriceQuote {
  /** Whole pico-USD; null without usage, or when it lacks a count that the price needs. */
  readonly costPicoUsd: number | null
  /** The name under which the book knows the model. */
  readonly model: string
}

/** Prices of models that the settings do not give (R34). One that throws, or says nonsense, knows no price. */
export interface PriceBook {
  /** Such as `genai-prices`; stands on every row that it priced. */
  readonly source: string
  /** Of its data; null when it has none. */
  readonly version: string | null
  /** Null when it does not know the model. */
  quote(ask: PriceAsk): PriceQuote | null
}
