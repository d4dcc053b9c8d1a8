import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openThread } from '../../src/host.ts'
import { BO, build, DaemonStage } from './daemon-stage.ts'

beforeAll(build, 300_000)

const ONE = { script: { claude: [{ text: 'one' }, { text: 'two' }] } }

function inState(stage: DaemonStage, name: string): string {
  mkdirSync(stage.state('.'), { recursive: true, mode: 0o700 })
  return stage.state(name)
}

describe('what cannot be used', () => {
  it('every problem of the settings and of all participants is told at once, and nothing is begun', async () => {
    const participants = { ana: 'provider: claude\nspeed: fast', ...BO, cy: 'provider: nobody.x' }
    const stage = await DaemonStage.of({ ...ONE, participants, settings: '{ maxIterations: -1 }' })
    writeFileSync(join(stage.folder, 'participants/latin.md'), Buffer.from([0x2d, 0x2d, 0x2d, 0xe9]))
    mkdirSync(join(stage.folder, 'participants/folder.md'))
    const { code, out, err } = await stage.run().ended
    expect([code, out]).toEqual([2, ''])
    for (const of of ['team.maxIterations', 'ana.md', 'cy.md', 'latin.md: The file is no UTF-8 text', 'folder.md: The file is no regular file']) {
      expect(
        err.split('\n').filter((line) => line.includes(of)),
        of,
      ).toHaveLength(1)
    }
    expect(readdirSync(stage.folder).sort()).toEqual(['participants', 'relevo.yaml'])
  })

  it.each([
    ['state', '.relevo', /\.relevo: the folder for the state of the team cannot be made \(EEXIST\)\./],
    ['thread', 'thread.jsonl/', /thread\.jsonl: .*/],
    ['socket', '.relevo/control.sock/', /control\.sock: .*/],
    ['lock', '.relevo/lock/', /lock: the lock cannot be made \(EISDIR\)\./],
  ])('something else in the place of the %s ends it with one line, and leaves no lock', async (_, name, line) => {
    const stage = await DaemonStage.of(ONE)
    const path = join(stage.folder, name)
    if (name.endsWith('/')) mkdirSync(path, { recursive: true, mode: 0o700 })
    else writeFileSync(path, '')
    const { code, err } = await stage.run(['--once']).ended
    expect([code, err.trimEnd().split('\n')]).toEqual([2, [expect.stringMatching(new RegExp(`^error: \\S*${line.source}`))]])
    expect(existsSync(stage.state('lock'))).toBe(name.includes('lock'))
    expect(await stage.programs.calls('claude')).toEqual([])
  })

  it.each([
    ['garbage', '{{'],
    ['a newer version', '{"version":2,"standing":{}}'],
    ['a number where a list is meant', '{"version":1,"standing":{"gates":7},"end":null}'],
    ['nothing', ''],
  ])('a state of %s is put aside and told, and the thread goes on', async (_, text) => {
    const stage = await DaemonStage.of(ONE)
    expect((await stage.run(['--once']).ended).code).toBe(0)
    writeFileSync(stage.state('state.json'), text)
    const { code, err } = await stage.run(['--once']).ended
    expect([code, err.match(/state\.json: the state cannot be read; it was moved to/g)?.length]).toEqual([0, 1])
    expect(stage.texts).toEqual(['one', 'two'])
    expect(readdirSync(stage.state('.')).filter((name) => name.startsWith('state.json.broken-'))).toHaveLength(1)
  })

  it.each([
    ['.relevo', /\.relevo: others than its owner may open the folder of the state\. Run `chmod 700 \S+`/],
    ['thread.jsonl', /thread\.jsonl: others than its owner may open the thread\. Run `chmod 600 \S+`/],
  ])('FS-06 a %s that others may open ends it with one line, and nobody is called', async (name, line) => {
    const stage = await DaemonStage.of(ONE)
    if (name === '.relevo') mkdirSync(join(stage.folder, name), { mode: 0o755 })
    else writeFileSync(join(stage.folder, name), '', { mode: 0o644 })
    const { code, err } = await stage.run(['--once']).ended
    expect([code, err.trimEnd().split('\n')]).toEqual([2, [expect.stringMatching(line)]])
    expect([existsSync(stage.state('lock')), await stage.programs.calls('claude')]).toEqual([false, []])
  })

  it('a recording that cannot be made ends it before it begins', async () => {
    const stage = await DaemonStage.of(ONE)
    const { code, err } = await stage.run(['--record', join(stage.folder, 'nowhere/record.jsonl')]).ended
    expect([code, err]).toEqual([2, expect.stringContaining('record.jsonl: the recording cannot be written (ENOENT)')])
    expect([existsSync(stage.state('lock')), await stage.programs.calls('claude')]).toEqual([false, []])
  })
})

describe('what cannot be written while it runs', () => {
  it('a post that a thread edited meanwhile does not take stands beside it when the run was stopped, and can be added to it', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ text: 'one' }, { text: 'dear\n"two"', afterMs: 100 }, { text: 'three' }] } })
    const [thread, lost] = ['thread.jsonl', 'thread.jsonl.lost'].map((name) => join(stage.folder, name)) as [string, string]
    const daemon = stage.run()
    await stage.programs.took('claude', 2)
    appendFileSync(thread, '\n')
    await daemon.shown('is kept and not in the thread yet')
    daemon.kill('SIGTERM')
    const { code, err } = await daemon.ended
    expect([code, err.includes(`${lost}: the post of ana stands there.`), statSync(lost).mode & 0o777]).toEqual([0, true, 0o600])
    appendFileSync(thread, readFileSync(lost))
    expect((await stage.run(['--once']).ended).code).toBe(0)
    expect(
      openThread(thread)
        .thread.posts()
        .map(({ text }) => text),
    ).toEqual(['one', 'dear\n"two"', 'three'])
  })

  it('a state, a heartbeat and a ledger that cannot be written are told once each, and the run goes on', async () => {
    const stage = await DaemonStage.of({ ...ONE, settings: '{ maxIterations: 2 }' })
    for (const name of ['state.json.begun', 'heartbeat', 'ledger.jsonl']) mkdirSync(inState(stage, name))
    const { code, err } = await stage.run().ended
    expect(code).toBe(0)
    for (const name of ['state.json: it cannot', 'heartbeat: it cannot', 'ledger.jsonl: the ledger is no regular file'])
      expect(err.split(name)).toHaveLength(2)
    expect(stage.texts).toEqual(['one', 'two'])
  })

  it('FS-06 a log and a ledger that others may open are told once each, nothing is added to them, and the run goes on', async () => {
    const stage = await DaemonStage.of({ ...ONE, settings: '{ maxIterations: 2 }' })
    for (const name of ['log.jsonl', 'ledger.jsonl']) writeFileSync(inState(stage, name), '', { mode: 0o644 })
    const { code, err } = await stage.run().ended
    expect([code, stage.texts]).toEqual([0, ['one', 'two']])
    for (const told of [
      'log.jsonl: it cannot be written (others than its owner may open it)',
      'ledger.jsonl: others than its owner may open the ledger',
    ])
      expect(err.split(told)).toHaveLength(2)
    expect([stage.text('log.jsonl'), stage.text('ledger.jsonl')]).toEqual(['', ''])
  })

  const hasFull = existsSync('/dev/full')
  it.skipIf(!hasFull)(
    `a full disk under the log is told once, and the run goes on${hasFull ? '' : ' (skipped: there is no /dev/full)'}`,
    async () => {
      const stage = await DaemonStage.of({ ...ONE, settings: '{ maxIterations: 2 }' })
      symlinkSync('/dev/full', inState(stage, 'log.jsonl'))
      const { code, err } = await stage.run().ended
      expect([code, err.split('log.jsonl: it cannot be written (ENOSPC)').length]).toEqual([0, 2])
      expect(stage.texts).toEqual(['one', 'two'])
    },
  )
})
