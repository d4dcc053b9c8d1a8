import type { Outcome } from '../../model/outcome.ts'
import { type NewPost, type Post, postSchema } from '../../model/post.ts'
import type { ThreadFact } from '../../model/team-event.ts'
import { endOfTurn } from '../../policy/team/plays.ts'
import type { Thread } from '../thread/thread.ts'
import { ThreadError } from '../thread/thread-error.ts'

/** An answer that is to be posted. */
export interface Answer {
  readonly text: string
  readonly engine: string
  /** False for one that was cut at its length limit. */
  readonly isWhole: boolean
  /** Who was asked for and who answered, where these differ (R33). */
  readonly attribution: Outcome['attribution']
}

export interface PostingPorts {
  readonly thread: Thread
  readonly now: () => number
  /** What is told of a fallback, by the settings as they are when the post is delivered (R35). */
  readonly noticeOf: (attribution: Outcome['attribution']) => string | null
  readonly tell: (fact: ThreadFact) => void
  readonly onPost: (post: Post) => void
}

/**
 * Puts what is said into the thread of a team.
 *
 * 1. A post that the thread does not take is kept until it does, so that no answer is paid for twice. Once the run is over it is tried a last
 *    time, and told as lost when it is.
 * 2. A thread of a host may throw anything and give back anything: all of it is a refusal, and none of its words are told but those of a
 *    ThreadError, which are ours (R36).
 */
export class Posting {
  readonly #ports: PostingPorts
  readonly #kept = new Map<string, Answer>()
  /** The post of each participant that asked the person last. */
  readonly questions = new Map<string, number>()
  #lastPost = 0

  constructor(ports: PostingPorts) {
    this.#ports = ports
    for (const { id, participant, text } of ports.thread.posts()) {
      this.#lastPost = id
      if (participant !== null && endOfTurn(text).play?.kind === 'gate') this.questions.set(participant, id)
    }
  }

  /** Newest post; 0 before the first. */
  get lastPost(): number {
    return this.#lastPost
  }

  /** The answer that the thread has not taken yet. */
  keptOf(participant: string): Answer | undefined {
    return this.#kept.get(participant)
  }

  /** Throws ThreadError, and nothing is posted then. */
  say(text: string): Post {
    return this.#append({ at: this.#now(), participant: null, engine: null, text })
  }

  /** The post, or the code of what the thread says to it; it is kept then. */
  post(participant: string, answer: Answer): Post | string {
    const taken = this.#taken(participant, answer)
    if (!(taken instanceof ThreadError)) return taken
    this.#kept.set(participant, answer)
    this.#ports.tell({ type: 'post.refused', participant, code: taken.code, message: taken.message })
    return taken.code
  }

  /** The run is over. */
  close(): void {
    for (const [participant, answer] of this.#kept) {
      const taken = this.#taken(participant, answer)
      if (taken instanceof ThreadError) this.#ports.tell({ type: 'post.lost', participant, code: taken.code })
    }
    this.#kept.clear()
  }

  #taken(participant: string, { text, engine, attribution }: Answer): Post | ThreadError {
    try {
      const notice = this.#ports.noticeOf(attribution)
      const post = this.#append({ at: this.#now(), participant, engine, text, ...(notice === null ? {} : { notice }) })
      this.#kept.delete(participant)
      return post
    } catch (error) {
      return error as ThreadError
    }
  }

  #append(asked: NewPost): Post {
    const post = this.#appended(asked)
    this.#lastPost = post.id
    const { participant, engine } = post
    this.#ports.tell({ type: 'post.appended', post: post.id, participant, engine })
    this.#ports.onPost(post)
    return post
  }

  #appended(asked: NewPost): Post {
    let given: unknown
    try {
      given = this.#ports.thread.append(asked)
    } catch (error) {
      throw ThreadError.isInstance(error) ? error : unusable('what it threw is no ThreadError', error)
    }
    const post = postSchema.safeParse(given)
    if (!post.success) throw unusable('what it gave back is no post')
    return post.data
  }

  /** A thread holds whole milliseconds. */
  #now(): number {
    return Math.trunc(this.#ports.now())
  }
}

function unusable(what: string, cause?: unknown): ThreadError {
  return new ThreadError('thread_unusable', 'thread', `the thread of the host took no post: ${what}`, 'Look after it, then go on.', cause)
}
