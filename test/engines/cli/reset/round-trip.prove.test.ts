import fc from 'fast-check'
import { describe, it } from 'vitest'
import { expectReadBack, printedIn, ZONES } from './printed.ts'

describe('cli-engines.md §7 a printed clock or date reads back, in every zone there is', () => {
  it.each(ZONES)('%s', (zone) =>
    fc.assert(
      fc.property(printedIn([zone]), (one) => void expectReadBack(one)),
      { numRuns: 400 },
    ),
  )
})
