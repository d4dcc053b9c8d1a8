import { z } from 'zod'
import { type NewPost, type Post, postSchema } from '../../model/post.ts'
import { shapeProblem } from '../json-lines.ts'

/**
 * A post as one line of a file.
 *
 * 1. What is written is read back as the same post, whatever its text.
 * 2. Who wrote it must be said: a line that names nobody would otherwise speak for the person.
 * 3. Fields that are not ours are passed over, so that a later version can add some.
 */
const lineSchema = z.object({
  id: z.unknown(),
  at: z.iso.datetime({ offset: true }),
  participant: postSchema.shape.participant,
  engine: postSchema.shape.engine.default(null),
  text: postSchema.shape.text,
  notice: postSchema.shape.notice,
})

/** Past this a line is no post of ours, and is not brought into memory. */
export const MAX_LINE_BYTES = 64 * 2 ** 20

export function lineOf({ id, at, participant, engine, text, notice }: Post): Buffer {
  // A notice that there is none of is left out by JSON.
  return Buffer.from(`${JSON.stringify({ id, at: new Date(at).toISOString(), participant, engine, text, notice })}\n`)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The post of a line, with whatever stands as its id, or why it is none. */
export function postOf(line: Uint8Array): (NewPost & { readonly id: unknown }) | { readonly problem: string } {
  const problem = shapeProblem(line)
  if (problem !== null) return { problem }
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(line))
  } catch {
    return { problem: 'it is no JSON' }
  }
  const read = lineSchema.safeParse(value)
  if (!read.success) return { problem: `it has no \`${String(read.error.issues[0]?.path[0])}\` that can be read` }
  return { ...read.data, id: read.data.id, at: Date.parse(read.data.at) }
}
