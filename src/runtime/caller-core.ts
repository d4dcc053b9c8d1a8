import type { KernelCore } from './core.ts'
import type { Ledger } from './ledger.ts'
import type { Log } from './log.ts'

/** The kernel as a turn of this caller has it: its rows, lines and messages say whose request it was, and nothing else is another. */
export class CallerCore implements KernelCore {
  readonly clock: KernelCore['clock']
  readonly random: KernelCore['random']
  readonly pricing: KernelCore['pricing']
  readonly spending: KernelCore['spending']
  readonly log: Log
  readonly ledger: Ledger
  readonly #core: KernelCore

  constructor(core: KernelCore, caller: string) {
    const { clock, random, pricing, spending, log, ledger } = core
    this.clock = clock
    this.random = random
    this.pricing = pricing
    this.spending = spending
    this.log = log.of({ caller })
    this.ledger = {
      append: (row) => ledger.append({ caller, ...row }),
      close: (turn, n, close) => ledger.close(turn, n, close),
      rows: () => ledger.rows(),
    }
    this.#core = core
  }

  get settings(): KernelCore['settings'] {
    return this.#core.settings
  }

  facts(): ReturnType<KernelCore['facts']> {
    return this.#core.facts()
  }

  engineOf(...asked: Parameters<KernelCore['engineOf']>): ReturnType<KernelCore['engineOf']> {
    return this.#core.engineOf(...asked)
  }

  spawnTurn(...asked: Parameters<KernelCore['spawnTurn']>): ReturnType<KernelCore['spawnTurn']> {
    return this.#core.spawnTurn(...asked)
  }

  made(actor: Parameters<KernelCore['made']>[0]): void {
    this.#core.made(actor)
  }

  reportHold(...told: Parameters<KernelCore['reportHold']>): void {
    this.#core.reportHold(...told)
  }

  waitingStarted(...told: Parameters<KernelCore['waitingStarted']>): void {
    this.#core.waitingStarted(...told)
  }

  waitingEnded(...told: Parameters<KernelCore['waitingEnded']>): void {
    this.#core.waitingEnded(...told)
  }

  turnEnded(...told: Parameters<KernelCore['turnEnded']>): void {
    this.#core.turnEnded(...told)
  }
}
