import { z } from 'zod'
import { type CostBasis, type LedgerRow, UNKNOWN_BILL, usageSchema, usdOf } from '../model/usage.ts'
import { shapeProblem } from './json-lines.ts'

/**
 * An attempt as a line of a file; docs/operating.md describes the format.
 *
 * 1. A line says all that is known of its attempt: one that ended needs no line of its beginning to be read.
 * 2. Costs are whole pico-USD, so that a sum is exact; an unknown one is null and never 0 (R34).
 * 3. What is written is read back as the same row; fields that are not ours are passed over, so that a later version can add some.
 */
export type LedgerEvent = 'attempt.started' | 'attempt.ended'

/** A row as it stands in a file. */
export interface LedgerEntry {
  readonly event: LedgerEvent
  /** Names the attempt among all of all processes; the turn is named by its caller, who may use a name again. */
  readonly attempt: string
  readonly row: LedgerRow
  /** Null: unknown. */
  readonly costPicoUsd: bigint | null
}

const VERSION = 1
/** Past this a line is no attempt of ours, and is not brought into memory. */
export const MAX_LEDGER_LINE_BYTES = 2 ** 20

/** The line of a row that can be kept (kept-row.ts). */
export function ledgerLine(event: LedgerEvent, attempt: string, row: LedgerRow): Buffer {
  const { turn, n, iteration, participant = null, caller = null, requested, profile, model, mode, startedAt, endedAt, outcome, accepted } = row
  const { usage, costPicoUsd, costBasis, price, reportedPicoUsd } = row
  const known = { v: VERSION, event, attempt, turn, n, iteration, participant, caller, requested, profile, model, mode }
  const started = { ...known, startedAt: iso(startedAt), costBasis, price }
  const ended = { endedAt: endedAt === null ? null : iso(endedAt), outcome, accepted, usage, costPicoUsd, reportedPicoUsd }
  return Buffer.from(`${JSON.stringify(event === 'attempt.started' ? started : { ...started, ...ended })}\n`)
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

const count = z.number().int().nonnegative()
const money = z.number().refine(Number.isInteger).nullable()
const identity = z.object({ profile: z.string(), model: z.string() })
const instant = z.iso.datetime().transform((text) => Date.parse(text))
const startedShape = z.object({
  attempt: z.string().min(1),
  turn: z.string(),
  n: count,
  iteration: count.nullable().default(null),
  participant: z.string().nullable().default(null),
  caller: z.string().nullable().default(null),
  requested: identity,
  profile: z.string(),
  model: z.string(),
  mode: z.enum(['stream', 'call']),
  startedAt: instant,
  // Lines of the first form had none of these two, and a price where they had a cost; a later version may know more words.
  costBasis: z.string().min(1).optional(),
  price: z.object({ source: z.string(), version: z.string().nullable(), model: z.string() }).nullable().default(null),
})
const lineSchema = z.discriminatedUnion('event', [
  startedShape.extend({ event: z.literal('attempt.started') }),
  startedShape.extend({
    event: z.literal('attempt.ended'),
    endedAt: instant,
    // A later version may know more of them.
    outcome: z.string().min(1),
    accepted: z.boolean(),
    usage: z.object(usageSchema.shape).nullable(),
    costPicoUsd: money,
    reportedPicoUsd: money.default(null),
  }),
])

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The attempt of a line, or why it is none. */
export function ledgerEntryOf(line: Uint8Array): LedgerEntry | { readonly problem: string } {
  const problem = shapeProblem(line)
  if (problem !== null) return { problem }
  let value: { readonly v?: unknown }
  try {
    value = JSON.parse(decoder.decode(line))
  } catch {
    return { problem: 'it is no JSON' }
  }
  if (value.v !== VERSION) return { problem: `its version \`v\` is not ${VERSION}` }
  const read = lineSchema.safeParse(value)
  if (!read.success) return { problem: `it has no \`${read.error.issues[0]?.path.join('.')}\` that can be read` }
  return entryOf(read.data)
}

function entryOf(data: z.infer<typeof lineSchema>): LedgerEntry {
  const { event, attempt, turn, n, iteration, participant, caller, requested, profile, model, mode, startedAt, price } = data
  const whose = { ...(participant === null ? {} : { participant }), ...(caller === null ? {} : { caller }) }
  const known = { turn, n, iteration, ...whose, requested, profile, model, mode, startedAt }
  if (data.event === 'attempt.started') {
    const bill = { ...UNKNOWN_BILL, costBasis: basisOf(data.costBasis, null), price }
    return { event, attempt, row: { ...known, endedAt: null, outcome: null, accepted: false, ...bill }, costPicoUsd: null }
  }
  const { endedAt, accepted, usage, costPicoUsd, reportedPicoUsd } = data
  const bill = { usage, costPicoUsd, cost: usdOf(costPicoUsd), costBasis: basisOf(data.costBasis, costPicoUsd), price, reportedPicoUsd }
  const row: LedgerRow = { ...known, endedAt, outcome: data.outcome as LedgerRow['outcome'], accepted, ...bill }
  return { event, attempt, row, costPicoUsd: costPicoUsd === null ? null : BigInt(costPicoUsd) }
}

function basisOf(told: string | undefined, costPicoUsd: number | null): CostBasis {
  return told === undefined ? (costPicoUsd === null ? 'unknown' : 'metered') : (told as CostBasis)
}
