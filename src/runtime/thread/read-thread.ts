import type { Post } from '../../model/post.ts'
import { isBlank, type ReadBytes, rawLines } from '../json-lines.ts'
import { MAX_LINE_BYTES, postOf } from './thread-line.ts'

/**
 * Reads a thread, whatever bytes it has.
 *
 * 1. A line that ends is never lost: it is a post, or it is told and left where it stands.
 * 2. A last line that does not end is a post when it reads as one, since only its end is missing; else it is torn.
 * 3. An id that does not grow, or is none, is replaced by the next one, in memory and each time alike: a post is worth more than its number.
 * 4. It takes the time of the length of the file, and the memory of its longest line.
 */

/** What a line of a file came to. Offsets are in bytes, lines count from 1. */
export type ThreadLine =
  | { readonly kind: 'post'; readonly line: number; readonly post: Post; readonly isEnded: boolean; readonly isRenumbered: boolean }
  | { readonly kind: 'broken'; readonly line: number; readonly problem: string }
  | { readonly kind: 'torn'; readonly line: number; readonly from: number }

export function* readThread(read: ReadBytes): Generator<ThreadLine> {
  let lastId = 0
  for (const { bytes, line, from, isEnded } of rawLines(read, MAX_LINE_BYTES)) {
    const written = bytes === null ? { problem: `it has more than ${MAX_LINE_BYTES} bytes` } : isBlank(bytes) ? null : postOf(bytes)
    if (written !== null && 'text' in written) {
      const { id, ...post } = written
      lastId = isNext(id, lastId) ? id : lastId + 1
      yield { kind: 'post', line, post: { id: lastId, ...post }, isEnded, isRenumbered: id !== lastId }
    } else if (!isEnded) yield { kind: 'torn', line, from }
    else if (written !== null) yield { kind: 'broken', line, problem: written.problem }
  }
}

/** Ids behind it are still whole numbers. */
const LAST_ID = 2 ** 52

function isNext(id: unknown, lastId: number): id is number {
  return Number.isSafeInteger(id) && (id as number) > lastId && (id as number) <= LAST_ID
}
