/**
 * Tells one thing after the other: what a listener causes is told once the present thing has reached all, so that every listener hears the
 * same in the same order.
 */
export class InTurn {
  readonly #later: (() => void)[] = []
  #isTelling = false

  tell(each: () => void): void {
    this.#later.push(each)
    if (this.#isTelling) return
    this.#isTelling = true
    try {
      for (let next = this.#later.shift(); next !== undefined; next = this.#later.shift()) next()
    } finally {
      this.#isTelling = false
    }
  }
}
