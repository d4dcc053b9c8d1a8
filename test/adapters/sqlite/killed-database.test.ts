import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folder } from '../../runtime/ledger-file/rig.ts'
import { startWriter } from '../../runtime/thread/writer.ts'
import { databaseWriter, killRounds } from './database-writer.ts'
import { absent, databaseFile, raw, rowsIn } from './rig.ts'

let directory = ''
beforeAll(async () => {
  directory = await databaseWriter()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe.skipIf(absent !== null)('R34 processes that write one database', () => {
  // Twenty times: killed-database.prove.test.ts.
  it('killed while they write, they lose no row that they were told to be in it', { timeout: 60_000 }, () => killRounds(directory, 4))

  const four = (path: string, args: string): Promise<readonly (readonly string[])[]> =>
    Promise.all([1, 2, 3, 4].map((turn) => startWriter(directory, path, turn, { through: ['sh', '-c', `exec "$@" ${args}`, 'sh'] }).lines))

  it('four that write all at once enter every row, and none is refused', { timeout: 60_000 }, async () => {
    const path = databaseFile()
    const told = await four(path, '200')
    expect(told.flat().filter((line) => line.startsWith('error'))).toEqual([])
    expect(rowsIn(path).filter(({ endedAt, cost }) => endedAt === 1 && cost === 1e-12)).toHaveLength(800)
    expect(raw(path).prepare('SELECT turn, attempts, cost_pico_usd FROM turn_cost ORDER BY turn').raw().all()).toEqual(
      ['1', '2', '3', '4'].map((turn) => [turn, 200, 200]),
    )
  })

  it('four that make it at the same instant make one, and none is refused', { timeout: 60_000 }, async () => {
    const path = databaseFile()
    const told = await four(path, `40 ${Date.now() + 1_000}`)
    expect(told.flat()).toEqual([])
    for (let n = 1; n <= 40; n++)
      expect(
        rowsIn(path + n)
          .map(({ turn }) => turn)
          .sort(),
      ).toEqual(['1', '2', '3', '4'])
  })
})

describe.skipIf(absent !== null)('R34 a disk without room, for real', () => {
  it('keeps what was taken, says so in one line, and throws nothing', async () => {
    const path = databaseFile()
    // 512 bytes a block: the tables and some rows fit.
    const { lines } = startWriter(directory, path, 1, { through: ['sh', '-c', 'ulimit -f 512; exec "$@"', 'sh'] })
    const told = await lines
    expect(told.at(-1)).toBe(`error ledger_unusable ${path}: the disk of the ledger did not take a write. Make room on it, or look after it.`)
    const rows = rowsIn(path)
    const ended = rows.filter(({ endedAt }) => endedAt !== null)
    expect(rows.length + ended.length).toBe(told.length - 1)
    expect(rows.length).toBeGreaterThan(5)
    expect(raw(path).pragma('integrity_check', { simple: true })).toBe('ok')
  })
})

describe.skipIf(absent !== null)('R34 a folder that takes no writing', () => {
  const isRoot = process.getuid?.() === 0
  /** Rights do not bind root; the writer is then somebody else. */
  const user = isRoot ? { user: 65_534 } : {}
  const REFUSED = 'the ledger may not be used. Give this user the rights to the file and its folder.'

  it('no database is made, and one line says why', async () => {
    const place = folder()
    chmodSync(place, 0o555)
    const path = join(place, 'ledger.db')
    expect(await startWriter(directory, path, 1, user).lines).toEqual([`error ledger_not_permitted ${path}: ${REFUSED}`])
    expect(existsSync(path)).toBe(false)
    chmodSync(place, 0o755)
  })

  it('a database that is for reading only stays as it is', async () => {
    const place = folder()
    const path = join(place, 'ledger.db')
    const first = startWriter(directory, path, 1, { through: ['sh', '-c', 'exec "$@" 2', 'sh'] })
    expect(await first.lines).toHaveLength(4)
    const before = readFileSync(path)
    chmodSync(path, 0o444)
    chmodSync(place, 0o755)
    expect(await startWriter(directory, path, 2, user).lines).toEqual([`error ledger_not_permitted ${path}: ${REFUSED}`])
    expect(readFileSync(path)).toEqual(before)
    expect(rowsIn(path)).toHaveLength(2)
  })
})

describe('R34 without the driver', () => {
  const unbuilt = "module.exports = class { constructor() { throw Object.assign(new Error('no binary'), { code: 'ERR_DLOPEN_FAILED' }) } }"

  it.each([
    ['missing' as const, 'the ledger needs `better-sqlite3`, which is not installed. Run `npm install better-sqlite3@12`'],
    [{ instead: unbuilt }, '`better-sqlite3` does not load: its binary is missing, or made for another Node. Run `npm rebuild better-sqlite3`'],
  ])('%j: one line says what to run, no file is made, and nothing is thrown', async (driver, words) => {
    const without = await databaseWriter(driver)
    const path = databaseFile()
    expect(await startWriter(without, path, 1).lines).toEqual([
      `error ledger_no_driver ${path}: ${words} where relevo is installed, or keep the ledger in \`ledger.jsonl\`.`,
    ])
    expect(existsSync(path)).toBe(false)
    rmSync(without, { recursive: true, force: true })
  })
})
