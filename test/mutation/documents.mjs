// The documents that a mutation has to get past: the routing corpus, and the scenarios of our own beside it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PLACES = ['test/corpus/routing', 'test/scenarios']

export function readDocuments(root) {
  return PLACES.flatMap((place) =>
    readdirSync(join(root, place))
      .sort()
      .map((name) => join(root, place, name)),
  ).flatMap((path) => JSON.parse(readFileSync(path, 'utf8')))
}

/** Who has noticed something comes first, those who did so in the same file before all. */
export class Order {
  #count
  #byFile = new Map()
  #all = []

  constructor(count) {
    this.#count = count
  }

  noticed(file, place) {
    this.#byFile.set(file, [place, ...(this.#byFile.get(file) ?? []).filter((each) => each !== place)])
    this.#all = [place, ...this.#all.filter((each) => each !== place)]
  }

  of(file) {
    return [...new Set([...(this.#byFile.get(file) ?? []), ...this.#all, ...Array(this.#count).keys()])]
  }
}
