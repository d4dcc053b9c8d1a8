import { type NewPost, type Post, postSchema } from '../../model/post.ts'
import { ThreadError } from './thread-error.ts'

/**
 * What a team has said, post by post. A host may bring its own: this is the port.
 *
 * 1. Ids are unique and grow; the thread gives them.
 * 2. When `append` has returned, the post is in the thread, and whoever looks next sees it.
 * 3. What cannot be taken is thrown before anything is changed.
 */
export interface Thread {
  append(post: NewPost): Post
  /** From the oldest that is held in memory to the newest. */
  posts(): readonly Post[]
  /** How many there are, those included that are no longer held. */
  readonly count: number
  close(): void
}

/** Posts held in memory, so that a run of months does not grow. */
const HELD = 10_000

/** The newest posts of a thread, and how many there were. */
export class HeldPosts {
  readonly #limit: number
  readonly #posts: Post[] = []
  #count = 0
  #lastId = 0

  constructor(limit = HELD) {
    this.#limit = limit
  }

  get count(): number {
    return this.#count
  }

  /** 0 before the first. */
  get lastId(): number {
    return this.#lastId
  }

  add(post: Post): void {
    this.#posts.push(post)
    this.#count++
    this.#lastId = post.id
    if (this.#posts.length > this.#limit) this.#posts.shift()
  }

  list(): readonly Post[] {
    return [...this.#posts]
  }
}

/** The post as it will stand, or a ThreadError that names the field at fault. `path`: where it was to go. */
export function numbered(post: NewPost, id: number, path: string): Post {
  const read = postSchema.safeParse({ ...post, id })
  if (read.success) return read.data
  const field = String(read.error.issues[0]?.path[0] ?? 'post')
  throw new ThreadError('invalid_post', path, `the post has a \`${field}\` that no thread can hold`, 'This is a fault of the program that gave it.')
}

/** A thread that lasts as long as its process; `held` of its posts are kept (10 000 by default). */
export function memoryThread(held?: number): Thread {
  const posts = new HeldPosts(held)
  let isClosed = false
  return {
    append(post) {
      if (isClosed) throw closed('memory')
      const whole = numbered(post, posts.lastId + 1, 'memory')
      posts.add(whole)
      return whole
    },
    posts: () => posts.list(),
    get count() {
      return posts.count
    },
    close() {
      isClosed = true
    },
  }
}

export function closed(path: string): ThreadError {
  return new ThreadError('thread_closed', path, 'the thread was closed', 'Open it again before anything is posted.')
}
