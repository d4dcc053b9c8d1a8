import type { Diagnostic } from '../../model/plan.ts'
import type { NewPost, Post } from '../../model/post.ts'
import { readThread } from './read-thread.ts'
import { closed, HeldPosts, numbered, type Thread } from './thread.ts'
import { openDisk, type ThreadDisk, writeWhole } from './thread-disk.ts'
import { asThreadError, ThreadError } from './thread-error.ts'
import { lineOf, MAX_LINE_BYTES } from './thread-line.ts'
import { brokenLine, moreBroken, renumbered, tornLine } from './thread-repairs.ts'

/**
 * The thread of a team in a file, `thread.jsonl`: one post a line, only ever appended to.
 *
 * 1. `append` returns when the system has taken the whole line: a process that is killed then loses nothing. With `fsync` a loss of power
 *    does not either, at some hundred posts a second instead of some hundred thousand.
 * 2. A line that could only be written in part is cut off again before anything else is written; until that has come off no post is taken.
 * 3. A last line that was torn goes to `<path>.torn` before it is cut off. Nothing else in the file is ever changed.
 * 4. A file that somebody changed, or put in the place of this one, takes no more posts: they would stand where nobody looks.
 * 5. One process writes a thread; the lock of the run sees to that.
 */
export interface OpenedThread {
  readonly thread: Thread
  /** What was repaired or could not be read; the rest is there. */
  readonly findings: readonly Diagnostic[]
}

export interface ThreadOptions {
  readonly fsync?: boolean
  /** How many posts are held in memory; 10 000 when left out. */
  readonly held?: number
}

/** Throws a ThreadError. */
export function openThread(path: string, options: ThreadOptions = {}): OpenedThread {
  return threadOn(openDisk(path, options.fsync === true), path, options)
}

/** More than these broken lines are counted. */
const TOLD = 20

/** A thread on a file that is open. */
export function threadOn(disk: ThreadDisk, path: string, { fsync = false, held }: ThreadOptions = {}): OpenedThread {
  try {
    const posts = new HeldPosts(held)
    const findings: Diagnostic[] = []
    let broken = 0
    let isEnded = true
    for (const found of readThread((into, from) => disk.read(into, from))) {
      if (found.kind === 'torn') {
        findings.push(tornLine(path, found.line, disk, found.from, fsync))
        continue
      }
      if (found.kind === 'post') {
        posts.add(found.post)
        isEnded = found.isEnded
      }
      const finding = found.kind === 'broken' ? brokenLine(path, found) : found.isRenumbered ? renumbered(path, found) : null
      if (finding !== null && ++broken <= TOLD) findings.push(finding)
    }
    if (broken > TOLD) findings.push(moreBroken(path, broken - TOLD))
    const file = new FileThread(disk, path, posts, fsync)
    if (!isEnded) file.endLine()
    return { thread: file, findings }
  } catch (error) {
    disk.close()
    throw asThreadError(path, error)
  }
}

class FileThread implements Thread {
  readonly #disk: ThreadDisk
  readonly #path: string
  readonly #posts: HeldPosts
  readonly #fsync: boolean
  /** Bytes of whole lines. */
  #length: number
  /** Behind them there may be a part of one. */
  #isTorn = false
  #isClosed = false

  constructor(disk: ThreadDisk, path: string, posts: HeldPosts, fsync: boolean) {
    this.#disk = disk
    this.#path = path
    this.#posts = posts
    this.#fsync = fsync
    const length = disk.length()
    if (length === null) throw this.#changed()
    this.#length = length
  }

  get count(): number {
    return this.#posts.count
  }

  posts(): readonly Post[] {
    return this.#posts.list()
  }

  append(post: NewPost): Post {
    if (this.#isClosed) throw closed(this.#path)
    const whole = numbered(post, this.#posts.lastId + 1, this.#path)
    const line = lineOf(whole)
    if (line.length > MAX_LINE_BYTES) {
      throw new ThreadError('invalid_post', this.#path, `the post has more than ${MAX_LINE_BYTES} bytes`, 'Post less, and name a file for the rest.')
    }
    this.#write(line)
    this.#posts.add(whole)
    return whole
  }

  /** Writes the end that the last line lacks. */
  endLine(): void {
    this.#write(Buffer.from('\n'))
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#disk.close()
  }

  #write(line: Buffer): void {
    this.#prepare()
    try {
      writeWhole(this.#disk, line)
      if (this.#fsync) this.#disk.sync()
    } catch (error) {
      this.#cutOff()
      throw asThreadError(this.#path, error)
    }
    this.#length += line.length
    this.#isTorn = false
  }

  /** The file as it was left, or an error. */
  #prepare(): void {
    try {
      const length = this.#disk.length()
      const isOurs = length !== null && (length === this.#length || (this.#isTorn && length > this.#length))
      if (!isOurs) throw this.#changed()
      if (length > this.#length) this.#disk.cut(this.#length)
    } catch (error) {
      throw asThreadError(this.#path, error)
    }
    this.#isTorn = true
  }

  #cutOff(): void {
    try {
      this.#disk.cut(this.#length)
      this.#isTorn = false
    } catch {
      // The error that is thrown says what is wrong with the disk; the next post tries again.
    }
  }

  #changed(): ThreadError {
    const remedy = 'Stop the run, see to it that the file is the one that is meant, and start again.'
    return new ThreadError('thread_changed', this.#path, 'the thread was changed or replaced by another program', remedy)
  }
}
