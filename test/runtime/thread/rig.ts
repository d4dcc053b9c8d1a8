import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { NewPost } from '../../../src/model/post.ts'
import type { ThreadDisk } from '../../../src/runtime/thread/thread-disk.ts'

export const AT = Date.UTC(2026, 2, 1, 12)

export const said = (text: string, more: Partial<NewPost> = {}): NewPost => ({ at: AT, participant: 'ana', engine: 'codex', text, ...more })

/** A folder of the test's own, gone with it. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'relevo-thread-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export const threadPath = () => join(folder(), 'thread.jsonl')

const failure = (code: string) => Object.assign(new Error(code), { code })

/** A file in memory that does what the test says. */
export class LyingDisk implements ThreadDisk {
  bytes: Buffer
  /** Bytes that still fit; a write that does not fit is taken in part, as a disk does. */
  room = Number.POSITIVE_INFINITY
  /** Calls that fail, with what the system would say. */
  readonly fails = new Map<'write' | 'cut' | 'sync', string>()
  isMoved = false
  isClosed = false
  synced = 0

  constructor(bytes = '') {
    this.bytes = Buffer.from(bytes)
  }

  length(): number | null {
    return this.isMoved ? null : this.bytes.length
  }

  read(into: Uint8Array, from: number): number {
    return this.bytes.copy(into, 0, from)
  }

  write(bytes: Uint8Array): number {
    this.#failIf('write')
    if (this.room <= 0) throw failure('ENOSPC')
    // Never more than 100 bytes at once: whoever trusts one call loses the rest.
    const taken = Math.min(bytes.length, this.room, 100)
    this.room -= taken
    this.bytes = Buffer.concat([this.bytes, bytes.subarray(0, taken)])
    return taken
  }

  cut(length: number): void {
    this.#failIf('cut')
    this.room += this.bytes.length - length
    this.bytes = this.bytes.subarray(0, length)
  }

  sync(): void {
    this.#failIf('sync')
    this.synced++
  }

  close(): void {
    this.isClosed = true
  }

  #failIf(call: 'write' | 'cut' | 'sync'): void {
    const code = this.fails.get(call)
    if (code !== undefined) throw failure(code)
  }
}
