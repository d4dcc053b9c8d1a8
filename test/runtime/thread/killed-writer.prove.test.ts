import { rmSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { killRounds } from './kill-rounds.ts'
import { writerBundle } from './writer.ts'

it('a process that is killed twenty times while it writes loses no post that it was told to be in the thread, and none is there twice', async () => {
  expect.hasAssertions()
  const directory = await writerBundle()
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  await killRounds(directory, 20)
})
