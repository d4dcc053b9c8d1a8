import { describe, expect, test } from 'vitest'
import { type KernelConfig, RelevoError } from '../../src/index.ts'
import { codesOf, PRICE, ROUTED } from './open-turn-rig.ts'
import { rig, settle } from './rig.ts'

const USAGE = { type: 'usage', input: 1_000_000, output: 0 } as const
const COMPLEX = 'Explain why, step by step, and compare.'

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

  test('R30 a call that has a signal of its own is cancelled by either', async () => {
    const { kernel } = rig({ config: ROUTED })
    const [ofTurn, ofCall] = [new AbortController(), new AbortController()]
    const open = kernel.openTurn({ signal: ofTurn.signal })
    const first = open.call({ prompt: 'hi', sinks: [], signal: ofCall.signal })
    await settle()
    ofCall.abort()
    expect((await first.outcome).kind).toBe('cancelled')
    const second = open.call({ prompt: 'hi', sinks: [], signal: new AbortController().signal })
    await settle()
    ofTurn.abort()
    expect((await second.outcome).kind).toBe('cancelled')
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
