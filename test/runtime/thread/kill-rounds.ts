import { expect } from 'vitest'
import { openThread } from '../../../src/runtime/thread/open-thread.ts'
import { threadPath } from './rig.ts'
import { startWriter } from './writer.ts'

/** Writers of one thread, one after the other, each killed when it has told some posts: nothing that was told is lost, nothing is there twice. */
export async function killRounds(directory: string, rounds: number): Promise<void> {
  const path = threadPath()
  const taken: string[] = []
  let torn = 0
  let untold = 0
  for (let round = 1; round <= rounds; round++) {
    const { child, told, lines } = startWriter(directory, path, round)
    await told((round * 7) % 13)
    child.kill('SIGKILL')
    taken.push(...(await lines))
    const { thread, findings } = openThread(path)
    const posts = thread.posts().map(({ id, text }) => `${id} ${text.split(' ', 1)[0]}`)
    thread.close()
    expect(findings.filter(({ code }) => code !== 'thread_torn')).toEqual([])
    torn += findings.length
    // The last one may have been taken, and its writer killed before it could tell.
    const more = posts.slice(taken.length)
    expect(more.length).toBeLessThanOrEqual(1)
    untold += more.length
    expect(posts).toEqual([...taken, ...more])
    taken.push(...more)
  }
  expect(new Set(taken.map((line) => line.split(' ')[0])).size).toBe(taken.length)
  expect(taken.length).toBeGreaterThan(rounds)
  console.log(`${rounds} kills: ${taken.length} posts taken, ${untold} of them untold, ${torn} torn lines put aside`)
}
