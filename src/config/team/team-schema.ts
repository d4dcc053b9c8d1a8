import { z } from 'zod'
import { modelName } from '../profile-schema.ts'

/**
 * What the operator writes of a team: `team` in the settings, and the front matter of a participant's file. A limit wait has no setting: it
 * has no cap (T17).
 */
/** Ten years: what is longer is a slip of the keyboard, and in ms it would leave the numbers that a clock can hold. */
const minutes = z.number().positive().max(5_256_000)
const MAX_SLICE_MS = 86_400_000

export const teamSchema = z.strictObject({
  maxIterations: z.number().int().positive().nullable().default(null).describe('Turns after which the run stops; a limit wait is none; null: no end'),
  maxRuntimeMin: minutes
    .nullable()
    .default(null)
    .describe('Runtime after which the run stops, in minutes; time slept until a reset is not charged; null: no end'),
  maxWaitMin: minutes
    .nullable()
    .default(null)
    .describe('Longest wait of a `wait` play, in minutes, also of one that doubled; null: as long as it says'),
  turnTimeoutMin: minutes.nullable().default(null).describe('Longest turn, in minutes, after which it has failed; null: what the profile says'),
  stallMin: minutes
    .nullable()
    .default(null)
    .describe('Longest silence of a turn, in minutes, after which it has failed; null: what the profile says, ten minutes for a program'),
  sleepSliceMs: z
    .number()
    .int()
    .positive()
    .max(MAX_SLICE_MS)
    .default(60_000)
    .describe('Length of one slice of a sleep, in ms; each writes the heartbeat, and a machine that was suspended wakes at most one slice late'),
  minHoldMs: z
    .number()
    .int()
    .nonnegative()
    .max(MAX_SLICE_MS)
    .default(0)
    .describe('A limit holds at least so long, in ms, whatever reset was stated: a brake on an engine that is limited again and again'),
  contextCharacters: z
    .number()
    .int()
    .min(1_000)
    .max(10_000_000)
    .default(60_000)
    .describe('How much of the thread a participant is handed, in characters; the newest post and what the person said come first'),
  order: z
    .union([z.enum(['rotation']), z.array(z.string()).min(1).readonly()])
    .default('rotation')
    .describe('Who is next when nobody was mentioned: every participant in turn, or a list of ids that is gone through again and again'),
})
export type TeamInput = z.infer<typeof teamSchema>

/** A key that is absent and one without a value say the same. */
export const frontMatterSchema = z.strictObject({
  provider: z.string().describe('A command line engine by its bare name, or the id of a configured profile'),
  model: modelName.nullable().default(null).describe('Model the participant is pinned to on its provider; nothing: the own choice of the provider'),
  failover: z
    .array(z.string().nullable())
    .nullable()
    .default([])
    .describe('Where its turn goes when the provider is limited or cannot be reached: `provider[:model]`, in order'),
})
