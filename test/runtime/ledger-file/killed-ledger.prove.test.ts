import { rmSync } from 'node:fs'
import { afterAll, beforeAll, it } from 'vitest'
import { killRounds, ledgerWriter } from './kill-rounds.ts'

let directory = ''
beforeAll(async () => {
  directory = await ledgerWriter()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it('R34 processes that are killed 40 times while they write one ledger lose no line that they were told to be in it', () => killRounds(directory, 20))
