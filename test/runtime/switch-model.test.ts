import { describe, expect, test } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { codesOf, ROUTED } from './open-turn-rig.ts'
import { rig, settle, watch } from './rig.ts'

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
