import { z } from 'zod'
import { type NewPost, type Post, postSchema } from '../../model/post.ts'

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
})

/** Past this a line is no post of ours, and is not brought into memory. */
export const MAX_LINE_BYTES = 64 * 2 ** 20

export function lineOf({ id, at, participant, engine, text }: Post): Buffer {
  return Buffer.from(`${JSON.stringify({ id, at: new Date(at).toISOString(), participant, engine, text })}\n`)
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

/** No later version nests deeper, and the parser's cost grows faster than a nest. */
const MAX_DEPTH = 16
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}')

/** What keeps a line from being an object of few levels. It costs little, where a parser that fails costs a hundred times as much. */
function shapeProblem(line: Uint8Array): string | null {
  const first = line.findIndex((byte) => !isSpace(byte))
  const last = line.findLastIndex((byte) => !isSpace(byte))
  if (line[first] !== OPEN_OBJECT || line[last] !== CLOSE_OBJECT) return 'it is no object'
  let depth = 0
  let isText = false
  for (let at = first; at <= last; at++) {
    const byte = line[at]
    if (byte === QUOTE) isText = !isText
    else if (isText && byte === BACKSLASH) at++
    else if (isText) continue
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
    if (depth > MAX_DEPTH) return 'it nests too deep'
  }
  return null
}

/** Nothing but white space. */
export function isBlank(line: Uint8Array): boolean {
  return line.every(isSpace)
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
