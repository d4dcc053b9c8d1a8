import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { filter, firstValueFrom } from 'rxjs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TeamHandle } from '../../../src/index.ts'
import { Stage } from '../../cli/stage.ts'

/** Real processes: fakes of the programs, on the clock of this machine. */
const ended = (team: TeamHandle, n: number) => firstValueFrom(team.events$.pipe(filter((event) => event.type === 'run.ended' && event.run.n === n)))
const HOUR = 3_600_000

describe('a team of programs', () => {
  test('T1 T9 works where it is told to, hops on a limit, and names an exit', { timeout: 60_000 }, async () => {
    const directory = realpathSync(mkdtempSync(`${tmpdir()}/relevo-night-`))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const stage = await Stage.of({
      claude: [{ limit: { resetInMs: HOUR } }],
      codex: [{ text: 'By codex.\n\n@bo your turn.' }, { crash: { exit: 3 } }],
      agy: [{ text: 'By agy.\nplay: gate Shall I?' }],
    })
    const kernel = stage.kernel({ primary: null, team: {}, profiles: { 'codex.main': { cli: { env: { MARK: '1' } } } } })
    const team = kernel.supervise({
      directory,
      participants: [
        { id: 'ana', provider: 'claude', model: 'opus', failover: ['codex'], prompt: 'You are ana.' },
        { id: 'bo', provider: 'agy', prompt: 'You are bo.' },
      ],
    })
    const lines: string[] = []
    team.log$.subscribe(({ line }) => lines.push(line))
    await ended(team, 3)
    expect(lines).toEqual(['ana: claude limited → codex'])
    expect(team.thread.posts().map(({ participant, engine, text }) => [participant, engine, text])).toEqual([
      ['ana', 'codex', 'By codex.\n\n@bo your turn.'],
      ['bo', 'agy', 'By agy.\nplay: gate Shall I?'],
    ])
    expect(team.status).toMatchObject({ state: 'backing_off', participants: [{ engine: 'codex' }, { gate: 2 }] })
    const limitedUntil = team.status.participants[0]?.chain[0]?.limitedUntil ?? 0
    expect(Math.abs(limitedUntil - Date.now() - HOUR)).toBeLessThan(120_000)
    const [claude] = await stage.calls('claude')
    const [codex] = await stage.calls('codex')
    expect(claude).toMatchObject({ directory, args: expect.arrayContaining(['opus']) })
    expect(codex).toMatchObject({ directory, environment: expect.arrayContaining(['MARK']) })
    expect(codex?.args).not.toContain('opus')
    expect(
      kernel.ledger
        .rows()
        .map(({ participant, outcome }) => `${participant} ${outcome}`)
        .slice(0, 3),
    ).toEqual(['ana rate_limited', 'ana ok', 'bo ok'])
    await team.stop({ immediate: true })
  })

  test('an immediate stop leaves no process, and neither does that of the kernel', { timeout: 60_000 }, async () => {
    const stage = await Stage.of({ claude: [{ silence: true, grandchild: true, ignoreTerm: true }] })
    const kernel = stage.kernel({ primary: null, team: {}, profiles: {} })
    const participants = [{ id: 'ana', provider: 'claude', prompt: 'You are ana.' }]
    const team = kernel.supervise({ participants })
    await stage.took('claude')
    expect((await team.stop({ immediate: true })).reason).toBe('stop')
    await stage.gone()
    const next = kernel.supervise({ participants, thread: team.thread, standing: team.standing })
    const lost = firstValueFrom(next.events$.pipe(filter((event) => event.type === 'run.lost')))
    expect(await lost).toMatchObject({ run: { n: 1, participant: 'ana', engine: 'claude' } })
    await stage.took('claude', 2)
    await kernel.stop()
    expect((await next.done).reason).toBe('stop')
    expect(await stage.survivors()).toEqual([])
  })
})
