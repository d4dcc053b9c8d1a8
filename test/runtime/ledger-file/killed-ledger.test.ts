import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWriter } from '../thread/writer.ts'
import { killRounds, ledgerWriter } from './kill-rounds.ts'
import { folder, ledgerFile, linesIn } from './rig.ts'

let directory = ''
beforeAll(async () => {
  directory = await ledgerWriter()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

// Twenty times: killed-ledger.prove.test.ts.
it('R34 processes that are killed while they write one ledger lose no line that they were told to be in it', { timeout: 60_000 }, () =>
  killRounds(directory, 4),
)

describe('R34 a disk without room, for real', () => {
  it('keeps what was taken, says so in one line, and throws nothing', async () => {
    const path = ledgerFile()
    // 512 bytes a block: some lines fit, and the system takes a part of the next one.
    const { lines } = startWriter(directory, path, 1, { through: ['sh', '-c', 'ulimit -f 64; exec "$@"', 'sh'] })
    const told = await lines
    expect(told.at(-1)).toBe(`error ledger_disk_full ${path}: there is no room for another attempt. Make room; every attempt before it is kept.`)
    const attempts = linesIn(path).filter(({ kind }) => kind === 'attempt')
    expect(attempts).toHaveLength(told.length - 1)
    expect(attempts.length).toBeGreaterThan(5)
    expect(readFileSync(path)).toHaveLength(64 * 512)
  })
})

describe('R34 a folder that takes no writing', () => {
  const isRoot = process.getuid?.() === 0
  /** Rights do not bind root; the writer is then somebody else. */
  const user = isRoot ? { user: 65_534 } : {}

  it('no ledger is made, and one line says why', async () => {
    const place = folder()
    chmodSync(place, 0o555)
    const path = join(place, 'ledger.jsonl')
    const { lines } = startWriter(directory, path, 1, user)
    expect(await lines).toEqual([
      `error ledger_not_permitted ${path}: the ledger may not be used. Give this user the rights to the file and its folder.`,
    ])
    expect(existsSync(path)).toBe(false)
    chmodSync(place, 0o755)
  })

  it('a ledger that is for reading only stays as it is', async () => {
    const place = folder()
    const path = join(place, 'ledger.jsonl')
    const first = startWriter(directory, path, 1)
    await first.told(2)
    first.child.kill('SIGKILL')
    await first.lines
    const before = readFileSync(path)
    chmodSync(path, 0o444)
    chmodSync(place, 0o755)
    const { lines } = startWriter(directory, path, 2, user)
    expect((await lines)[0]).toContain('ledger_not_permitted')
    expect(readFileSync(path)).toEqual(before)
    expect(linesIn(path)[0]?.kind).toBe('attempt')
  })
})
