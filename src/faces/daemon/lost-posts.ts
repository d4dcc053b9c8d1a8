import { openThread } from '../../host.ts'
import type { NewPost, Thread } from '../../index.ts'

/**
 * The posts of a run that its thread takes to the end no more, as it was edited or replaced while the run was on.
 *
 * 1. What the thread refuses last of each participant is held until it takes one of theirs.
 * 2. They are put into `<thread>.lost`, posts a line like those of the thread: an answer that was paid for is not thrown away because somebody
 *    opened the thread in an editor.
 */
export class LostPosts {
  readonly thread: Thread
  readonly path: string
  readonly #refused = new Map<string | null, NewPost>()

  constructor(thread: Thread, path: string) {
    this.path = `${path}.lost`
    this.thread = {
      append: (post) => this.#appended(thread, post),
      posts: () => thread.posts(),
      get count() {
        return thread.count
      },
      close: () => thread.close(),
    }
  }

  /** One line: where the last post of the participant that the thread refused is now, or why it is nowhere. */
  putAside(participant: string): string {
    const post = this.#refused.get(participant)
    this.#refused.delete(participant)
    try {
      if (post !== undefined) appendTo(this.path, post)
    } catch (error) {
      return (error as Error).message
    }
    return `${this.path}: the post of ${participant} stands there. Add its line to the thread while no run is on, if it is still wanted.`
  }

  #appended(thread: Thread, post: NewPost): ReturnType<Thread['append']> {
    try {
      const taken = thread.append(post)
      this.#refused.delete(post.participant)
      return taken
    } catch (error) {
      this.#refused.set(post.participant, post)
      throw error
    }
  }
}

function appendTo(path: string, post: NewPost): void {
  const { thread } = openThread(path)
  try {
    thread.append(post)
  } finally {
    thread.close()
  }
}
