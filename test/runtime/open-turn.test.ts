import { describe, expect, test } from 'vitest'
import type { Kernel, KernelConfig } from '../../src/index.ts'
import { ConfigError, RelevoError } from '../../src/index.ts'
import { rig, settle, watch } from './rig.ts'

const PRICE = { input: 1, output: 2 }
const USAGE = { type: 'usage', input: 1_000_000, output: 0 } as const

/** A local route with a local and a cloud fallback, a cloud one, and two profiles that no route leads to. */
const ROUTED: KernelConfig = {
  primary: 'cloud.main',
  profiles: {
    'cloud.main': { model: 'big', apiKey: 'k-cloud', price: { big: PRICE } },
    'ollama.home': { model: 'small', fallback: ['ollama.desk', 'cloud.main'], price: { small: PRICE, other: PRICE } },
    'ollama.desk': { model: 'tiny', price: { tiny: PRICE } },
    'ollama.shed': { model: 'tiny' },
    'cloud.keyless': { model: 'big' },
  },
  modelRoutes: [
    { hint: 'home', modelProvider: 'ollama.home', model: 'small' },
    { hint: 'away', modelProvider: 'cloud.main', model: 'big' },
  ],
  effortRouting: { localHint: 'home', cloudHint: 'away', escalation: 'auto' },
  reliability: { jitter: 0, providerRetries: 0 },
}
const COMPLEX = 'Explain why, step by step, and compare.'

const codesOf = (act: () => unknown): string[] => {
  try {
    act()
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.problems.map(({ code }) => code)
    throw error
  }
  return []
}

describe('R37 R39 a turn of several calls', () => {
  test('is decided once: by its own prompt, whatever its calls say', async () => {
    const { kernel, attempts, last } = rig({ config: ROUTED })
    const open = kernel.openTurn({ id: 't', prompt: 'hello' })
    for (const prompt of ['hello', COMPLEX]) {
      const turn = open.call({ prompt, sinks: [] })
      await settle()
      last().text('ok').final()
      await turn.outcome
    }
    expect(attempts.map(({ request }) => request.entry)).toEqual(['ollama.home/small', 'ollama.home/small'])
    const away = kernel.openTurn({ prompt: COMPLEX })
    void away.call({ prompt: 'hello', sinks: [] })
    await settle()
    expect(last().request.entry).toBe('cloud.main/big')
  })

  test('no call of a local one reaches the cloud, when all that is local fails', async () => {
    const { kernel, attempts, last } = rig({ config: ROUTED })
    const turn = kernel.openTurn({ prompt: 'hello' }).call({ prompt: COMPLEX, sinks: [] })
    for (const _ of [1, 2]) {
      await settle()
      last().fail('server_error')
    }
    expect((await turn.outcome).kind).toBe('exhausted')
    expect(attempts.map(({ request }) => request.entry)).toEqual(['ollama.home/small', 'ollama.desk/tiny'])
  })

  test('R34 its attempts go on counting under one name, and its cost is that of all its rows', async () => {
    const { kernel, last } = rig({ config: ROUTED })
    const open = kernel.openTurn({ id: 't', model: 'hint:away' })
    for (const _ of [1, 2]) {
      const turn = open.call({ prompt: 'hi', sinks: [] })
      await settle()
      last().say(USAGE)
      last().text('ok').final()
      await turn.outcome
    }
    expect(kernel.ledger.rows().map(({ turn, n, cost }) => [turn, n, cost])).toEqual([
      ['t', 1, 1],
      ['t', 2, 1],
    ])
    expect(open).toMatchObject({ cost: 2, usage: { input: 2_000_000, output: 0 }, served: { profile: 'cloud.main', model: 'big' } })
    expect(open.attempts.map(({ n }) => n)).toEqual([1, 2])
  })

  test('R34 the budget of a turn is that of all its calls', async () => {
    const { kernel, last } = rig({ config: { ...ROUTED, budgets: { perTurn: 1 } } })
    const open = kernel.openTurn({ model: 'hint:away' })
    const first = open.call({ prompt: 'hi', sinks: [] })
    await settle()
    last().say(USAGE)
    last().text('ok').final()
    expect((await first.outcome).kind).toBe('ok')
    expect((await open.call({ prompt: 'hi', sinks: [] }).outcome).kind).toBe('budget')
  })

  test('R33 the last accepted call has the record: a failure leaves it, a primary success clears it', async () => {
    const { kernel, last } = rig({ config: { ...ROUTED, effortRouting: null } })
    const open = kernel.openTurn({ model: 'hint:home' })
    const play = async (...ends: ('fail' | 'ok')[]) => {
      const turn = open.call({ prompt: 'hi', sinks: [] })
      for (const end of ends) {
        await settle()
        if (end === 'ok') last().text('ok').final()
        else last().fail('server_error')
      }
      await turn.outcome
      return open.attribution?.served.profile ?? null
    }
    expect(await play('fail', 'ok')).toBe('ollama.desk')
    expect(await play('fail', 'fail', 'fail')).toBe('ollama.desk')
    expect(await play('ok')).toBeNull()
  })

  test('R12 a reload is taken by the next turn, not by the next call', async () => {
    const { kernel, last } = rig({ config: ROUTED })
    const open = kernel.openTurn({ model: 'hint:away' })
    kernel.reload({ primary: 'other.main', profiles: { 'other.main': { model: 'm', apiKey: 'k' } } })
    const turn = open.call({ prompt: 'hi', sinks: [] })
    await settle()
    expect(last().request.entry).toBe('cloud.main/big')
    last().text('ok').final()
    await turn.outcome
  })

  test('one call at a time; its name is its own until it is closed', async () => {
    const { kernel, last } = rig({ config: ROUTED })
    const open = kernel.openTurn({ id: 't' })
    expect(codesOf(() => kernel.turn({ id: 't', prompt: 'hi' }))).toEqual(['turn_in_flight'])
    expect(codesOf(() => kernel.openTurn({ id: 't' }))).toEqual(['turn_in_flight'])
    const first = open.call({ prompt: 'hi', sinks: [] })
    expect(codesOf(() => open.call({ prompt: 'hi' }))).toEqual(['turn_in_flight'])
    expect(() => open.call({ prompt: 'hi' })).toThrow(/Await the `outcome` of its last call/)
    await settle()
    last().text('ok').final()
    await first.outcome
    const second = open.call({ prompt: 'hi', sinks: [] })
    await settle()
    open.close()
    expect((await second.outcome).kind).toBe('cancelled')
    expect(() => open.call({ prompt: 'hi' })).toThrow(RelevoError)
    expect(() => open.switchModel('ollama.home', 'small')).toThrow(/turn t was closed/)
    void kernel.turn({ id: 't', prompt: 'hi' })
  })

  test('R30 its signal cancels the call in flight, and every later one', async () => {
    const { kernel, attempts } = rig({ config: ROUTED })
    const controller = new AbortController()
    const open = kernel.openTurn({ signal: controller.signal })
    const turn = open.call({ prompt: 'hi', sinks: [] })
    await settle()
    controller.abort()
    expect((await turn.outcome).kind).toBe('cancelled')
    expect((await open.call({ prompt: 'hi', sinks: [] }).outcome).kind).toBe('cancelled')
    expect(attempts).toHaveLength(1)
  })

  test('what cannot be decided is refused when it is opened, and a call decides nothing', () => {
    const { kernel } = rig({ config: { ...ROUTED, effortRouting: null, unknownHint: 'reject' } })
    expect(codesOf(() => kernel.openTurn({ model: 'hint:nowhere' }))).toEqual(['unknown_hint'])
    expect(codesOf(() => kernel.openTurn({ prompt: 7 } as never))).toEqual(['invalid_request'])
    expect(codesOf(() => kernel.openTurn().call({ prompt: 'hi', model: 'x', id: 'y' } as never))).toEqual(['invalid_request', 'invalid_request'])
  })
})

test('R12 a turn that is open keeps the budgets that it was opened under', async () => {
  const { kernel, last } = rig({ config: { ...ROUTED, budgets: { perTurn: 1 } } })
  const open = kernel.openTurn({ model: 'hint:away' })
  const first = open.call({ prompt: 'hi', sinks: [] })
  await settle()
  last().say(USAGE).text('ok').final()
  await first.outcome
  kernel.reload({ ...ROUTED, budgets: { perTurn: 9 } })
  const second = open.call({ prompt: 'hi', sinks: [] })
  await settle()
  open.close()
  expect((await second.outcome).kind).toBe('budget')
})

describe('R34 the next call of a turn, asked for by who hears that the last one has ended', () => {
  const LISTENED: KernelConfig = {
    primary: 'cloud.main',
    profiles: { 'cloud.main': { model: 'big', apiKey: 'k-cloud', price: { big: PRICE } } },
    reliability: { jitter: 0, providerRetries: 0 },
  }

  async function secondOf(budgets: KernelConfig['budgets']) {
    const { kernel, last, attempts } = rig({ config: { ...LISTENED, budgets } })
    const open = kernel.openTurn({ id: 't' })
    const turns = [open.call({ prompt: 'one', sinks: [] })]
    turns[0]?.events$.subscribe(({ type }) => type === 'turn.ended' && turns.push(open.call({ prompt: 'two', sinks: [] })))
    await settle()
    last().say(USAGE).text('ok').final()
    await settle()
    return { open, kernel, last, attempts, second: turns[1] as NonNullable<(typeof turns)[1]> }
  }

  test('goes on counting, and has its own row', async () => {
    const { open, kernel, last, second } = await secondOf(null)
    last().say(USAGE).text('ok').final()
    await second.outcome
    expect(open.attempts.map(({ n }) => n)).toEqual([1, 2])
    expect(kernel.ledger.rows().map(({ n, cost }) => [n, cost])).toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  test('is within what the turn may cost', async () => {
    const { second, attempts } = await secondOf({ perTurn: 1 })
    expect((await second.outcome).kind).toBe('budget')
    expect(attempts).toHaveLength(1)
  })

  test('is cancelled with the turn', async () => {
    const { open, second, attempts } = await secondOf(null)
    open.close()
    expect((await second.outcome).kind).toBe('cancelled')
    expect(attempts[1]?.closed).toBe(true)
  })
})

describe('R41 a switch of the model', () => {
  const nextEntry = async (kernel: Kernel, open: ReturnType<Kernel['openTurn']>, last: ReturnType<typeof rig>['last']): Promise<string> => {
    const turn = open.call({ prompt: 'hi', sinks: [] })
    await settle()
    const { entry } = last().request
    last().text('ok').final()
    await turn.outcome
    return `${entry} ${kernel.ledger.rows().at(-1)?.requested.profile}`
  }

  test('is in force from the next call on, with the credential and the fallbacks of that profile alone', async () => {
    const { kernel, last, attempts } = rig({ config: { ...ROUTED, effortRouting: null } })
    const open = kernel.openTurn()
    expect(await nextEntry(kernel, open, last)).toBe('cloud.main/big cloud.main')
    open.switchModel('ollama.home', 'other')
    const turn = open.call({ prompt: 'hi', sinks: [] })
    await settle()
    expect(last().request).toMatchObject({ entry: 'ollama.home/other', secret: null, profile: { id: 'ollama.home' } })
    last().fail('server_error')
    await settle()
    last().text('ok').final()
    const outcome = await turn.outcome
    expect(outcome.requested).toEqual({ profile: 'ollama.home', model: 'other' })
    expect(attempts.at(-1)?.request.entry).toBe('ollama.desk/tiny')
    expect(open.attribution).toEqual({ requested: outcome.requested, served: { profile: 'ollama.desk', model: 'tiny' } })
  })

  test('does not touch the call in flight', async () => {
    const { kernel, last, attempts } = rig({ config: { ...ROUTED, effortRouting: null } })
    const open = kernel.openTurn({ model: 'hint:home' })
    const turn = open.call({ prompt: 'hi', sinks: [] })
    await settle()
    open.switchModel('cloud.main', 'big')
    last().fail('server_error')
    await settle()
    last().text('ok').final()
    await turn.outcome
    expect(attempts.map(({ request }) => request.entry)).toEqual(['ollama.home/small', 'ollama.desk/tiny'])
    expect(await nextEntry(kernel, open, last)).toBe('cloud.main/big cloud.main')
  })

  test.each([
    ['a profile that is not configured', 'ollama.attic', 'x', 'unknown_provider'],
    ['a family alone', 'ollama', 'x', 'unknown_provider'],
    ['a hint', 'hint:home', 'x', 'unknown_provider'],
    ['no text at all', undefined, 'x', 'unknown_provider'],
    ['a blank model', 'ollama.home', ' ', 'required_field_empty'],
    ['no model', 'ollama.home', undefined, 'required_field_empty'],
    ['a model that no request line may carry', 'ollama.home', 'a\r\nb', 'invalid_setting'],
    ['a profile without a usable credential', 'cloud.keyless', 'big', 'missing_credential'],
  ])('%s is refused, and nothing changes', async (_, profile, model, code) => {
    const { kernel, last } = rig({ config: { ...ROUTED, effortRouting: null } })
    const open = kernel.openTurn()
    expect(codesOf(() => open.switchModel(profile as string, model as string))).toEqual([code])
    expect(await nextEntry(kernel, open, last)).toBe('cloud.main/big cloud.main')
  })

  test('the refusal lists the profiles that are configured', () => {
    const { kernel } = rig({ config: ROUTED })
    expect(() => kernel.openTurn().switchModel('x.y', 'm')).toThrow(/cloud\.main, ollama\.home, ollama\.desk, ollama\.shed, cloud\.keyless/)
  })

  test('R39 a local decision stays one: the cloud, and what the decision did not list, are refused, and no fallback leads there', async () => {
    const { kernel, last, attempts } = rig({ config: ROUTED })
    const open = kernel.openTurn({ prompt: 'hello' })
    expect(codesOf(() => open.switchModel('cloud.main', 'big'))).toEqual(['not_allowed'])
    expect(codesOf(() => open.switchModel('ollama.shed', 'tiny'))).toEqual(['not_allowed'])
    open.switchModel('ollama.home', 'other')
    const turn = open.call({ prompt: 'hi', sinks: [] })
    for (const _ of [1, 2]) {
      await settle()
      last().fail('server_error')
    }
    expect((await turn.outcome).kind).toBe('exhausted')
    expect(attempts.map(({ request }) => request.entry)).toEqual(['ollama.home/other', 'ollama.desk/tiny'])
  })

  test('R40 changes neither what the operator chose nor whether routing is automatic', async () => {
    const { kernel, last } = rig({ config: ROUTED })
    kernel.chooseModel('session-7', 'hint:away')
    const open = kernel.openTurn({ scope: 'session-7', prompt: 'hello' })
    open.switchModel('ollama.home', 'other')
    expect(await nextEntry(kernel, open, last)).toBe('ollama.home/other ollama.home')
    expect(kernel.chosenModel('session-7')).toBe('hint:away')
    void watch(kernel, { prompt: 'hello', scope: 'session-7' })
    await settle()
    expect(last().request.entry).toBe('cloud.main/big')
    void watch(kernel, { prompt: 'hello' })
    await settle()
    expect(last().request.entry).toBe('ollama.home/small')
  })
})
