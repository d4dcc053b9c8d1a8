import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linkerOf } from '../mutation/linker.mjs'
import { readSources } from '../mutation/source.mjs'
import type { Product } from './boundary-play.ts'
import { firstBroken } from './prove-boundaries.ts'

/** A hole in a boundary: a piece of a source, what stands there instead, and the law that has to find it. */
interface Hole {
  readonly name: string
  readonly file: string
  readonly piece: string
  readonly instead: string
  readonly law: RegExp
}

const HOLES: readonly Hole[] = [
  {
    name: 'the key of a route travels along the fallbacks of its target',
    file: 'src/plan/domains.ts',
    piece: 'profile.id === root ? routeCredential(settings.modelRoutes, root) : undefined',
    instead: 'routeCredential(settings.modelRoutes, root)',
    law: /^R1 R10/,
  },
  {
    name: 'the second key of a pool is the first once more',
    file: 'src/runtime/turn-run.ts',
    piece: 'secret: entry.secret,',
    instead: 'secret: entry.profile.credentials[0]?.secret ?? entry.secret,',
    law: /^R1 R10/,
  },
  {
    name: 'a running turn is served by the profiles of a reload',
    file: 'src/runtime/turn-run.ts',
    piece: 'profile: entry.profile,',
    instead: 'profile: this.#core.settings.profiles.get(entry.profile.id) ?? entry.profile,',
    law: /^R1 no attempt carries an address/,
  },
  {
    name: 'a local decision is a preference',
    file: 'src/plan/plan.ts',
    piece: 'allow: cloud ? null : domain.localProfiles',
    instead: 'allow: null',
    law: /^AG-01/,
  },
  {
    name: 'a switch opens what a local decision had closed',
    file: 'src/plan/plan.ts',
    piece: 'return { domain: primary, model: null, allow, warning: null }',
    instead: 'return { domain: primary, model: null, allow: null, warning: null }',
    law: /^AG-01/,
  },
  {
    name: 'a prompt that begins like a hint is one',
    file: 'src/plan/plan.ts',
    piece: 'const explicit = model === AUTO ? null : model',
    instead: "const explicit = model === AUTO ? null : (model ?? (ask.prompt?.startsWith('hint:') ? ask.prompt : null))",
    law: /^AG-02/,
  },
  {
    name: 'the class is that of the whole conversation',
    file: 'src/runtime/turns.ts',
    piece: 'call.plan(needs, lastPrompt(messages))',
    instead: "call.plan(needs, messages.map(({ content }) => content).join('\\n'))",
    law: /^AG-02/,
  },
]

const ROOT = join(import.meta.dirname, '../..')
const sources = readSources(ROOT, ['src', 'machines'])
const linked = linkerOf(sources)

function productWith(hole: Hole | null): Product {
  return linked(hole === null ? null : { path: join(ROOT, hole.file), text: changed(hole) })(
    join(ROOT, 'src/runtime/kernel.ts'),
  ) as unknown as Product
}

function changed({ name, file, piece, instead }: Hole): string {
  const parts = sources.get(join(ROOT, file))?.split(piece) ?? []
  if (parts.length !== 2) throw new Error(`${file} does not hold, once, what is exchanged for "${name}": ${piece}`)
  return parts.join(instead)
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
