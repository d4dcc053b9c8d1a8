import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ROOT } from '../../architecture/source.ts'
import { bundleOf, startWriter } from '../../runtime/thread/writer.ts'
import { databaseFile, raw, rowsIn } from './rig.ts'

/**
 * Attempts, so many or without end. What was taken is told on standard output after `append` or `close` has returned; the first error ends it.
 * With an instant it begins a ledger at that one and at each step after it, as other processes do with the same ones.
 */
const WRITER = `
import { writeSync } from 'node:fs'
import { sqliteLedger } from './ledger.mjs'
const [path, turn, most = 'Infinity', from] = process.argv.slice(2)
let failed = false
const onError = (error) => {
  failed = true
  writeSync(1, 'error ' + error.code + ' ' + error.message + '\\n')
}
const row = { turn, requested: { profile: 'a.x', model: 'm' }, profile: 'a.x', model: 'm'.repeat(3_000), mode: 'call', startedAt: 0 }
const bill = { costBasis: 'metered', price: null, reportedPicoUsd: null }
const end = { endedAt: 1, outcome: 'ok', accepted: true, iteration: null, usage: { input: 1, output: 1 }, costPicoUsd: 1, cost: 1e-12, ...bill }
const open = { endedAt: null, outcome: null, accepted: false, iteration: null, usage: null, costPicoUsd: null, cost: null, ...bill }
for (let n = 1; from !== undefined && n <= Number(most); n++) {
  while (Date.now() < Number(from) + n * 20);
  sqliteLedger(path + n, { onError }).append({ ...row, n, ...open })
}
const ledger = sqliteLedger(path, { onError })
for (let n = 1; from === undefined && !failed && n <= Number(most); n++) {
  ledger.append({ ...row, n, ...open })
  if (failed) break
  writeSync(1, 'started ' + n + '\\n')
  ledger.close(turn, n, end)
  if (!failed) writeSync(1, 'ended ' + n + '\\n')
}
`

/** The folder of the writer. The driver stands in it, or what is to be found in its place, or nothing. */
export async function databaseWriter(driver: 'installed' | 'missing' | { readonly instead: string } = 'installed'): Promise<string> {
  const exported = `export { sqliteLedger } from ${JSON.stringify(`${ROOT}src/adapters/sqlite/sqlite-ledger.ts`)}`
  const directory = await bundleOf(exported, 'ledger.mjs', WRITER)
  const packages = join(directory, 'node_modules')
  mkdirSync(packages)
  if (driver === 'installed') symlinkSync(join(ROOT, 'node_modules', 'better-sqlite3'), join(packages, 'better-sqlite3'))
  if (typeof driver === 'object') writeFileSync(join(packages, 'better-sqlite3.js'), driver.instead)
  return directory
}

/** Two writers of one database at once, killed when they have told some rows, and two more after them: no row that was told is lost. */
export async function killRounds(directory: string, rounds: number): Promise<void> {
  const path = databaseFile()
  const told: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const writers = [2 * round, 2 * round + 1].map((turn) => ({ turn, ...startWriter(directory, path, turn) }))
    await Promise.all(writers.map((writer) => writer.told((round * 7) % 13)))
    for (const { child } of writers) child.kill('SIGKILL')
    for (const { turn, lines } of writers) told.push(...(await lines).map((line) => `${turn} ${line}`))
  }
  const rows = rowsIn(path)
  const written = new Set(rows.flatMap(({ turn, n, endedAt }) => [`${turn} started ${n}`, ...(endedAt === null ? [] : [`${turn} ended ${n}`])]))
  const lost = rows.filter(({ endedAt }) => endedAt === null).length
  expect(told.filter((line) => !written.has(line))).toEqual([])
  expect(told.length).toBeGreaterThan(rounds)
  // The last row of each may have been taken, and its writer killed before it could tell.
  expect(written.size - told.length).toBeLessThanOrEqual(2 * rounds)
  expect(lost).toBeLessThanOrEqual(2 * rounds)
  expect(raw(path).pragma('integrity_check', { simple: true })).toBe('ok')
  console.log(`${2 * rounds} processes killed: ${told.length} rows told, 0 lost; ${lost} attempts never ended; integrity ok`)
}
