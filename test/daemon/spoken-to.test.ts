import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FakeCliScript } from '../../src/testing.ts'
import { Console, folderOf } from '../faces/console.ts'
import { BO, build, DaemonStage } from './daemon-stage.ts'

beforeAll(build, 300_000)

/** A command in another process than the daemon's: what it answered. */
async function command(stage: DaemonStage, ...argv: string[]) {
  const shell = new Console({ cwd: stage.folder })
  const code = await shell.run(...argv)
  return { code, out: shell.out, err: shell.err, json: () => shell.json }
}

describe('a daemon that is spoken to', () => {
  it('shows what it is asked until that is approved, and breaks off its call when it is told to', async () => {
    const script: FakeCliScript = { claude: [{ text: 'Ready.\nplay: gate Shall I deploy?' }, { silence: true }] }
    const stage = await DaemonStage.of({ script })
    const daemon = stage.run()
    await stage.programs.took('claude', 2)
    const status = await command(stage, 'status')
    expect(status.out).toContain('asks in #1: Shall I deploy?\n')
    expect(await command(stage, 'approve', 'bo')).toMatchObject({ code: 1 })
    expect(await command(stage, 'approve', 'ana')).toMatchObject({ code: 0, out: 'approved: ana\n' })
    expect((await command(stage, 'status')).out).toMatch(/^ana .*\[at work, approved\]$/m)
    const working = await command(stage, 'status', '--json')
    expect(working.code).toBe(0)
    expect(working.json()).toMatchObject([{ pid: daemon.pid, directory: stage.folder, state: 'running', posts: 1, running: { participant: 'ana' } }])
    expect(await command(stage, 'stop', '--now')).toMatchObject({ code: 0, out: 'stopped\n' })
    expect((await daemon.ended).code).toBe(0)
    expect(existsSync(stage.state('control.sock'))).toBe(false)
    expect(await stage.programs.survivors()).toEqual([])
    expect(await command(stage, 'status')).toMatchObject({ code: 2, err: expect.stringContaining('no daemon runs here') })
  })

  it('takes what the person says, also while it is paused, and lets a mention decide who goes on', async () => {
    const script: FakeCliScript = {
      claude: [{ text: 'a1', afterMs: 50 }, { text: 'a2' }, { silence: true }],
      codex: [{ text: 'b1' }, { silence: true }, { silence: true }],
    }
    const stage = await DaemonStage.of({ script, participants: { ana: 'provider: claude', ...BO } })
    const daemon = stage.run(['--json'])
    await stage.programs.took('claude', 1)
    expect(await command(stage, 'pause')).toMatchObject({ code: 0 })
    await daemon.shown('"state":"paused"')
    expect(await command(stage, 'status')).toMatchObject({ code: 3, out: expect.stringMatching(/^paused /) })
    const said = await command(stage, 'say', '@ana once more')
    expect(said).toMatchObject({ code: 0, out: '#2\n' })
    expect(await command(stage, 'resume')).toMatchObject({ code: 0 })
    await stage.programs.took('claude', 2)
    await stage.programs.took('codex', 1)
    expect(stage.texts.slice(0, 3)).toEqual(['a1', '@ana once more', 'a2'])
    await command(stage, 'stop', '--now')
    expect((await daemon.ended).code).toBe(0)
  })

  it('stop waits until the daemon has ended; its attempts are summed by participant then, from its folder and by its path', async () => {
    const script: FakeCliScript = { claude: [{ text: 'a1' }, { text: 'a2', afterMs: 100 }], codex: [{ text: 'b1' }] }
    const stage = await DaemonStage.of({ script, participants: { ana: 'provider: claude', ...BO } })
    const daemon = stage.run()
    await stage.programs.took('claude', 2)
    expect(await command(stage, 'stop')).toMatchObject({ code: 0, out: 'stopped\n' })
    expect(stage.texts).toEqual(['a1', 'b1', 'a2'])
    expect((await daemon.ended).code).toBe(0)
    const here = await command(stage, 'ledger', '--by', 'participant')
    expect(here.out).toMatch(/^ana\b.*\n?[\s\S]*^bo\b/m)
    const elsewhere = new Console({ cwd: folderOf({}) })
    expect(await elsewhere.run('ledger', stage.state('ledger.jsonl'), '--by', 'participant')).toBe(0)
    expect(elsewhere.out).toBe(here.out)
  })
})
