import { z } from 'zod'

const id = z.string().min(1)
const count = z.number().int().nonnegative()
const given = z.object({ id, position: count })

/**
 * Where a run of a team stands, as a process leaves it to the next one. What is known of limits and outages is not in it: the next process
 * learns it anew (T7).
 */
export const teamStandingSchema = z.object({
  /** Where the order stands. */
  position: count,
  /** Turns begun and ended. */
  begun: count,
  ended: count,
  iterations: count,
  /** Charged to the runtime, ms. */
  chargedMs: z.number().nonnegative(),
  /** Why it is paused; null when it is not. */
  paused: z.enum(['pause', 'gave_up', 'silent', 'done']).nullable(),
  /** Participants whose question to the person is pending, and those whose question was approved. */
  gates: z.array(id),
  approved: z.array(id),
  asked: z.object({ byPerson: id.nullable(), byPost: id.nullable() }),
  done: z.array(id),
  repeated: given.nullable(),
  /** Newest post of the thread when this was written down; what the person said after it is not in this. */
  heard: count,
  /** The call in flight, and the newest post when it began; null when none is. */
  run: z
    .object({
      n: count,
      participant: id,
      engine: id,
      startedBy: z.enum(['pick', 'handoff', 'gate', 'retry']),
      position: count,
      lastPost: count,
      /** Its post was cut at its length, and no play is read from it. */
      isCut: z.boolean(),
    })
    .nullable(),
})
export type TeamStanding = Readonly<z.infer<typeof teamStandingSchema>>
