import type { Clock } from '../../../model/clock.ts'
import type { ProcessGroup } from './process-group.ts'

/**
 * How a group comes to its end: TERM, then KILL after the grace to whatever is left of it.
 *
 * 1. A group is gone when its leader has exited and nobody else is left in it. A leader that has gone while a grandchild lives is a group
 *    that is left.
 * 2. Nothing is signalled once the group is gone: its number may be another's by then. As long as somebody is left the number is taken,
 *    so a group without its leader is looked at again and again, in waits that double.
 * 3. It ends. What KILL has not ended within another grace hangs in the kernel, and waiting for it would hang us too.
 */
const FIRST_LOOK_MS = 10
const LONGEST_LOOK_MS = 320

interface GroupEndingOptions {
  readonly clock: Clock
  readonly graceMs: number
  /** Called once. False: KILL was not enough. */
  readonly onGone: (gone: boolean) => void
}

export class GroupEnding {
  readonly #group: ProcessGroup
  readonly #options: GroupEndingOptions
  #begun = false
  #leaderExited = false
  #over = false
  #lookMs = FIRST_LOOK_MS
  #cancelLook = (): void => {}
  readonly #cancels = new Set<() => void>()

  constructor(group: ProcessGroup, options: GroupEndingOptions) {
    this.#group = group
    this.#options = options
  }

  /** TERM now, KILL after the grace. Twice is once. */
  begin(): void {
    if (this.#begun || this.#isGone()) return
    this.#begun = true
    this.#group.signal('SIGTERM')
    this.#after(this.#options.graceMs, () => {
      if (this.#isGone()) return
      this.#group.signal('SIGKILL')
      this.#after(this.#options.graceMs, () => {
        if (!this.#isGone()) this.#finish(false)
      })
    })
    if (this.#leaderExited) this.#look()
  }

  /** KILL at once, where there is no time for a grace. */
  kill(): void {
    if (!this.#isGone()) this.#group.signal('SIGKILL')
  }

  /** The leader has exited. Others of the group may go on until `begin`. */
  leaderExited(): void {
    this.#leaderExited = true
    this.#look()
  }

  /** Looks now, and again and again from the shortest wait on. */
  #look(): void {
    this.#lookMs = FIRST_LOOK_MS
    this.#cancelLook()
    if (!this.#isGone()) this.#lookLater()
  }

  #lookLater(): void {
    const waitMs = this.#lookMs
    this.#lookMs = Math.min(2 * waitMs, LONGEST_LOOK_MS)
    this.#cancelLook = this.#after(waitMs, () => {
      if (!this.#isGone()) this.#lookLater()
    })
  }

  /** Looks; a group that is found gone is told. */
  #isGone(): boolean {
    if (!this.#over && this.#leaderExited && !this.#group.isLeft()) this.#finish(true)
    return this.#over
  }

  #finish(gone: boolean): void {
    this.#over = true
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
    this.#options.onGone(gone)
  }

  #after(ms: number, then: () => void): () => void {
    const { clock } = this.#options
    const cancelWake = clock.wakeAt(clock.now() + ms, () => {
      this.#cancels.delete(cancel)
      then()
    })
    const cancel = (): void => {
      this.#cancels.delete(cancel)
      cancelWake()
    }
    this.#cancels.add(cancel)
    return cancel
  }
}
