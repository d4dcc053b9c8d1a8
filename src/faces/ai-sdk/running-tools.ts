/** A tool that runs at a provider, by the id that the AI SDK is told and the one that the provider gave. */
export interface RunningTool {
  readonly id: string
  readonly given: string | null
  readonly name: string
}

interface Entry extends RunningTool {
  answered: boolean
}

/** Calls of such tools until they are answered. Finding one costs the same however many there are: a provider says how many. */
export class RunningTools {
  readonly #all = new Waiting()
  readonly #byGiven = new Map<string, Waiting>()

  add(tool: RunningTool): void {
    const entry = { ...tool, answered: false }
    this.#all.add(entry)
    if (tool.given === null) return
    const alike = this.#byGiven.get(tool.given) ?? new Waiting()
    this.#byGiven.set(tool.given, alike)
    alike.add(entry)
  }

  /** The call that a result answers: the oldest open one of its id, or of all where it has none. */
  answered(given: string | null): RunningTool | undefined {
    const entry = (given === null ? this.#all : this.#byGiven.get(given))?.oldest()
    if (entry !== undefined) entry.answered = true
    return entry
  }
}

class Waiting {
  readonly #entries: Entry[] = []
  #next = 0

  add(entry: Entry): void {
    this.#entries.push(entry)
  }

  oldest(): Entry | undefined {
    while (this.#entries[this.#next]?.answered === true) this.#next += 1
    return this.#entries[this.#next]
  }
}
