import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { order } from '../../src/faces/daemon/control-client.ts'
import type { PageEvent } from '../../src/faces/page/page-event.ts'
import { BO, build, DaemonStage, linesOf } from './daemon-stage.ts'

beforeAll(build, 300_000)

describe('a run that is ended', () => {
  it('SIGTERM lets the call in flight end, keeps its post, and leaves no lock', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ text: 'one' }, { text: 'two', afterMs: 100 }, { text: 'three' }] } })
    const daemon = stage.run()
    await stage.programs.took('claude', 2)
    expect(JSON.parse(stage.text('lock'))).toMatchObject({ pid: daemon.pid })
    expect(stage.text('heartbeat')).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z ${daemon.pid}\\n$`))
    daemon.kill('SIGTERM')
    const { code, err, out } = await daemon.ended
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('waiting for the call of ana on claude to end; once more to end at once\n')
    expect(stage.texts).toEqual(['one', 'two'])
    expect(stage.attempts).toMatchObject({ open: [], served: 2 })
    expect(JSON.parse(stage.text('state.json'))).toMatchObject({ version: 1, end: 'stop', standing: { begun: 2, run: null } })
    expect(readdirSync(stage.state('.')).sort()).toEqual(['heartbeat', 'ledger.jsonl', 'log.jsonl', 'runs', 'state.json'])
    expect(statSync(stage.state('.')).mode & 0o777).toBe(0o700)
    for (const name of ['heartbeat', 'ledger.jsonl', 'log.jsonl', 'state.json']) expect(statSync(stage.state(name)).mode & 0o777, name).toBe(0o600)
  })

  it('the second SIGINT ends at once with 130, the call with it, and the next run makes that turn again', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ silence: true, ignoreTerm: true }, { text: 'again' }] } })
    const daemon = stage.run()
    await stage.programs.took('claude')
    daemon.kill('SIGINT')
    await daemon.shown('once more to end at once')
    daemon.kill('SIGINT')
    expect((await daemon.ended).code).toBe(130)
    const { code, err } = await stage.run(['--once']).ended
    expect(code).toBe(0)
    expect(err).toContain('the process before was ended in turn 1, and the run goes on from there')
    expect(err).toContain('the call of ana on claude was lost with the process before; the turn is made again')
    expect(stage.texts).toEqual(['again'])
    expect(await stage.programs.survivors()).toEqual([])
  })

  it('one that came to its bound begins anew, and the order goes on', async () => {
    const script = { claude: [{ text: 'a1' }, { text: 'a2' }, { text: 'a3' }], codex: [{ text: 'b1' }, { text: 'b2' }, { text: 'b3' }] }
    const stage = await DaemonStage.of({ script, participants: { ana: 'provider: claude', ...BO }, settings: '{ maxIterations: 3 }' })
    for (const _ of [1, 2]) expect((await stage.run().ended).code).toBe(0)
    expect(stage.texts).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
  })
})

describe('a run that nobody reads any more', () => {
  it('works on without a reader of its output, and ends no call for it', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ text: 'one' }] }, settings: '{ maxIterations: 3 }' })
    const daemon = stage.run(['--json'])
    await daemon.shown('"state.entered"')
    daemon.unread()
    expect((await daemon.ended).code).toBe(0)
    expect(stage.texts).toEqual(['one', 'one', 'one'])
    expect(existsSync(stage.state('lock'))).toBe(false)
  })

  it('works on when the terminal that it was started from goes away, where it has none itself (nohup)', async () => {
    const stage = await DaemonStage.of({
      script: { claude: [{ text: 'one', afterMs: 100 }, { text: 'two' }, { text: 'three' }] },
      settings: '{ maxIterations: 3 }',
    })
    const daemon = stage.run()
    await stage.programs.took('claude')
    daemon.kill('SIGHUP')
    const { code, err } = await daemon.ended
    expect([code, stage.texts]).toEqual([0, ['one', 'two', 'three']])
    expect(err).not.toContain('once more to end at once')
  })
})

describe('a run that was killed', () => {
  it('T7 goes on: the orphan is ended, the call is recorded as lost, its row stays open, its turn is made again', async () => {
    const stage = await DaemonStage.of({
      script: { claude: [{ text: 'one' }, { silence: true, ignoreTerm: true, grandchild: true }, { text: 'two' }] },
    })
    const first = stage.run()
    await stage.programs.took('claude', 2)
    first.kill('SIGKILL')
    await first.ended
    const orphans = await stage.programs.survivors()
    expect(orphans).toHaveLength(2)
    const second = stage.run(['--once'])
    expect((await second.ended).code).toBe(0)
    expect(await stage.programs.survivors()).toEqual([])
    expect(stage.texts).toEqual(['one', 'two'])
    expect(stage.attempts.begun).toHaveLength(3)
    expect(stage.attempts.open).toEqual([stage.attempts.begun[1]])
    expect(stage.events.filter(({ type }) => type === 'run.lost')).toMatchObject([{ run: { n: 2, participant: 'ana', engine: 'claude' } }])
  })

  it('a pause outlasts it, and --once answers 3 there', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ text: 'all is well\nplay: done' }] } })
    const daemon = stage.run()
    await daemon.shown('every participant is done')
    daemon.kill('SIGKILL')
    await daemon.ended
    expect((await stage.run(['--once']).ended).code).toBe(3)
    expect(await stage.programs.calls('claude')).toHaveLength(1)
  })

  it('a pause that was ordered while a call was in flight outlasts it too, and so does one that was taken back', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ silence: true }, { text: 'two' }] } })
    const killedAfter = async (...orders: readonly ('pause' | 'resume')[]): Promise<void> => {
      const daemon = stage.run()
      await daemon.shown('1 participant')
      for (const each of orders) await order(stage.state('control.sock'), { do: each })
      daemon.kill('SIGKILL')
      await daemon.ended
    }
    await killedAfter('pause')
    expect((await stage.run(['--once']).ended).code).toBe(3)
    await killedAfter('resume', 'pause', 'resume')
    expect(JSON.parse(stage.text('state.json'))).toMatchObject({ end: null, standing: { paused: null } })
  })
})

describe('--once', () => {
  it('goes on with the chain where the primary is limited', async () => {
    const stage = await DaemonStage.of({
      script: { claude: [{ limit: { resetInMs: 3_600_000 } }], codex: [{ text: 'from codex' }] },
      participants: { ana: 'provider: claude\nfailover: [codex]' },
    })
    expect((await stage.run(['--once']).ended).code).toBe(0)
    expect(stage.thread).toMatchObject([{ participant: 'ana', engine: 'codex', text: 'from codex' }])
  })

  it('hands the turn to whoever can take it, where one participant has no engine left', async () => {
    const stage = await DaemonStage.of({
      script: { claude: [{ limit: { resetInMs: 3_600_000 } }], codex: [{ text: 'from bo' }] },
      participants: { ana: 'provider: claude', ...BO },
    })
    expect((await stage.run(['--once']).ended).code).toBe(0)
    expect(stage.thread).toMatchObject([{ participant: 'bo', engine: 'codex', text: 'from bo' }])
  })

  it('one silent turn is a turn: it answers 1, and nobody else is called', async () => {
    const script = { claude: [{ text: [] }], codex: [{ text: 'from bo' }] }
    const stage = await DaemonStage.of({ script, participants: { ana: 'provider: claude', ...BO } })
    expect((await stage.run(['--once']).ended).code).toBe(1)
    expect(stage.thread).toEqual([])
    expect(await stage.programs.calls('codex')).toEqual([])
  })

  it('a call that failed says where the words of the program stand, which are in no line of the console', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ auth: true }] } })
    const { code, err } = await stage.run(['--once']).ended
    expect([code, err]).toEqual([1, expect.stringContaining('· ana on claude: the call failed; why stands in .relevo/log.jsonl\n')])
    expect(stage.text('log.jsonl')).toContain('Not logged in')
  })

  it('prints its times in UTC where the zone of the process has no name', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ limit: { resetInMs: 3_600_000 } }] } })
    const { code, out } = await stage.run(['--once'], { TZ: '' }).ended
    expect([code, out]).toEqual([4, expect.stringMatching(/^\d\d:\d\d:\d\d every participant limited .* at \d\d:\d\d\n$/)])
  })

  it('T16 answers 4 where everybody is limited, sleeps for nobody, and prints the line behind the time of its zone', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ limit: { resetInMs: 3_600_000 } }] } })
    const { code, out } = await stage.run(['--once'], { TZ: 'Asia/Tokyo' }).ended
    expect([code, await stage.programs.calls('claude')]).toEqual([4, [expect.anything()]])
    const written = stage.events.flatMap((event) => (event.type === 'line.written' ? [event] : []))
    const clock = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', hourCycle: 'h23', timeStyle: 'medium' })
    expect(out.split('\n').slice(0, -1)).toEqual(written.map(({ at, line }) => `${clock.format(at)} ${line}`))
    expect(written).not.toEqual([])
  })
})

describe('what is written of a run', () => {
  it('R36 --json prints its events, --record keeps what a page is told, and no text of a post or a prompt is in any of them', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ text: 'secret-post' }] }, settings: '{ maxIterations: 2 }' })
    const record = join(stage.folder, 'record.jsonl')
    const daemon = stage.run(['--json', '--record', record])
    const { code, out, err } = await daemon.ended
    expect(code).toBe(0)
    const events = daemon.lines.map((line) => JSON.parse(line))
    expect(events).toEqual(stage.events)
    expect(events.map(({ type }) => type)).toEqual([
      'state.entered',
      ...[1, 2].flatMap(() => ['run.started', 'post.appended', 'run.ended']),
      'state.entered',
      'team.ended',
    ])
    const [first, ...rest] = linesOf<PageEvent>(record)
    const participants = [{ id: 'ana', path: join(stage.folder, 'participants/ana.md') }]
    expect(first).toMatchObject({ type: 'page.opened', version: 1, showsText: false, takesOrders: false, team: { participants } })
    const told = rest.flatMap((event) => (event.type === 'team.told' ? [event] : []))
    // How the team stood when the recording began comes first.
    expect(told.slice(1).map(({ event }) => event)).toEqual(events)
    expect(told.at(-1)?.status.state).toBe('stopped')
    expect(rest.filter(({ type }) => type === 'row.closed')).toHaveLength(2)
    const written = [out, err, stage.text('log.jsonl'), stage.text('state.json'), JSON.stringify(linesOf(record))].join('\n')
    expect(written).not.toMatch(/secret-(post|prompt)/)
    expect(stage.texts).toEqual(['secret-post', 'secret-post'])
    expect(statSync(record).mode & 0o777).toBe(0o600)
  })

  it('the ledger of the settings is taken instead of that of the folder', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ text: 'one' }] }, settings: '{}\nledger: { jsonl: here.jsonl }' })
    const { code } = await stage.run(['--once']).ended
    const isKept = existsSync(join(stage.folder, 'here.jsonl'))
    expect([code, isKept, existsSync(stage.state('ledger.jsonl'))]).toEqual([0, true, false])
  })
})
