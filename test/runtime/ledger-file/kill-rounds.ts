import { expect } from 'vitest'
import { ROOT } from '../../architecture/source.ts'
import { bundleOf, startWriter } from '../thread/writer.ts'
import { ledgerFile, linesIn } from './rig.ts'

/** Attempts without end. What was taken is told on standard output after `append` or `close` has returned; the first error ends it. */
const WRITER = `
import { writeSync } from 'node:fs'
import { jsonlLedger } from './ledger.mjs'
const [path, turn] = process.argv.slice(2)
let failed = false
const onError = (error) => {
  failed = true
  writeSync(1, 'error ' + error.code + ' ' + error.message + '\\n')
}
const ledger = jsonlLedger(path, { onError })
const row = { turn, requested: { profile: 'a.x', model: 'm' }, profile: 'a.x', model: 'm'.repeat(3_000), mode: 'call', startedAt: 0 }
const bill = { costBasis: 'metered', price: null, reportedPicoUsd: null }
const end = { endedAt: 1, outcome: 'ok', accepted: true, iteration: null, usage: { input: 1, output: 1 }, costPicoUsd: 1, cost: 1e-12, ...bill }
const open = { endedAt: null, outcome: null, accepted: false, iteration: null, usage: null, costPicoUsd: null, cost: null, ...bill }
for (let n = 1; !failed; n++) {
  ledger.append({ ...row, n, ...open })
  if (failed) break
  writeSync(1, 'started ' + n + '\\n')
  ledger.close(turn, n, end)
  if (!failed) writeSync(1, 'ended ' + n + '\\n')
}
`

/** The folder of the writer. */
export function ledgerWriter(): Promise<string> {
  return bundleOf(`export { jsonlLedger } from ${JSON.stringify(`${ROOT}src/runtime/ledger-file.ts`)}`, 'ledger.mjs', WRITER)
}

/** Two writers of one ledger at once, killed when they have told some lines, and two more after them: no line that was told is lost. */
export async function killRounds(directory: string, rounds: number): Promise<void> {
  const path = ledgerFile()
  const told: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const writers = [2 * round, 2 * round + 1].map((turn) => ({ turn, ...startWriter(directory, path, turn) }))
    await Promise.all(writers.map((writer) => writer.told((round * 7) % 13)))
    for (const { child } of writers) child.kill('SIGKILL')
    for (const { turn, lines } of writers) told.push(...(await lines).map((line) => `${turn} ${line}`))
  }
  const found = linesIn(path)
  const attempts = found.flatMap((line) => (line.kind === 'attempt' ? [line] : []))
  const written = new Set(attempts.map(({ event, row }) => `${row.turn} ${event.slice('attempt.'.length)} ${row.n}`))
  const rows = new Map(attempts.map(({ attempt, row }) => [attempt, row]))
  const lost = [...rows.values()].filter(({ endedAt }) => endedAt === null).length
  expect(told.filter((line) => !written.has(line))).toEqual([])
  expect(written.size).toBe(attempts.length)
  expect(told.length).toBeGreaterThan(rounds)
  // The last line of each may have been taken, and its writer killed before it could tell.
  expect(written.size - told.length).toBeLessThanOrEqual(2 * rounds)
  expect(lost).toBeLessThanOrEqual(2 * rounds)
  console.log(
    `${2 * rounds} processes killed: ${told.length} lines told, 0 lost; ${found.length - attempts.length} torn, ${lost} attempts never ended`,
  )
}
