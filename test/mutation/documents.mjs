// The documents that a mutation has to get past: the corpora of model calls and of teams, and the scenarios of our own beside them. What only a
// team does is shown to documents of teams alone, and what only a model call does to the others.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PLACES = ['test/corpus/routing', 'test/scenarios', 'test/corpus/team', 'test/team-scenarios']
/** Decisions of both. */
const SHARED = new Set(['src/policy/limit.ts'])

export function readDocuments(root) {
  return PLACES.flatMap((place) =>
    readdirSync(join(root, place))
      .sort()
      .map((name) => join(root, place, name)),
  ).flatMap((path) => JSON.parse(readFileSync(path, 'utf8')))
}

/** Who has noticed something comes first, those who did so in the same file before all. */
export class Order {
  #places
  #byFile = new Map()
  #all = []

  constructor(documents) {
    this.#places = documents.map(({ kind }, place) => ({ place, isTeam: kind === 'team' }))
  }

  noticed(file, place) {
    this.#byFile.set(file, [place, ...(this.#byFile.get(file) ?? []).filter((each) => each !== place)])
    this.#all = [place, ...this.#all.filter((each) => each !== place)]
  }

  of(file) {
    const meant = new Set(this.#places.filter(({ isTeam }) => SHARED.has(file) || isTeam === /\bteam\b/.test(file)).map(({ place }) => place))
    return [...new Set([...(this.#byFile.get(file) ?? []), ...this.#all, ...meant])].filter((place) => meant.has(place))
  }
}
