import type { Hold, Kernel } from '../../index.ts'
import type { PageEvent } from './page-event.ts'

/** A kernel as far as what it would try is asked. */
export type PlannedKernel = Pick<Kernel, 'plan' | 'hints' | 'holds$'>

/** Without a change of holds a plan changes with its settings and with what was spent, which is looked at so often at the most. */
const LOOK_MS = 1_000

/**
 * What a turn of a kernel would try now, by what is asked: the settings' own choice, and each hint.
 *
 * 1. A plan is told when it is another one than was told last.
 * 2. It is asked for behind whatever changed it, never within: a kernel is in the middle of a step then.
 */
export class ToldChains {
  readonly #name: string
  readonly #kernel: PlannedKernel
  readonly #now: () => number
  readonly #tell: (event: PageEvent) => void
  readonly #told = new Map<string | null, string>()
  readonly #end: () => void
  #lookedAt = Number.NEGATIVE_INFINITY
  #isDue = false
  #isOver = false

  constructor(name: string, kernel: PlannedKernel, now: () => number, tell: (event: PageEvent) => void) {
    this.#name = name
    this.#kernel = kernel
    this.#now = now
    this.#tell = tell
    const holds = kernel.holds$.subscribe((each) => this.#hold(each))
    this.#end = () => holds.unsubscribe()
  }

  /** Something happened that a plan may hang on. */
  look(): void {
    if (this.#now() - this.#lookedAt >= LOOK_MS) this.#soon()
  }

  /** Looks for the last time. */
  close(): void {
    if (this.#isOver) return
    this.#plan()
    this.#isOver = true
    this.#end()
  }

  #hold(holds: readonly Hold[]): void {
    this.#tell({ type: 'holds.changed', at: this.#now(), kernel: this.#name, holds })
    this.#soon()
  }

  #soon(): void {
    if (this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      if (!this.#isOver) this.#plan()
    })
  }

  #plan(): void {
    this.#lookedAt = this.#now()
    const models = [null, ...this.#kernel.hints().map(({ hint }) => `hint:${hint}`)]
    for (const model of models) this.#planOf(model)
  }

  #planOf(model: string | null): void {
    let event: PageEvent
    try {
      const plan = this.#kernel.plan(model === null ? {} : { model })
      event = { type: 'chain.planned', at: this.#lookedAt, kernel: this.#name, model, plan }
    } catch {
      // Nothing can be planned: a team's settings have no choice of their own, and a hint may lead to what no request without tools is for.
      return
    }
    const text = JSON.stringify(event.plan)
    if (this.#told.get(model) === text) return
    this.#told.set(model, text)
    this.#tell(event)
  }
}
