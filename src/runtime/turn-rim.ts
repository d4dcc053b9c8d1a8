import type { TurnPort } from '../../machines/turn.ts'

/**
 * What the chart of a turn is given of the run that carries it out, until that is over: whatever keeps the actor alive then keeps no answer with
 * it (decision 0012).
 */
export class TurnRim implements TurnPort {
  /** Of the turn; an inspector names the actor by it. */
  readonly id: string
  #run: TurnPort | null

  constructor(id: string, run: TurnPort) {
    this.id = id
    this.#run = run
  }

  release(): void {
    this.#run = null
  }

  openAttempt(attempt: Parameters<TurnPort['openAttempt']>[0]): void {
    this.#run?.openAttempt(attempt)
  }

  closeAttempt(close: Parameters<TurnPort['closeAttempt']>[0]): void {
    this.#run?.closeAttempt(close)
  }

  abortAttempt(): void {
    this.#run?.abortAttempt()
  }

  startWait(wait: Parameters<TurnPort['startWait']>[0]): void {
    this.#run?.startWait(wait)
  }

  cancelWait(): void {
    this.#run?.cancelWait()
  }

  reportHold(hold: Parameters<TurnPort['reportHold']>[0]): void {
    this.#run?.reportHold(hold)
  }
}
