import { beforeAll, expect, it } from 'vitest'
import { build } from './daemon-stage.ts'
import { runKilled } from './kill-suite.ts'

beforeAll(build, 300_000)

it('T7 a run of 12 turns that is killed three times posts each turn once and leaves nothing behind', async () => {
  const { posts, kills, openRows, lostCalls } = await runKilled({ turns: 12, kills: 3, seed: 5 })
  expect({ posts, kills }).toEqual({ posts: 12, kills: 3 })
  expect(lostCalls).toBeLessThanOrEqual(openRows + kills)
}, 120_000)
