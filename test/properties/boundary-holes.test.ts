import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { changed, HOLES } from './boundary-holes.ts'

// The holes themselves are planted by a proof, which is run seldom: a source that is written anew must not leave one without its place.
test.each(HOLES.map((hole) => [hole.name, hole] as const))('there is a place in the sources for the hole: %s', (_, hole) => {
  const text = readFileSync(new URL(`../../${hole.file}`, import.meta.url), 'utf8')
  expect(changed(hole, text)).not.toBe(text)
})
