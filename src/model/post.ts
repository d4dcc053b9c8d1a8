import { z } from 'zod'

/** The years that are written with four digits. */
const FIRST_INSTANT = -62_167_219_200_000
const LAST_INSTANT = 253_402_300_799_999

/** One post as a thread holds it. What else a line of a thread has is somebody else's, and is left where it stands. */
export const postSchema = z.object({
  /** Unique in its thread, and greater than every id before it. */
  id: z.number().int().positive(),
  /** Instant, epoch ms. */
  at: z.number().int().min(FIRST_INSTANT).max(LAST_INSTANT),
  /** Null: the person. */
  participant: z.string().nullable(),
  /** The engine that wrote it, `provider` or `provider:model`; null for the person. */
  engine: z.string().nullable(),
  text: z.string(),
  /** What a person is told beside it when another engine than the participant's first wrote it (R35): no part of the text, and in no prompt. */
  notice: z.string().optional(),
})
export type Post = Readonly<z.infer<typeof postSchema>>

/** A post that has no id yet: the thread gives it. */
export type NewPost = Omit<Post, 'id'>
