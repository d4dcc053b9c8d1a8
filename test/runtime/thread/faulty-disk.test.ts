import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RelevoError } from '../../../src/runtime/errors.ts'
import { openThread, threadOn } from '../../../src/runtime/thread/open-thread.ts'
import { asThreadError, ThreadError } from '../../../src/runtime/thread/thread-error.ts'
import { folder, LyingDisk, said, threadPath } from './rig.ts'

/** The error that this throws, which must be one of ours and one line. */
function thrown(run: () => unknown): ThreadError {
  try {
    run()
  } catch (error) {
    if (!ThreadError.isInstance(error)) throw error
    expect(RelevoError.isInstance(error)).toBe(true)
    expect(error.message).toMatch(/^\S.*: the(?:re)? .*\. [A-Z].*\.$/)
    expect(error.message).not.toMatch(/[\r\n]/)
    return error
  }
  throw new Error('nothing was thrown')
}

function replace(path: string): void {
  renameSync(path, `${path}.old`)
  copyFileSync(`${path}.old`, path)
}

function fileIn(path: string): string {
  writeFileSync(join(path, 'file'), '')
  return join(path, 'file')
}

function pipeIn(path: string): string {
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(path, 'pipe')])
  return join(path, 'pipe')
}

function circleIn(path: string): string {
  symlinkSync(join(path, 'a'), join(path, 'a'))
  return join(path, 'a')
}

const textsOf = (disk: LyingDisk) =>
  threadOn(disk, 'x')
    .thread.posts()
    .map(({ text }) => text)

describe('a full disk', () => {
  it('takes no part of a post, at whatever byte it is full, and goes on where there is room again', () => {
    for (let room = 0; room < 250; room++) {
      const disk = new LyingDisk()
      const { thread } = threadOn(disk, 'x')
      thread.append(said('first'))
      const before = disk.bytes
      disk.room = room
      const long = said('second '.repeat(30))
      expect(thrown(() => thread.append(long)).code).toBe('thread_disk_full')
      expect(disk.bytes).toEqual(before)
      expect(thread.posts()).toHaveLength(1)
      disk.room = 10_000
      expect(thread.append(long).id).toBe(2)
      expect(textsOf(disk)).toEqual(['first', long.text])
    }
  })

  it('that can not even be cut: the next post cuts first, and none is glued to a part', () => {
    const disk = new LyingDisk()
    const { thread } = threadOn(disk, 'x')
    thread.append(said('first'))
    disk.room = 40
    disk.fails.set('cut', 'EIO')
    expect(thrown(() => thread.append(said('second'))).code).toBe('thread_disk_full')
    expect(thrown(() => thread.append(said('second'))).code).toBe('thread_unusable')
    disk.fails.clear()
    disk.room = 10_000
    thread.append(said('third'))
    expect(textsOf(disk)).toEqual(['first', 'third'])
  })

  it('at the repair of a line without an end says so, and the file is closed', () => {
    const disk = new LyingDisk()
    threadOn(disk, 'x').thread.append(said('first'))
    disk.bytes = disk.bytes.subarray(0, -1)
    disk.room = 0
    expect(thrown(() => threadOn(disk, 'x')).code).toBe('thread_disk_full')
    expect(disk.isClosed).toBe(true)
    disk.room = 1
    expect(textsOf(disk)).toEqual(['first'])
    expect(disk.bytes.at(-1)).toBe(0x0a)
  })

  it('that takes nothing and says nothing is full, too', () => {
    const disk = new LyingDisk()
    const { thread } = threadOn(disk, 'x')
    disk.write = () => 0
    expect(thrown(() => thread.append(said('a'))).code).toBe('thread_disk_full')
  })

  it('a post that could not be made to last is not in the thread', () => {
    const disk = new LyingDisk()
    const { thread } = threadOn(disk, 'x', { fsync: true })
    disk.fails.set('sync', 'EIO')
    expect(thrown(() => thread.append(said('a'))).code).toBe('thread_unusable')
    expect([disk.bytes.length, thread.count]).toEqual([0, 0])
    disk.fails.clear()
    expect(thread.append(said('b')).id).toBe(1)
  })
})

describe('a file that is not left alone', () => {
  it.each<[string, (path: string) => void]>([
    ['removed', (path) => rmSync(path)],
    ['replaced, as editors do', replace],
    ['added to', (path) => writeFileSync(path, 'x\n', { flag: 'a' })],
    ['shortened', (path) => writeFileSync(path, '')],
  ])('%s: no post goes where nobody looks', (_, change) => {
    const path = threadPath()
    const { thread } = openThread(path)
    thread.append(said('a'))
    change(path)
    expect(thrown(() => thread.append(said('b'))).code).toBe('thread_changed')
    expect(thread.count).toBe(1)
    thread.close()
  })

  it('one that grew shorter behind a failed write is not made longer with zeros', () => {
    const disk = new LyingDisk()
    const { thread } = threadOn(disk, 'x')
    thread.append(said('first'))
    disk.room = 10
    disk.fails.set('cut', 'EIO')
    thrown(() => thread.append(said('second')))
    disk.fails.clear()
    disk.bytes = Buffer.alloc(0)
    expect(thrown(() => thread.append(said('third'))).code).toBe('thread_changed')
    expect(disk.bytes).toHaveLength(0)
  })
})

describe('what cannot be opened', () => {
  it.each<[string, string, (path: string) => string]>([
    ['a folder that does not exist', 'thread_no_folder', (path) => join(path, 'none', 'thread.jsonl')],
    ['a file in place of the folder', 'thread_no_folder', (path) => join(fileIn(path), 'thread.jsonl')],
    ['a folder', 'thread_not_a_file', (path) => path],
    ['a device', 'thread_not_a_file', () => '/dev/null'],
    ['a pipe, without waiting for its other end', 'thread_not_a_file', pipeIn],
    ['a circle of links', 'thread_not_a_file', circleIn],
    ['a name with a line break', 'thread_no_folder', (path) => join(path, 'no\nne', 'thread.jsonl')],
    ['a name that is too long', 'thread_unusable', (path) => join(path, 'x'.repeat(5_000))],
  ])('%s', (_, code, pathIn) => {
    const path = pathIn(folder())
    expect(thrown(() => openThread(path)).code).toBe(code)
  })

  it('a torn line that cannot be kept aside is not cut off', () => {
    const path = threadPath()
    writeFileSync(path, '{"id"', { mode: 0o600 })
    mkdirSync(`${path}.torn`)
    expect(thrown(() => openThread(path))).toMatchObject({ code: 'thread_not_a_file', path: `${path}.torn` })
    rmSync(`${path}.torn`, { recursive: true })
    expect(openThread(path).findings.map(({ code }) => code)).toEqual(['thread_torn'])
  })

  it.each([
    ['ENOSPC', 'thread_disk_full'],
    ['EDQUOT', 'thread_disk_full'],
    ['EFBIG', 'thread_disk_full'],
    ['EROFS', 'thread_read_only'],
    ['EACCES', 'thread_not_permitted'],
    ['EPERM', 'thread_not_permitted'],
    ['ENXIO', 'thread_not_a_file'],
    ['EIO', 'thread_unusable'],
    ['EMFILE', 'thread_unusable'],
  ])('%s is %s, with its cause', (reason, code) => {
    const cause = Object.assign(new Error(`${reason}: at /some/place`), { code: reason })
    const error = thrown(() => {
      throw asThreadError('thread.jsonl', cause)
    })
    expect([error.code, error.cause, error.path]).toEqual([code, cause, 'thread.jsonl'])
  })

  it('what is no error of the system is told as well', () => {
    for (const odd of [null, undefined, 'x', new Error('y\nz')])
      expect(
        thrown(() => {
          throw asThreadError('x', odd)
        }).code,
      ).toBe('thread_unusable')
  })
})
