import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PlainTeam } from './plain-team.ts'
import { PLANTED_BUGS, plantedProducts } from './planted-bugs.ts'
import type { Product } from './product.ts'
import { playedBoth, teamProperty } from './property.ts'
import type { Rig } from './rig.ts'
import type { Scene } from './scene.ts'

const RUNS = 400
const productWith = plantedProducts()
const tried = (product: Product) => fc.check(teamProperty(product), { numRuns: RUNS, seed: 20_260_301 })

test('the product, loaded as the planted ones are, is found sound', () => {
  expect(tried(productWith(null)).failed).toBe(false)
}, 60_000)

test.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))(
  '%s: found',
  (name, bug) => {
    const product = productWith(bug)
    const { numRuns, counterexample } = tried(product)
    if (counterexample === null) throw new Error(`not found in ${numRuns} runs`)
    const [scene, early, later] = counterexample
    const after = fewest([...later], (some) => isNoticed(product, scene, early, some))
    const before = fewest(early, (some) => isNoticed(product, scene, some, after))
    const steps = [...before, 'start', ...after]
    console.info(`${name}: found in run ${numRuns}, by ${steps.length} commands: ${steps.join(', ')}`)
    expect(isNoticed(product, scene, before, after)).toBe(true)
  },
  60_000,
)

type Commands = readonly fc.Command<PlainTeam, Rig>[]

function isNoticed(product: Product, scene: Scene, early: Commands, later: Commands): boolean {
  try {
    playedBoth(product, scene, early, later)
    return false
  } catch {
    return true
  }
}

/** Leaves out one after another as long as it is noticed still: what `fc.commands` shrinks to may hold much that does not matter. */
function fewest(commands: Commands, isEnough: (some: Commands) => boolean): Commands {
  const at = commands.findIndex((_, index) => isEnough(commands.toSpliced(index, 1)))
  return at === -1 ? commands : fewest(commands.toSpliced(at, 1), isEnough)
}
