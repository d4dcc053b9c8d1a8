import { chmodSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openThread } from '../../../src/runtime/thread/open-thread.ts'
import { killRounds } from './kill-rounds.ts'
import { folder, threadPath } from './rig.ts'
import { startWriter, writerBundle } from './writer.ts'

let directory = ''
beforeAll(async () => {
  directory = await writerBundle()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** `id round-n` of every post of a thread, as the writers tell it. */
function postsOf(path: string): string[] {
  const { thread } = openThread(path)
  const posts = thread.posts().map(({ id, text }) => `${id} ${text.split(' ', 1)[0]}`)
  thread.close()
  return posts
}

// Twenty times: killed-writer.prove.test.ts.
it('a process that is killed while it writes loses no post that it was told to be in the thread, and none is there twice', { timeout: 60_000 }, () =>
  killRounds(directory, 4),
)

describe('a disk without room, for real', () => {
  it('leaves whole posts only, and says so in one line', async () => {
    const path = threadPath()
    // 512 bytes a block: the first large post does not fit, and the system takes a part of it.
    const { lines } = startWriter(directory, path, 1, { through: ['sh', '-c', 'ulimit -f 64; exec "$@"', 'sh'] })
    expect(await lines).toEqual([
      '1 1-0',
      '2 1-1',
      `error thread_disk_full ${path}: there is no room for another post. Make room and resume; every post before it is kept.`,
    ])
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3)
    expect(postsOf(path)).toEqual(['1 1-0', '2 1-1'])
  })
})

describe('a folder that takes no writing', () => {
  const isRoot = process.getuid?.() === 0
  /** Rights do not bind root; the writer is then somebody else. */
  const user = isRoot ? { user: 65_534 } : {}

  it('no new thread, and nothing is left there', async () => {
    const place = folder()
    chmodSync(place, 0o555)
    const path = join(place, 'thread.jsonl')
    const { lines } = startWriter(directory, path, 1, user)
    expect(await lines).toEqual([
      `error thread_not_permitted ${path}: the thread may not be read and written. Give this user the rights to the file and its folder.`,
    ])
    expect(existsSync(path)).toBe(false)
    chmodSync(place, 0o755)
  })

  it('a thread that is for reading only stays as it is', async () => {
    const path = threadPath()
    openThread(path).thread.close()
    chmodSync(path, 0o444)
    chmodSync(join(path, '..'), 0o555)
    const { lines } = startWriter(directory, path, 1, user)
    expect((await lines)[0]).toContain('thread_not_permitted')
    expect(statSync(path).size).toBe(0)
    chmodSync(join(path, '..'), 0o755)
  })
})
