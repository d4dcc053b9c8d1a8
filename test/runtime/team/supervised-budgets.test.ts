import { describe, expect, test } from 'vitest'
import type { KernelConfig } from '../../../src/runtime/kernel-door.ts'
import { settle } from '../rig.ts'
import { ANA, BO, PROFILES, supervised } from './supervised-rig.ts'

const PRICE = { input: 1, output: 2 }
const PAID = { type: 'usage', input: 1_000_000, output: 0 } as const
const DAY = 86_400_000

const priced = (budgets: KernelConfig['budgets'], more: Partial<KernelConfig> = {}): KernelConfig => ({
  ...PROFILES,
  profiles: { 'a.x': { model: 'm1', apiKey: 'k-a', price: { m1: PRICE } }, 'b.y': { model: 'm2', apiKey: 'k-b', price: { m2: PRICE } } },
  budgets,
  ...more,
})

describe('R34 budgets of a team', () => {
  test('an engine over the budget of its profile is gone around like one that is limited, and looked at again', async () => {
    const { current, answer, called, lines, pass, team } = supervised({ config: priced({ perProfile: { 'a.x': 1 } }) })
    ;(await current()).say(PAID)
    await answer('One.')
    await answer('By bo.')
    expect(lines()).toEqual(['ana is rate limited — @bo takes the turn'])
    expect(team.status.participants[0]?.chain).toMatchObject([{ limitedUntil: 1_800_000 }])
    await answer('By bo.')
    expect(called()).toEqual(['ana night-1', 'bo night-2', 'bo night-4', 'bo night-5'])
    await pass(DAY)
    await answer('By bo.')
    expect((await current()).request.entry).toBe('a.x/m1')
  })

  test('where no day brings it back, the run sleeps and looks again, and goes on when the budget is raised', async () => {
    const { current, answer, kernel, pass, team, attempts } = supervised({ config: priced({ perRun: 1 }), team: { participants: [ANA, BO] } })
    ;(await current()).say(PAID)
    await answer('One.')
    expect(team.status.state).toBe('rate_limited')
    expect(attempts).toHaveLength(1)
    await pass(31 * 60_000)
    expect(attempts).toHaveLength(1)
    kernel.reload(priced({ perRun: 9 }))
    await pass(31 * 60_000)
    expect(attempts).toHaveLength(2)
  })

  test('the next day is not missed by half an hour', async () => {
    const { current, answer, pass, team, attempts } = supervised({ config: priced({ perDay: 1 }), team: { participants: [ANA, BO] } })
    ;(await current()).say(PAID)
    await answer('One.')
    await pass(DAY - 600_000)
    expect(team.status.state).toBe('rate_limited')
    expect(attempts).toHaveLength(1)
    await pass(600_000)
    expect(attempts).toHaveLength(2)
  })

  test('a budget of a day that is raised while the run works lets it go on the same day', async () => {
    const { current, answer, kernel, pass, team, attempts } = supervised({ config: priced({ perDay: 1 }), team: { participants: [ANA, BO] } })
    ;(await current()).say(PAID)
    await answer('One.')
    expect(team.status.state).toBe('rate_limited')
    kernel.reload(priced({ perDay: 9 }))
    await pass(31 * 60_000)
    expect(attempts).toHaveLength(2)
  })

  test('the run is that of the team: what others of the kernel spend is not in it', async () => {
    const { current, kernel, last, called } = supervised({ config: priced({ perRun: 1 }, { primary: 'b.y' }) })
    const first = await current()
    const turn = kernel.turn({ prompt: 'hi', sinks: [] })
    await settle()
    last().say(PAID).text('ok').final()
    await turn.outcome
    first.text('One.').final()
    await current()
    expect(called()).toContain('bo night-2')
  })
})

test('an address that the settings do not allow is refused in a team as anywhere', () => {
  const config: KernelConfig = {
    ...PROFILES,
    endpoints: 'public-only',
    profiles: { 'openai.home': { model: 'm', apiKey: 'k', endpoint: 'http://127.0.0.1:9' } },
  }
  expect(() => supervised({ config, team: { participants: [{ ...ANA, provider: 'openai.home' }] } })).toThrow(/endpoint/)
})
