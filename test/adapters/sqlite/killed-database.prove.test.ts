import { rmSync } from 'node:fs'
import { afterAll, beforeAll, it } from 'vitest'
import { databaseWriter, killRounds } from './database-writer.ts'
import { absent } from './rig.ts'

let directory = ''
beforeAll(async () => {
  directory = await databaseWriter()
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it.skipIf(absent !== null)('R34 processes that are killed 40 times while they write one database lose no row that they were told to be in it', () =>
  killRounds(directory, 20),
)
