import type { Clock } from '../../src/model/clock.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import type { TeamClock } from '../../src/runtime/team/team-clock.ts'
import { VirtualTeamClock } from '../../src/simulate/team-clock.ts'

/**
 * A machine whose time is moved by hand, with the clocks that a kernel and a team have of it: that of the kernel is the one that is shipped.
 */
export class TeamMachine extends VirtualTeamClock {
  /** Timers that keep the machine busy: all but those that the kernel sets in the background. */
  #busy = 0

  /** Nothing is left that would ever happen by itself. */
  get isIdle(): boolean {
    return this.#busy === 0
  }

  override after(ms: number, fire: () => void): () => void {
    const timer = this.#timer(ms, fire)
    return () => timer.clear()
  }

  teamClock(): TeamClock {
    return { now: () => this.now(), elapsedMs: () => this.elapsedMs(), after: (ms, fire) => this.after(ms, fire) }
  }

  kernelClock(): Clock {
    return systemClock({ now: () => this.now(), elapsedMs: () => this.elapsedMs(), setTimer: (ms, fire) => this.#timer(ms, fire) })
  }

  #timer(ms: number, fire: () => void): { clear(): void; keepAlive(keep: boolean): void } {
    let isOver = false
    let weight = 1
    const keepAlive = (keep: boolean): void => {
      if (isOver) return
      this.#busy += Number(keep) - weight
      weight = Number(keep)
    }
    const end = (): void => {
      keepAlive(false)
      isOver = true
    }
    this.#busy++
    const cancel = super.after(ms, () => {
      end()
      fire()
    })
    const clear = (): void => {
      end()
      cancel()
    }
    return { clear, keepAlive }
  }
}
