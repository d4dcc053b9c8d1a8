import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RecordingReader } from '../../../src/faces/page/client/recording.ts'
import { reduced } from '../../../src/faces/page/client/reduce.ts'
import { EMPTY, type PageState } from '../../../src/faces/page/client/state.ts'
import type { PageEvent } from '../../../src/faces/page/page-event.ts'
import { recordPage } from '../../../src/faces/page/page-record.ts'
import { memoryThread } from '../../../src/index.ts'
import { settle, watch } from '../../runtime/rig.ts'
import { Console, folderOf } from '../console.ts'
import { fact, pageRig } from './page-rig.ts'

const EXAMPLES = join(import.meta.dirname, '../../../docs/examples')

/** The events of a recording, read as the page reads them. */
function read(path: string): readonly PageEvent[] {
  const reader = new RecordingReader()
  reader.add(readFileSync(path, 'utf8'))
  const { events, problems } = reader.finish(path)
  expect(problems).toEqual([])
  return events
}

function shown({ turns, rows, sums, holds, team, posts, log, chains, actors }: PageState): unknown {
  const stands = [...actors.values()].map(({ key, name, state, status }) => [key, name, state, status].join(' ')).sort()
  return { turns, rows, sums, holds, team, posts, log, chains: [...chains.values()].map(({ plan }) => plan), stands }
}

describe('a recording', () => {
  it('replays to what the live page shows, and is for its user alone', async () => {
    const rig = await pageRig()
    const path = join(folderOf({}), 'record.jsonl')
    const record = recordPage(rig.sources, path, { title: 'a test', team: null }, () => {})
    const looker = await rig.look()
    for (const id of ['t1', 't2']) {
      watch(rig.kernel, { id, prompt: 'SECRET-PROMPT' })
      await settle()
      if (id === 't1') rig.last().fail('rate_limited', { retryAfterMs: 60_000 })
      await settle()
      rig.last().opened().text('SECRET-ANSWER').final()
      await looker.told((event) => event.type === 'actor.stepped' && event.name === id && event.machine === 'turn' && event.status === 'done')
    }
    await looker.told((event) => event.type === 'row.closed' && event.row.turn === 't2')
    await looker.told((event) => event.type === 'chain.planned' && event.plan.entries[0]?.skip === 'held')
    record.close()
    const events = read(path)
    expect(events[0]).toMatchObject({ type: 'page.opened', version: 1, takesOrders: false, showsText: false })
    const live = shown(reduced(EMPTY, looker.events))
    const replayed = shown(reduced(EMPTY, events))
    expect(replayed).toEqual(live)
    expect(readFileSync(path, 'utf8')).not.toMatch(/SECRET/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('that can take nothing more ends, is told of once, and nothing else does', async () => {
    const rig = await pageRig()
    const told: unknown[] = []
    const record = recordPage(rig.sources, '/dev/full', { title: 'x', team: null }, (error) => told.push((error as NodeJS.ErrnoException).code))
    rig.sources.add({ type: 'team.logged', at: 1, line: 'one' })
    expect(told).toEqual(['ENOSPC'])
    record.close()
    const looker = await rig.look()
    rig.sources.add({ type: 'team.logged', at: 1, line: 'two' })
    await looker.told((event) => event.type === 'team.logged' && event.line === 'two')
  })
})

describe('R36 texts', () => {
  const secret = 'SECRET-POST'

  it.each([
    [false, null],
    [true, secret],
  ])('R36 of posts are shown only where that was asked for (%s), and are in no recording', async (showsText, text) => {
    const rig = await pageRig({ showsText })
    const path = join(folderOf({}), 'record.jsonl')
    const record = recordPage(rig.sources, path, { title: 'a test', team: null }, () => {})
    const thread = memoryThread()
    thread.append({ at: 0, participant: null, engine: null, text: secret })
    const team = rig.kernel.supervise({ participants: [{ id: 'ana', provider: 'a.x', prompt: 'SECRET-PROMPT' }], thread, zone: 'UTC', id: 'team' })
    rig.sources.followTeam(team)
    rig.page.orderTeam(team)
    await settle()
    rig.last().opened().text('SECRET-ANSWER').final()
    await settle()
    expect((await rig.order({ do: 'say', text: `${secret} again` })).status).toBe(200)
    const looker = await rig.look()
    await looker.told((event) => event.type === 'team.posted' && event.post.id === 3)
    const posts = looker.events.flatMap((event) => (event.type === 'team.posted' ? [event.post] : []))
    expect(posts.map(({ id, participant }) => [id, participant])).toEqual([
      [1, null],
      [2, 'ana'],
      [3, null],
    ])
    expect(posts[0]?.text).toBe(text)
    expect(looker.raw).not.toContain('SECRET-PROMPT')
    if (!showsText) expect(looker.raw).not.toContain('SECRET')
    record.close()
    expect(readFileSync(path, 'utf8')).not.toContain('SECRET')
    expect(read(path).some(({ type }) => type === 'team.posted')).toBe(true)
    await team.stop({ immediate: true })
  })
})

function startOf(example: string): number {
  return Date.parse(JSON.parse(readFileSync(join(EXAMPLES, example), 'utf8')).startAt)
}

describe('relevo simulate --record', () => {
  it('records a scenario of calls on its own clock', async () => {
    const folder = folderOf({})
    const console = new Console({ cwd: folder })
    expect(await console.run('simulate', join(EXAMPLES, 'limited-until-six.json'), '--record', 'calls.jsonl')).toBe(0)
    const events = read(join(folder, 'calls.jsonl'))
    const trace = console.json[0] as { turns: { id: string }[]; ledger: unknown[] }
    const state = reduced(EMPTY, events)
    expect([...state.turns.values()].map(({ turn }) => turn)).toEqual(trace.turns.map(({ id }) => id))
    expect(state.rows).toHaveLength(trace.ledger.length)
    expect(events.some(fact('turn.ended'))).toBe(true)
    expect(events.some((event) => event.type === 'actor.stepped' && event.machine === 'turn')).toBe(true)
    expect(Math.min(...events.map(({ at }) => at))).toBe(startOf('limited-until-six.json'))
  })

  it('records a scenario of a team, with its log, its state and its chart', async () => {
    const folder = folderOf({})
    const console = new Console({ cwd: folder })
    expect(await console.run('simulate', join(EXAMPLES, 'night-of-a-team.json'), '--record', 'team.jsonl')).toBe(0)
    const trace = console.json[0] as { log: { line: string }[]; end: { reason: string }; turns: unknown[] }
    const events = read(join(folder, 'team.jsonl'))
    const state = reduced(EMPTY, events)
    expect(state.log.map(({ line }) => line)).toEqual(trace.log.map(({ line }) => line))
    expect(state.team?.end).toBe(trace.end.reason)
    expect(events.filter((event) => event.type === 'team.told' && event.event.type === 'run.started')).toHaveLength(trace.turns.length)
    expect(events.some((event) => event.type === 'actor.stepped' && event.machine === 'team')).toBe(true)
    expect(Math.min(...events.map(({ at }) => at))).toBe(startOf('night-of-a-team.json'))
  })

  it('is for one scenario, and for a file that can be written', async () => {
    const both = ['limited-until-six.json', 'night-of-a-team.json'].map((name) => join(EXAMPLES, name))
    const folder = folderOf({})
    for (const [files, to, says] of [
      [both, 'r.jsonl', '--record is for a single scenario, and these are 2'],
      [both.slice(0, 1), 'nowhere/r.jsonl', 'the recording cannot be written (ENOENT)'],
      [[], 'r.jsonl', 'No scenario was named'],
    ] as const) {
      const console = new Console({ cwd: folder })
      expect(await console.run('simulate', ...files, '--record', to)).toBe(2)
      expect(console.err).toContain(says)
      expect(existsSync(join(folder, to))).toBe(false)
    }
  })
})
