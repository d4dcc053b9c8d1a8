import type { Post } from '../../model/post.ts'
import { isBlank, MAX_LINE_BYTES, postOf } from './thread-line.ts'

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

/** Fills the buffer from a place of the file on; how many bytes there were, 0 at its end. */
export type ReadBytes = (into: Uint8Array, from: number) => number

export function* readThread(read: ReadBytes): Generator<ThreadLine> {
  let lastId = 0
  for (const { bytes, line, from, isEnded } of rawLines(read)) {
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

interface RawLine {
  /** Null when it is longer than any line of ours. */
  readonly bytes: Buffer | null
  readonly line: number
  readonly from: number
  readonly isEnded: boolean
}

const CHUNK_BYTES = 64 * 1024
const LINE_FEED = 0x0a
const MARK = Buffer.from('\ufeff')

function* rawLines(read: ReadBytes): Generator<RawLine> {
  const line = new GrowingLine()
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let at = 0
  for (let length = read(chunk, at); length > 0; length = read(chunk, at)) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0 && end < length; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end))
      yield line.take(true)
      from = end + 1
    }
    line.add(chunk.subarray(from, length))
    at += length
  }
  if (line.length > 0) yield line.take(false)
}

/** The line that is being read, in pieces: putting them together once keeps a long one linear. */
class GrowingLine {
  length = 0
  #number = 1
  #from = 0
  #pieces: Buffer[] = []

  add(piece: Buffer): void {
    this.length += piece.length
    // A piece is a view of a chunk that is filled again.
    if (this.length <= MAX_LINE_BYTES) this.#pieces.push(Buffer.from(piece))
    else this.#pieces = []
  }

  take(isEnded: boolean): RawLine {
    const bytes = this.length > MAX_LINE_BYTES ? null : withoutMark(Buffer.concat(this.#pieces), this.#from)
    const line = { bytes, line: this.#number, from: this.#from, isEnded }
    this.#from += this.length + 1
    this.#number++
    this.length = 0
    this.#pieces = []
    return line
  }
}

/** The byte order mark that an editor may have put in front of the file. */
function withoutMark(bytes: Buffer, from: number): Buffer {
  return from === 0 && bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes
}
