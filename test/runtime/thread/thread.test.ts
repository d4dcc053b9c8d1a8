import { readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NewPost } from '../../../src/model/post.ts'
import { openThread, threadOn } from '../../../src/runtime/thread/open-thread.ts'
import { memoryThread, type Thread } from '../../../src/runtime/thread/thread.ts'
import { AT, LyingDisk, said, threadPath } from './rig.ts'

const code = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return (error as { code: unknown }).code
  }
}

describe.each<[string, (held?: number) => Thread]>([
  ['in memory', memoryThread],
  ['in a file', (held) => openThread(threadPath(), held === undefined ? {} : { held }).thread],
])('a thread %s', (_, open) => {
  it('gives each post an id that is greater than every one before', () => {
    const thread = open()
    expect(thread.posts()).toEqual([])
    const posts = ['a', 'b', 'c'].map((text) => thread.append(said(text)))
    expect(posts.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(thread.posts()).toEqual(posts)
    thread.close()
  })

  it('keeps what the person and the participants said apart', () => {
    const thread = open()
    thread.append(said('go on', { participant: null, engine: null }))
    thread.append(said('done'))
    expect(thread.posts()).toEqual([
      { id: 1, at: AT, participant: null, engine: null, text: 'go on' },
      { id: 2, at: AT, participant: 'ana', engine: 'codex', text: 'done' },
    ])
    thread.close()
  })

  it('holds the newest, counts all, and goes on counting', () => {
    for (const held of [0, 1, 3]) {
      const thread = open(held)
      for (let n = 1; n <= 5; n++) expect(thread.append(said(`${n}`)).id).toBe(n)
      expect([thread.count, thread.posts().map(({ text }) => text)]).toEqual([5, ['1', '2', '3', '4', '5'].slice(5 - held)])
      thread.close()
    }
  })

  it('a list that was given stays as it was', () => {
    const thread = open()
    thread.append(said('a'))
    const before = thread.posts()
    thread.append(said('b'))
    expect(before).toHaveLength(1)
    thread.close()
  })

  it('takes no post that it could not give back, and no post when it is closed', () => {
    const thread = open()
    const faults: Partial<NewPost>[] = [
      { at: Number.NaN },
      { at: 253_402_300_800_000 },
      { at: 1.5 },
      { text: 7 as unknown as string },
      { participant: undefined as unknown as null },
    ]
    for (const fault of faults) expect(code(() => thread.append(said('x', fault)))).toBe('invalid_post')
    expect(thread.count).toBe(0)
    thread.close()
    thread.close()
    expect(code(() => thread.append(said('x')))).toBe('thread_closed')
  })
})

describe('thread.jsonl', () => {
  it('has one post a line, for nobody else to read', () => {
    const path = threadPath()
    const { thread } = openThread(path)
    thread.append(said('two\nlines', { participant: null, engine: null }))
    thread.close()
    expect(readFileSync(path, 'utf8')).toBe('{"id":1,"at":"2026-03-01T12:00:00.000Z","participant":null,"engine":null,"text":"two\\nlines"}\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('gives back every post as it was, and goes on with the next id', () => {
    const post = fc.record({
      at: fc.integer({ min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }),
      participant: fc.option(fc.string({ unit: 'binary' })),
      engine: fc.option(fc.string()),
      text: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\n', '\r\n', '\u2028', '\ud800', '\0', '"\\', 'é'.normalize('NFD'))),
    })
    fc.assert(
      fc.property(fc.array(post), fc.nat({ max: 4 }), (written, reopened) => {
        const disk = new LyingDisk()
        const first = threadOn(disk, 'thread.jsonl').thread
        const posts = written.map((one) => first.append(one))
        for (let n = 0; n <= reopened; n++) {
          const { thread, findings } = threadOn(disk, 'thread.jsonl')
          expect([thread.posts(), findings]).toEqual([posts, []])
        }
        expect(threadOn(disk, 'thread.jsonl').thread.append(said('next')).id).toBe(posts.length + 1)
      }),
      { numRuns: 300 },
    )
  })

  it('is made to survive a loss of power post by post, when it is asked to', () => {
    const [quick, careful] = [new LyingDisk(), new LyingDisk()]
    threadOn(quick, 'x').thread.append(said('a'))
    const thread = threadOn(careful, 'x', { fsync: true }).thread
    thread.append(said('a'))
    thread.append(said('b'))
    expect([quick.synced, careful.synced]).toEqual([0, 2])
    expect(code(() => openThread(threadPath(), { fsync: true }).thread.append(said('a')))).toMatchObject({ id: 1 })
  })
})
