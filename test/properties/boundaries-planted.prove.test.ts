import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linkerOf } from '../mutation/linker.mjs'
import { readSources } from '../mutation/source.mjs'
import { changed, HOLES, type Hole } from './boundary-holes.ts'
import type { Product } from './boundary-play.ts'
import { firstBroken } from './prove-boundaries.ts'

const ROOT = join(import.meta.dirname, '../..')
const sources = readSources(ROOT, ['src', 'machines'])
const linked = linkerOf(sources)

function productWith(hole: Hole | null): Product {
  return linked(hole === null ? null : { path: join(ROOT, hole.file), text: changed(hole, sources.get(join(ROOT, hole.file))) })(
    join(ROOT, 'src/runtime/kernel.ts'),
  ) as unknown as Product
}

const SEED = 20_260_301
const RUNS = 3_000

test('the product, loaded as those with a hole are, keeps its boundaries', async () => {
  expect(await firstBroken(productWith(null), SEED, 100)).toBeNull()
}, 120_000)

test.each(HOLES.map((hole) => [hole.name, hole] as const))(
  '%s: found',
  async (_, hole) => {
    const found = await firstBroken(productWith(hole), SEED, RUNS)
    if (found === null) throw new Error(`not found in ${RUNS} scenes`)
    console.info(`${hole.name}: found in scene ${found.runs}, by ${found.titles.join('; ')}`)
    expect(found.titles.filter((title) => hole.law.test(title))).toHaveLength(1)
  },
  120_000,
)
