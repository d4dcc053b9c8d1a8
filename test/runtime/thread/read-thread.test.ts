import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openThread, threadOn } from '../../../src/runtime/thread/open-thread.ts'
import { readThread } from '../../../src/runtime/thread/read-thread.ts'
import { MAX_LINE_BYTES, postOf } from '../../../src/runtime/thread/thread-line.ts'
import { brief } from '../../config/support.ts'
import { expectLinear } from '../../policy/team/cost.ts'
import { LyingDisk, said, threadPath } from './rig.ts'

const line = (id: unknown, text: string, more = '') =>
  `{"id":${JSON.stringify(id)},"at":"2026-03-01T12:00:00.000Z","participant":"ana","engine":"codex","text":${JSON.stringify(text)}${more}}`

function opened(bytes: string | Buffer, path = threadPath()) {
  writeFileSync(path, bytes, { mode: 0o600 })
  const { thread, findings } = openThread(path)
  const texts = thread.posts().map(({ id, text }) => `${id} ${text}`)
  thread.close()
  return { path, texts, told: brief(findings).map((found) => found.replace(path, '')), file: readFileSync(path) }
}

const asideOf = (path: string) => (existsSync(`${path}.torn`) ? readFileSync(`${path}.torn`, 'utf8') : null)

describe('a torn last line', () => {
  it('of every length is cut off, kept aside and told; every line before it is there', () => {
    const whole = [line(1, 'á'), line(2, 'two\nlines'), line(3, 'three')].map((one) => `${one}\n`)
    const bytes = Buffer.from(whole.join(''))
    const ends = whole.map((_, index) => Buffer.byteLength(whole.slice(0, index + 1).join('')))
    const path = threadPath()
    for (let length = 0; length <= bytes.length; length++) {
      rmSync(`${path}.torn`, { force: true })
      const { texts, told, file } = opened(bytes.subarray(0, length), path)
      // Of a line that lacks nothing but its end nothing is torn.
      const posts = ends.filter((end) => end - 1 <= length).length
      const kept = posts === 0 ? 0 : Math.min(ends[posts - 1] ?? 0, length)
      expect([length, texts.length]).toEqual([length, posts])
      expect(told).toEqual(kept < length ? [`thread_torn :${posts + 1}`] : [])
      expect(asideOf(path)).toBe(kept < length ? `${bytes.subarray(kept, length).toString()}\n` : null)
      expect(file).toEqual(bytes.subarray(0, ends[posts - 1] ?? 0))
    }
  })

  it('is followed by the next post as if it had never been', () => {
    const { path } = opened(`${line(1, 'a')}\n{"id":2,"at"`)
    const { thread, findings } = openThread(path)
    expect([thread.append(said('b')).id, findings]).toEqual([2, []])
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3)
  })

  it.each([
    ['zeros that a loss of power left', '\0'.repeat(5_000)],
    ['blanks', '  '],
    ['half a character', Buffer.from('{"text":"é').subarray(0, 10)],
    ['more than a chunk', `{"text":"${'x'.repeat(200_000)}`],
  ])('made of %s', (_, torn) => {
    const before = Buffer.from(`${line(1, 'a')}\n`)
    const { told, texts, file, path } = opened(Buffer.concat([before, Buffer.from(torn)]))
    expect([told, texts, file]).toEqual([['thread_torn :2'], ['1 a'], before])
    expect(readFileSync(`${path}.torn`).equals(Buffer.concat([Buffer.from(torn), Buffer.from('\n')]))).toBe(true)
  })
})

describe('a broken line in the middle', () => {
  it.each([
    ['text', 'no JSON'],
    ['a torn line', '{"id":2,"at"'],
    ['a list', '[1]'],
    ['an object that nests without end', `{"text":${'['.repeat(100_000)}}`],
    ['an object that does not end', '{"text":"}'],
    ['a number', '7'],
    ['a post of nobody: it must not pass for the person', '{"id":2,"at":"2026-03-01T12:00:00Z","text":"x"}'],
    ['a post without text', '{"id":2,"at":"2026-03-01T12:00:00Z","participant":null}'],
    ['a day that there is none of', '{"id":2,"at":"2026-02-31T12:00:00Z","participant":null,"text":"x"}'],
    ['a time without a zone', '{"id":2,"at":"2026-03-01T12:00:00","participant":null,"text":"x"}'],
    ['two posts in one', `${line(2, 'x')}${line(3, 'y')}`],
    ['bytes that are no text', Buffer.from(line(2, '\u00ff'), 'latin1')],
  ])('%s is told and left where it stands', (_, broken) => {
    const bytes = Buffer.concat([Buffer.from(`${line(1, 'a')}\n`), Buffer.from(broken), Buffer.from(`\n${line(5, 'b')}\n`)])
    const { texts, told, file, path } = opened(bytes)
    expect([texts, told, asideOf(path)]).toEqual([['1 a', '5 b'], ['thread_line_broken :2'], null])
    expect(file.equals(bytes)).toBe(true)
  })

  it('the reason is told', () => {
    const problem = (text: string) => postOf(Buffer.from(text))
    expect(problem('{"a":['.repeat(17).concat(']}'.repeat(17)))).toEqual({ problem: 'it nests too deep' })
    expect(problem('[]')).toEqual({ problem: 'it is no object' })
    expect(problem('{"id":1}')).toEqual({ problem: 'it has no `at` that can be read' })
    expect(problem('{"id":1 "at"}')).toEqual({ problem: 'it is no JSON' })
  })

  it('many of them are counted', () => {
    const { told, texts } = opened(`${'x\n'.repeat(1_000)}${line(1, 'a')}\n`)
    expect([told.length, told.at(-1), texts]).toEqual([21, 'thread_line_broken ', ['1 a']])
  })
})

it('a post that is longer than what is read at once is read as it was written', () => {
  const text = Array.from({ length: 40_000 }, (_, index) => `${index}`).join(' ')
  const { texts } = opened(`${line(1, 'a')}\n${line(2, text)}\n${line(3, 'b')}\n`)
  expect(texts.map((one) => one.length)).toEqual([3, text.length + 2, 3])
  expect(texts[1] === `2 ${text}`).toBe(true)
})

describe('what is tolerated', () => {
  it.each([
    ['a byte order mark', `\ufeff${line(1, 'a')}\n`],
    ['CRLF', `${line(1, 'a')}\r\n`],
    ['blank lines', `\n \n${line(1, 'a')}\n\n`],
    ['fields of a later version', `${line(1, 'a', ',"mood":"calm","__proto__":{}')}\n`],
    ['no engine', `${line(1, 'a').replace('"engine":"codex",', '')}\n`],
    ['another zone', `${line(1, 'a').replace('12:00:00.000Z', '14:00:00+02:00')}\n`],
  ])('%s', (_, bytes) => expect(opened(bytes)).toMatchObject({ texts: ['1 a'], told: [] }))

  it('an id that does not grow is counted on from the one before, each time alike', () => {
    const ids = [1, 3, 3, 2, 0, -1, 1.5, 'x', null, 9e15, 2 ** 53, 9]
    const bytes = ids.map((id, index) => `${line(id, `${index}`)}\n`).join('')
    const { path, texts, told } = opened(bytes)
    expect(texts).toEqual(['1 0', '3 1', '4 2', '5 3', '6 4', '7 5', '8 6', '9 7', '10 8', '11 9', '12 10', '13 11'])
    expect(told).toHaveLength(10)
    const { thread } = openThread(path)
    expect(thread.append(said('next')).id).toBe(14)
    thread.close()
    expect(
      openThread(path)
        .thread.posts()
        .map(({ id }) => id),
    ).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
  })

  it('an id at the end of the numbers leaves room for those after it', () => {
    const { path, texts } = opened(`${line(2 ** 52, 'a')}\n${line(1, 'b')}\n`)
    expect(texts).toEqual([`${2 ** 52} a`, `${2 ** 52 + 1} b`])
    expect(openThread(path).thread.append(said('c')).id).toBe(2 ** 52 + 2)
    expect(
      openThread(path)
        .thread.posts()
        .map(({ text }) => text),
    ).toEqual(['a', 'b', 'c'])
  })
})

describe('any bytes', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('\n', '\r\n', '\ufeff', '{', '}', '"', line(1, 'a'), line(2, 'b'), `${line(3, 'c')}\n`, `${line(9, 'd')}\n`, '{"id":1', '\0')
      .map((text) => Buffer.from(text)),
  )

  it('no whole line is lost or changed, ids grow, and a second look sees the same', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const bytes = Buffer.concat(pieces)
        const disk = new LyingDisk()
        disk.bytes = bytes
        const lines = [...readThread((into, from) => disk.read(into, from))]
        const [torn] = lines.flatMap((found) => (found.kind === 'torn' ? found.from : []))
        const whole = bytes.subarray(0, torn ?? bytes.length)
        disk.bytes = whole
        const rows = bytes.toString('latin1').split('\n').slice(0, -1)
        const speaking = rows.flatMap((row, index) =>
          /^[\t-\r ]*$/.test(index === 0 ? row.replace(/^\u00ef\u00bb\u00bf/, '') : row) ? [] : index + 1,
        )
        const found = lines.flatMap((one) => (one.kind === 'broken' || (one.kind === 'post' && one.isEnded) ? one.line : []))
        expect(found).toEqual(speaking)
        const { thread } = threadOn(disk, 'thread.jsonl')
        const posts = thread.posts()
        expect(disk.bytes.subarray(0, whole.length).equals(whole)).toBe(true)
        for (const [index, post] of posts.entries()) expect(post.id).toBeGreaterThan(posts[index - 1]?.id ?? 0)
        const next = thread.append(said('next'))
        expect(threadOn(disk, 'thread.jsonl').thread.posts()).toEqual([...posts, next])
      }),
      { numRuns: 500 },
    )
  })

  it.each(['{', '{"', '{}', '{"id":1,', '{"a":[', '{"text":"\\u0041', ' ', '[', '\0', '{\\'])('a line takes the time of its length: %j', (text) => {
    expectLinear(text, (line) => postOf(Buffer.from(line)))
    expectLinear(text, (line) => postOf(Buffer.from(`{"text":"${line}"}`)))
  })

  it('a line that comes in a thousand pieces is put together once', () => {
    const disk = new LyingDisk()
    disk.bytes = Buffer.alloc(MAX_LINE_BYTES, 'x')
    const started = process.cpuUsage()
    expect([...readThread((into, from) => disk.read(into, from))]).toEqual([{ kind: 'torn', line: 1, from: 0 }])
    const { user, system } = process.cpuUsage(started)
    expect(user + system).toBeLessThan(4_000_000)
  })

  it('a line that is longer than any post is not brought into memory', () => {
    const [chunk, length] = [Buffer.alloc(64 * 1024, 'x'), 4 * MAX_LINE_BYTES]
    const read = (into: Uint8Array, from: number) => (from >= length ? 0 : chunk.copy(into))
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const watched = (into: Uint8Array, from: number) => {
      most = Math.max(most, process.memoryUsage().arrayBuffers)
      return read(into, from)
    }
    expect([...readThread(watched)]).toEqual([{ kind: 'torn', line: 1, from: 0 }])
    expect(most - before).toBeLessThan(2 * MAX_LINE_BYTES)
  })
})
