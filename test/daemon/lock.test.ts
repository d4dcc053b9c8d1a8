import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { processStart } from '../../src/host.ts'
import { build, type Daemon, DaemonStage } from './daemon-stage.ts'

beforeAll(build, 300_000)

const SILENT = { claude: [{ silence: true as const }] }

async function withLock(lock: string): Promise<DaemonStage> {
  const stage = await DaemonStage.of({ script: { claude: [{ text: 'one' }] } })
  mkdirSync(stage.state('.'), { mode: 0o700 })
  writeFileSync(stage.state('lock'), lock)
  return stage
}

/** A process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

describe('one daemon a folder', () => {
  it('a second one refuses with one line, and the first goes on', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ silence: true }] } })
    const first = stage.run()
    await stage.programs.took('claude')
    const lock = stage.text('lock')
    const { code, out, err } = await stage.run().ended
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(new RegExp(`^error: \\S+/lock: a daemon runs here already \\(pid ${first.pid}\\)\\. .*\`relevo stop\`\\.\\n$`))
    expect(stage.text('lock')).toBe(lock)
    expect(await stage.programs.calls('claude')).toHaveLength(1)
  })

  it('of five that take over a stale lock at once one begins', async () => {
    const stage = await DaemonStage.of({ script: SILENT })
    mkdirSync(stage.state('.'), { mode: 0o700 })
    writeFileSync(stage.state('lock'), JSON.stringify({ id: randomUUID(), pid: deadPid(), start: '1 gone' }))
    const daemons = Array.from({ length: 5 }, () => stage.run())
    await stage.programs.took('claude')
    const winner = JSON.parse(stage.text('lock')).pid
    const others = daemons.filter(({ pid }) => pid !== winner)
    expect(others).toHaveLength(4)
    const ends = await Promise.all(others.map((daemon: Daemon) => daemon.ended))
    expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 2])
    expect(JSON.parse(stage.text('lock')).pid).toBe(winner)
    expect(await stage.programs.calls('claude')).toHaveLength(1)
  })

  it.each([
    ['of a process that has ended', () => ({ pid: deadPid(), start: '1 gone' })],
    ['of a process that has ended, whose pid another one has', () => ({ pid: process.pid, start: '1 gone' })],
    ['of the same pid and start on another boot', () => ({ pid: process.pid, start: `${processStart(process.pid)?.split(' ')[0]} another-boot` })],
  ])('a lock %s is taken over', async (_, holder) => {
    const stage = await withLock(JSON.stringify({ id: randomUUID(), ...holder() }))
    expect((await stage.run(['--once']).ended).code).toBe(0)
    expect(stage.texts).toEqual(['one'])
    expect(existsSync(stage.state('lock'))).toBe(false)
  })

  it('a lock of a process that lives and is none of ours is obeyed', async () => {
    const stage = await withLock(JSON.stringify({ id: randomUUID(), pid: process.pid, start: processStart(process.pid) }))
    const { code, err } = await stage.run(['--once']).ended
    expect([code, err]).toEqual([2, expect.stringContaining(`(pid ${process.pid})`)])
  })

  it.each(['', 'x', '{}', '[]', 'null', '{"id":"../../etc","pid":1,"start":null}'])('a file %j in its place is told, and left', async (text) => {
    const stage = await withLock(text)
    const { code, err } = await stage.run(['--once']).ended
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: \S+\/lock: this is no lock of relevo, .* remove it\.\n$/)])
    expect([readFileSync(stage.state('lock'), 'utf8'), existsSync(`${stage.folder}/thread.jsonl`)]).toEqual([text, false])
  })

  it('one that is removed while the team works ends the run at the next slice, so that no two work on one thread', async () => {
    const stage = await DaemonStage.of({ script: { claude: [{ text: 'look later\nplay: wait 10' }] }, settings: '{ sleepSliceMs: 1000 }' })
    const daemon = stage.run(['--json'])
    await daemon.shown('"state":"waiting"')
    rmSync(stage.state('lock'))
    const { code, err } = await daemon.ended
    expect(code).toBe(0)
    expect(err.match(/somebody removed or replaced the lock/g)).toHaveLength(1)
  })
})
