import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { RecordingReader } from '../../../../src/faces/page/client/recording.ts'
import { reduced } from '../../../../src/faces/page/client/reduce.ts'
import { EMPTY, type PageState } from '../../../../src/faces/page/client/state.ts'
import { ROOT } from '../../../architecture/source.ts'
import { Console } from '../../console.ts'

/** The state after a scenario that a kernel has played: what it records is what a live page is told. */
async function recorded(scenario: string): Promise<PageState> {
  const folder = mkdtempSync(join(tmpdir(), 'relevo-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'record.jsonl')
  await new Console().run('simulate', `${ROOT}docs/examples/${scenario}`, '--record', file)
  const reader = new RecordingReader()
  reader.add(readFileSync(file, 'utf8'))
  const { events, problems } = reader.finish(scenario)
  expect(problems).toEqual([])
  return reduced(EMPTY, events)
}

it('every event of a kernel is one that the page can read: turns, attempts, rows, chains, actors', async () => {
  const state = await recorded('limited-until-six.json')
  const turns = [...state.turns.values()]
  expect(turns.map(({ kind }) => kind)).toEqual(turns.map(() => 'ok'))
  expect(turns.flatMap(({ attempts }) => attempts).length).toBe(state.rows.length)
  expect([state.chains.size, state.rows.length, state.actors.size].every((count) => count > 0)).toBe(true)
})

it('every event of a team is one that the page can read: status, log, chart', async () => {
  const state = await recorded('night-of-a-team.json')
  expect([state.team?.state, [...state.actors.values()].map(({ machine }) => machine)]).toEqual(['stopped', ['team']])
  expect(state.log.length).toBeGreaterThan(3)
  expect(state.opened?.team?.participants.length).toBe(state.team?.participants.length)
})
