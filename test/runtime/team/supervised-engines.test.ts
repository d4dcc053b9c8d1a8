import { describe, expect, test } from 'vitest'
import type { TeamEvent } from '../../../src/model/team-event.ts'
import type { KernelConfig } from '../../../src/runtime/kernel-door.ts'
import { settle, watch } from '../rig.ts'
import { ANA, BO, CY, PROFILES, supervised } from './supervised-rig.ts'

const HOUR = 3_600_000
const RETRYING: KernelConfig = { ...PROFILES, reliability: { jitter: 0, providerRetries: 2 } }
const USAGE = { limit: { kind: 'usage', scope: null, binds: 'account' } } as const

function results(events: readonly TeamEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'run.ended' ? [event.result] : []))
}

describe('which engine a participant is called on', () => {
  test('T1 the bare name is the profile of the program, and no profile of another participant is in its plan', async () => {
    const { current, answer, team } = supervised({
      config: { ...PROFILES, profiles: { ...PROFILES.profiles, 'claude.main': { model: 'sonnet', fallback: ['a.x'] } } },
      team: { participants: [{ ...CY, model: null }, ANA], settings: { stallMin: 5, turnTimeoutMin: 90 } },
    })
    const { profile, model } = (await current()).request
    expect(profile).toMatchObject({ id: 'claude.main', timeouts: { totalMs: 5_400_000, idleMs: 300_000 } })
    expect(model).toBe('sonnet')
    await answer('On.')
    expect((await current()).request.entry).toBe('a.x/m1')
    expect(team.status.participants.map(({ engine }) => engine)).toEqual(['claude', 'a.x'])
  })

  test('T10 the pin goes to the primary alone; on a hop the entry names the model, or the profile does', async () => {
    const { current, attempts } = supervised({
      team: { participants: [{ ...CY, failover: ['claude:haiku', 'a.x', 'b.y:m9'] }] },
    })
    for (let hop = 0; hop < 3; hop++) {
      ;(await current()).fail('rate_limited', { ...USAGE, resetAt: HOUR })
      await settle()
    }
    expect(attempts.map(({ request }) => `${request.profile.id} ${request.model}`)).toEqual([
      'claude.main opus',
      'claude.main haiku',
      'a.x m1',
      'b.y m9',
    ])
  })

  test('T6 a limit is the engine’s: who shares it is not called, and a model of it that an entry names is another engine', async () => {
    const { current, called, team, lines } = supervised({
      team: { participants: [CY, { ...CY, id: 'di' }, { ...CY, id: 'ed', provider: 'claude', failover: ['claude:haiku'] }] },
    })
    ;(await current()).fail('rate_limited', { ...USAGE, resetAt: HOUR })
    await settle()
    expect(called()).toEqual(['cy night-1', 'ed night-2'])
    expect(lines()).toContain('cy is rate limited — @ed takes the turn')
    expect(team.status.participants[2]).toMatchObject({
      engine: 'claude:haiku',
      chain: [{ limitedUntil: HOUR, stated: true }, { limitedUntil: null }],
    })
  })

  test('R12 new settings are taken from the next turn on, and a profile that has gone fails the call and not the run', async () => {
    const { current, answer, kernel, team, events } = supervised({ team: { participants: [ANA] } })
    const before = (await current()).request
    kernel.reload({ ...PROFILES, profiles: { 'a.x': { model: 'm8', apiKey: 'k-new' } } })
    await answer('One.')
    const after = (await current()).request
    expect([before.model, after.model]).toEqual(['m1', 'm8'])
    expect(after.secret?.reveal()).toBe('k-new')
    kernel.reload({ ...PROFILES, profiles: { 'b.y': { model: 'm2', apiKey: 'k' } } })
    await answer('Two.')
    expect(results(events)).toEqual(['posted', 'posted', 'failed'])
    expect(team.status.state).toBe('backing_off')
  })

  test('R11 R12 a key is that of the reload, also for an entry whose first call comes when its file has gone', async () => {
    const keys = new Map([['k', 'k-1']])
    const config = { ...PROFILES, profiles: { 'a.x': { model: 'm1', apiKey: { file: 'k' } } } }
    const secrets = { env: () => undefined, file: (path: string) => keys.get(path) }
    const { current, answer, kernel } = supervised({ config, ports: { secrets }, team: { participants: [ANA] } })
    await current()
    keys.set('k', 'k-2')
    kernel.reload({ ...config })
    keys.delete('k')
    await answer('One.')
    expect((await current()).request.secret?.reveal()).toBe('k-2')
  })

  test('R11 a pool is one engine: every key is tried within the call, and the first to come back says until when', async () => {
    const { current, attempts, events, team } = supervised({
      config: { ...PROFILES, profiles: { 'a.x': { model: 'm1', apiKeys: ['k-1', 'k-2'] } } },
      team: { participants: [ANA] },
    })
    ;(await current()).fail('rate_limited', { retryAfterMs: HOUR })
    ;(await current()).fail('rate_limited', { retryAfterMs: 2 * HOUR })
    await settle()
    expect(attempts.map(({ request }) => request.entry)).toEqual(['a.x#1/m1', 'a.x#2/m1'])
    expect(results(events)).toEqual(['limited'])
    expect(team.status.participants[0]?.chain).toMatchObject([{ engine: 'a.x', limitedUntil: HOUR, stated: true }])
  })
})

describe('holds of the kernel and limits of a team', () => {
  test('R15 a limit that a call of the team meets holds the engine for other turns of the kernel', async () => {
    const { current, kernel, clock } = supervised({ config: { ...PROFILES, primary: 'a.x' }, team: { participants: [ANA] } })
    ;(await current()).fail('rate_limited', { retryAfterMs: HOUR })
    await settle()
    expect(kernel.holds()).toMatchObject([{ key: 'a.x', untilAt: HOUR }])
    const { turn } = watch(kernel, { stream: false })
    expect(await turn.outcome).toMatchObject({ kind: 'all_held', retryAt: HOUR })
    expect(clock.now()).toBe(0)
  })

  test('T7 G13 a hold of the kernel does not keep a team from asking', async () => {
    const store = { load: () => [{ key: 'a.x', untilAt: HOUR, reason: 'limit' as const }], report() {}, clear() {} }
    const { answer, kernel, posts } = supervised({ ports: { holds: store }, team: { participants: [ANA] } })
    expect(kernel.holds()).toHaveLength(1)
    await answer('I was asked.')
    expect(posts).toHaveLength(1)
  })

  test('a service that is limited for longer than a call may wait is asked once, whatever is left of its retries', async () => {
    const { current, attempts, pass, team } = supervised({ config: RETRYING, team: { participants: [ANA] } })
    ;(await current()).fail('rate_limited', { retryAfterMs: HOUR })
    await pass(60_000)
    expect(attempts).toHaveLength(1)
    expect(team.status).toMatchObject({ state: 'rate_limited', iterations: 0, wake: { at: HOUR, by: 'reset' } })
    await pass(HOUR)
    expect(attempts).toHaveLength(2)
  })

  test('a short limit is waited for within the call, as in any turn', async () => {
    const { current, pass, answer, team, posts } = supervised({ config: RETRYING, team: { participants: [ANA] } })
    ;(await current()).fail('rate_limited', { retryAfterMs: 5_000 })
    await pass(5_000)
    await answer('At last.')
    expect(posts).toHaveLength(1)
    expect(team.status.turns).toBe(2)
  })
})

describe('what a failed call comes to', () => {
  test.each([
    ['T5 G15 without a reset an HTTP service is looked at again after half an hour', 'a.x', {}, HOUR / 2, false],
    ['T5 a retry hint counts from the end of the call', 'a.x', { retryAfterMs: HOUR }, HOUR, true],
    ['T5 the stated instant comes before the hint', 'a.x', { resetAt: 2 * HOUR, retryAfterMs: HOUR }, 2 * HOUR, true],
    ['T5 claude without a reset waits an hour', 'claude', USAGE, HOUR, false],
  ] as const)('%s', async (_, provider, more, until, stated) => {
    const { current, team } = supervised({ team: { participants: [{ ...CY, provider }] } })
    ;(await current()).fail('rate_limited', more)
    await settle()
    expect(team.status.participants[0]?.chain).toMatchObject([{ limitedUntil: until, stated }])
  })

  test.each([
    ['exit_3', 'unknown', 'claude exited 3'],
    ['total', 'timeout', 'claude timed out'],
    [null, 'auth', 'claude failed: auth'],
  ] as const)('G29 what failed is named after twelve in a row: %s', async (code, kind, what) => {
    const { pass, lines, team, attempts } = supervised({
      team: { participants: [CY, BO] },
      onAttempt: (attempt) => attempt.fail(kind, { code }),
    })
    await pass(6 * HOUR)
    expect(attempts).toHaveLength(12)
    expect(lines()).toEqual([`Gave up after 12 failed attempts in a row, over five hours (${what}); run paused — resume to try again`])
    expect(team.status).toMatchObject({ state: 'paused', paused: 'gave_up' })
  })

  test('T18 an outage takes the provider out for everybody on it, and others go on', async () => {
    const { current, answer, called, lines } = supervised({ team: { participants: [ANA, { ...ANA, id: 'di' }, BO] } })
    ;(await current()).fail('network', { code: 'ECONNREFUSED' })
    await settle()
    await answer('I can.')
    await answer('Still alone.')
    expect(called()).toEqual(['ana night-1', 'bo night-2', 'bo night-3', 'bo night-4'])
    expect(lines()).toEqual(['a.x could not be reached; trying it again at 00:01'])
  })

  test('T19 a program is started once a run: what follows is the ladder of the team', async () => {
    const { current, attempts, pass } = supervised({ config: RETRYING, team: { participants: [CY] } })
    ;(await current()).fail('server_error')
    await pass(999)
    expect(attempts).toHaveLength(1)
    await pass(1)
    expect(attempts).toHaveLength(2)
  })
})
