import { mentioned } from './mention.ts'
import { endOfTurn } from './plays.ts'

/**
 * What a post asks of what comes next, read from the post alone: a process that was killed reads the same from the thread as the one that put
 * it there.
 *
 * 1. Of a post that was cut at its length the last line is not the last: no play is read from it. Whom it mentions is.
 * 2. A wait is for whoever waits: who asks a teammate to go on does not stop them by it (G30).
 */
export interface PostSays {
  /** Whom it asks to go on. */
  readonly asked: string | null
  /** Its author sees nothing left to do. */
  readonly done: boolean
  /** It asks the person. */
  readonly gate: boolean
  /** After how many minutes its author looks again; null: it does not wait. */
  readonly waitMin: number | null
  /** Its last line begins like a play and is none. */
  readonly unread: boolean
}

/** `author`: null is the person, who plays nothing. */
export function postSays(text: string, author: string | null, participants: readonly string[], isWhole = true): PostSays {
  const asked = mentioned(text, author, participants)
  const { play, unread } = isWhole && author !== null ? endOfTurn(text) : { play: null, unread: null }
  return {
    asked,
    done: play?.kind === 'done',
    gate: play?.kind === 'gate',
    waitMin: play?.kind === 'wait' && asked === null ? play.minutes : null,
    unread: unread !== null,
  }
}
