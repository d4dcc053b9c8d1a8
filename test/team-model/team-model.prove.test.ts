import fc from 'fast-check'
import { test } from 'vitest'
import { PRODUCT } from './product.ts'
import { teamProperty } from './property.ts'

test.each([1, 2, 3])('T1–T23 whatever is done to a team, it does what a reader of the rules says (seed %i)', (seed) => {
  fc.assert(teamProperty(PRODUCT), { numRuns: 10_000, seed })
})
