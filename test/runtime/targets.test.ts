import { describe, expect, test } from 'vitest'
import { ConfigError, type Kernel, type KernelConfig, type Target } from '../../src/index.ts'
import { codesOf, ROUTED } from './open-turn-rig.ts'
import { rig, settle } from './rig.ts'

const config: KernelConfig = { ...ROUTED, effortRouting: null }

const problemsOf = (act: () => unknown): string[] => {
  try {
    act()
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.problems.map(({ code, path }) => `${code} ${path}`)
    throw error
  }
  return []
}
const planned = (kernel: Kernel, targets: readonly Target[]): string[] =>
  kernel.plan({ targets }).entries.map(({ profile, model, pinned }) => `${profile} ${model} ${pinned}`)

describe('a turn whose caller names the profiles', () => {
  test('walks the domain of one, with its model, as the plan says', async () => {
    const { kernel, attempts } = rig({ config, onAttempt: (attempt, n) => (n === 3 ? attempt.text('ok').final() : attempt.fail('invalid_request')) })
    const targets = [{ profile: 'ollama.home', model: 'other' }]
    const outcome = await kernel.turn({ prompt: 'hi', targets }).outcome
    expect(attempts.map(({ request: { profile, model } }) => `${profile.id} ${model}`)).toEqual([
      'ollama.home other',
      'ollama.desk tiny',
      'cloud.main big',
    ])
    expect(outcome).toMatchObject({
      requested: { profile: 'ollama.home', model: 'other' },
      served: { profile: 'cloud.main', model: 'big' },
      attribution: { requested: { profile: 'ollama.home' } },
    })
    expect(kernel.ledger.rows().map(({ requested }) => requested.model)).toEqual(['other', 'other', 'other'])
    expect(planned(kernel, targets)).toEqual(['ollama.home other true', 'ollama.desk tiny true', 'cloud.main big true'])
  })

  test('tries several and nothing else', async () => {
    const { kernel, attempts } = rig({ config, onAttempt: (attempt) => attempt.fail('invalid_request') })
    const outcome = await kernel.turn({ prompt: 'hi', targets: [{ profile: 'ollama.home' }, { profile: 'cloud.main', model: 'small' }] }).outcome
    expect(attempts.map(({ request: { profile, model } }) => `${profile.id} ${model}`)).toEqual(['ollama.home small', 'cloud.main small'])
    expect(outcome).toMatchObject({ kind: 'exhausted', requested: { profile: 'ollama.home', model: 'small' } })
  })

  test('GW-06 never makes more attempts than its entries times their tries', async () => {
    const retrying = { ...config, reliability: { jitter: 0, providerRetries: 2 } }
    const { kernel, attempts, clock } = rig({ config: retrying, onAttempt: (attempt) => attempt.fail('server_error') })
    const targets = [{ profile: 'ollama.home' }, { profile: 'ollama.home', model: 'small' }, { profile: 'cloud.main' }]
    const turn = kernel.turn({ prompt: 'hi', targets })
    let isOver = false
    void turn.outcome.then(() => {
      isOver = true
    })
    for (let step = 0; step < 100 && !isOver; step++) {
      await settle()
      clock.step()
    }
    expect((await turn.outcome).kind).toBe('exhausted')
    expect(attempts).toHaveLength(6)
  })

  test('R6 R18 goes around a hold as any turn does', async () => {
    const { kernel, attempts } = rig({
      config,
      onAttempt: (attempt, n) => (n === 1 ? attempt.fail('rate_limited', { retryAfterMs: 60_000 }) : attempt.text('ok').final()),
    })
    const targets = [{ profile: 'ollama.home' }, { profile: 'cloud.main' }]
    await kernel.turn({ prompt: 'hi', targets }).outcome
    expect(kernel.plan({ targets }).entries.map(({ skip }) => skip)).toEqual(['held', null])
    await kernel.turn({ prompt: 'hi', targets }).outcome
    expect(attempts.map(({ request }) => request.profile.id)).toEqual(['ollama.home', 'cloud.main', 'cloud.main'])
  })

  test('R34 keeps within budgets: an entry that is over one is passed over', () => {
    const { kernel } = rig({ config: { ...config, budgets: { perTurn: 1 } } })
    expect(
      kernel.plan({ targets: [{ profile: 'cloud.main', model: 'unpriced' }, { profile: 'cloud.main' }] }).entries.map(({ skip }) => skip),
    ).toEqual(['over_budget', null])
  })

  test('R40 is the choice of the call: neither an operator nor the effort of the prompt says otherwise', () => {
    const { kernel } = rig({ config: ROUTED })
    kernel.chooseModel('session', 'hint:home')
    const { target, allow } = kernel.plan({ targets: [{ profile: 'cloud.main' }], scope: 'session', prompt: 'hi' })
    expect([target, allow]).toEqual(['cloud.main', null])
  })

  test('R12 is what was asked when it was asked: the list is copied', async () => {
    const { kernel, attempts } = rig({ config, onAttempt: (attempt) => attempt.text('ok').final() })
    const targets = [{ profile: 'ollama.desk', model: 'mine' }]
    const { outcome } = kernel.turn({ prompt: 'hi', targets })
    targets[0] = { profile: 'cloud.main', model: 'theirs' }
    await outcome
    expect(attempts.map(({ request: { profile, model } }) => `${profile.id} ${model}`)).toEqual(['ollama.desk mine'])
  })

  test('R41 serves the calls of an open turn until it switches', async () => {
    const { kernel, last } = rig({ config })
    const open = kernel.openTurn({ targets: [{ profile: 'ollama.desk', model: 'mine' }] })
    const served = async (): Promise<string> => {
      const turn = open.call({ prompt: 'hi', sinks: [] })
      await settle()
      last().text('ok').final()
      const { served } = await turn.outcome
      return `${served?.profile} ${served?.model}`
    }
    expect([await served(), await served()]).toEqual(['ollama.desk mine', 'ollama.desk mine'])
    open.switchModel('cloud.main', 'big')
    expect(await served()).toBe('cloud.main big')
    expect(codesOf(() => open.call({ prompt: 'hi', targets: [{ profile: 'cloud.main' }] } as never))).toEqual(['invalid_request'])
  })
})

describe('targets that cannot be used', () => {
  const bad: [string, unknown, string][] = [
    ['none', [], 'targets'],
    ['no list', { profile: 'a.x' }, 'targets'],
    ['no profile', [{ model: 'm' }], 'targets[0].profile'],
    ['a blank profile', [{ profile: '' }], 'targets[0].profile'],
    ['a profile that breaks its line', [{ profile: 'cloud.main' }, { profile: 'a\nb' }], 'targets[1].profile'],
    ['a model that breaks its line', [{ profile: 'cloud.main', model: 'a\u0007b' }], 'targets[0].model'],
    ['a model that is none', [{ profile: 'cloud.main', model: 7 }], 'targets[0].model'],
    ['a further field', [{ profile: 'cloud.main', endpoint: 'http://evil.example' }], 'targets[0]'],
    ['more than anybody means', Array.from({ length: 33 }, () => ({ profile: 'cloud.main' })), 'targets'],
  ]
  test.each(bad)('%s: refused at once, with the field', (_, targets, path) => {
    const { kernel } = rig({ config })
    const asked = { targets: targets as Target[] }
    for (const act of [() => kernel.turn({ prompt: 'hi', ...asked }), () => kernel.plan(asked), () => kernel.openTurn(asked)]) {
      expect(problemsOf(act)).toEqual([`invalid_request ${path}`])
    }
  })

  test('beside a model: refused, unless that is none', () => {
    const { kernel } = rig({ config })
    const targets = [{ profile: 'cloud.main' }]
    for (const model of ['big', 'auto', 'hint:home']) {
      expect(problemsOf(() => kernel.turn({ prompt: 'hi', model, targets }))).toEqual(['invalid_request targets'])
      expect(problemsOf(() => kernel.plan({ model, targets }))).toEqual(['invalid_request targets'])
      expect(problemsOf(() => kernel.openTurn({ model, targets }))).toEqual(['invalid_request targets'])
    }
    for (const model of [null, ' ', undefined]) expect(kernel.plan({ model, targets }).target).toBe('cloud.main')
  })

  test.each<[string, readonly Target[], string]>([
    ['an unknown profile', [{ profile: 'cloud.main' }, { profile: 'z.z' }], 'unknown_provider targets[1].profile'],
    ['one without a key that nothing leads to', [{ profile: 'cloud.keyless' }], 'missing_credential targets[0].profile'],
    ['no model at all', [{ profile: 'open.free' }], 'nothing_to_send targets[0].model'],
  ])('R5 %s: the turn ends as config_error, a plan and an open turn are refused', async (_, targets, expected) => {
    const { kernel, attempts } = rig({ config: { ...config, profiles: { ...config.profiles, 'open.free': { apiKey: 'k' } } } })
    const { kind, error, requested } = await kernel.turn({ prompt: 'hi', targets }).outcome
    expect([kind, `${error?.code} ${error?.path}`, requested]).toEqual(['config_error', expected, null])
    expect(problemsOf(() => kernel.plan({ targets }))).toEqual([expected])
    expect(problemsOf(() => kernel.openTurn({ targets }))).toEqual([expected])
    expect(attempts).toEqual([])
  })

  test('R5 one that no engine of this kernel can be made for', () => {
    const profiles = { 'openai.main': { model: 'm', apiKey: 'k' }, 'acme.x': { model: 'm', apiKey: 'k' } }
    const { kernel } = rig({ config: { primary: 'openai.main', profiles }, ports: { engines: undefined } })
    expect(problemsOf(() => kernel.plan({ targets: [{ profile: 'acme.x' }] }))).toEqual(['unbuildable_profile targets[0].profile'])
    expect(kernel.plan({ targets: [{ profile: 'openai.main' }] }).target).toBe('openai.main')
  })
})
