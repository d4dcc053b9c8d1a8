import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DIAGNOSTICS_CHANNELS, type MessageSource } from '../../src/runtime/channels.ts'
import { codesOf, ROUTED } from './open-turn-rig.ts'
import { type PlayedAttempt, rig, settle } from './rig.ts'

const failsOver = (attempt: PlayedAttempt, n: number): void => (n === 1 ? attempt.fail('rate_limited') : attempt.text('ok').final())

/** Every message of every channel, each with whom it names. */
function heard(): (MessageSource & { readonly turn: string; readonly type: string })[] {
  const messages: (MessageSource & { readonly turn: string; readonly type: string })[] = []
  const listener: ChannelListener = (message) => void messages.push(message as (typeof messages)[number])
  for (const name of Object.values(DIAGNOSTICS_CHANNELS)) subscribe(name, listener)
  onTestFinished(() => {
    for (const name of Object.values(DIAGNOSTICS_CHANNELS)) unsubscribe(name, listener)
  })
  return messages
}

describe('GW-03 whose request a turn is', () => {
  test('stands on each of its rows, in each line of its log and in each of its messages, and in no other', async () => {
    const [messages, lines] = [heard(), [] as { turn?: string; caller?: string }[]]
    const line = (fields: object): void => void lines.push(fields)
    const { kernel } = rig({ onAttempt: failsOver, ports: { logger: { debug: line, info: line, warn: line, error: line } } })
    await kernel.turn({ id: 'theirs', caller: 'web', prompt: 'hi' }).outcome
    await kernel.turn({ id: 'ours', prompt: 'hi' }).outcome
    const rows = kernel.ledger.rows().map(({ turn, profile, caller }) => [turn, profile, caller])
    expect(rows).toEqual([
      ['theirs', 'a.x', 'web'],
      ['theirs', 'b.y', 'web'],
      ['ours', 'b.y', undefined],
    ])
    expect(kernel.ledger.rows().at(-1)).not.toHaveProperty('caller')
    for (const told of [messages, lines]) {
      expect(told.length).toBeGreaterThan(8)
      expect(new Set(told.map(({ turn, caller }) => `${turn} ${caller}`))).toEqual(new Set(['theirs web', 'ours undefined']))
    }
    expect(messages.map(({ type }) => type)).toContain('hold.set')
  })

  test('is told of a turn that could not be planned, too', async () => {
    const messages = heard()
    const { kernel } = rig()
    const { kind } = await kernel.turn({ targets: [{ profile: 'z.z' }], caller: 'web', prompt: 'hi' }).outcome
    expect(kind).toBe('config_error')
    expect(messages).toMatchObject([{ type: 'turn.ended', caller: 'web', error: 'unknown_provider' }])
  })

  test('belongs to a turn of several calls as a whole', async () => {
    const { kernel, last } = rig({ config: { ...ROUTED, effortRouting: null } })
    const open = kernel.openTurn({ caller: 'web' })
    expect(codesOf(() => open.call({ prompt: 'hi', caller: 'other' } as never))).toEqual(['invalid_request'])
    for (const prompt of ['one', 'two']) {
      const turn = open.call({ prompt, sinks: [] })
      await settle()
      last().text('ok').final()
      await turn.outcome
    }
    expect(kernel.ledger.rows().map(({ caller }) => caller)).toEqual(['web', 'web'])
  })

  test.each([[''], ['a\nb'], ['a\u0000b'], [7], [null]])('%j is no name of one', (caller) => {
    const { kernel } = rig()
    expect(codesOf(() => kernel.turn({ prompt: 'hi', caller: caller as string }))).toEqual(['invalid_request'])
    expect(codesOf(() => kernel.turn({ prompt: 'hi', caller: caller as string, tools: [] }))).toEqual(['invalid_request'])
    expect(codesOf(() => kernel.openTurn({ caller: caller as string }))).toEqual(['invalid_request'])
  })

  test('decides nothing: the same turn is told the same with any and with none', async () => {
    const told = async (caller?: string) => {
      const { kernel } = rig({ onAttempt: failsOver })
      const events: unknown[] = []
      const turn = kernel.turn({ id: 't', prompt: 'hi', caller, sinks: { event: (event) => void events.push(event) } })
      await turn.outcome
      return [events, kernel.holds(), kernel.ledger.rows().map(({ caller: _, ...row }) => row)]
    }
    expect(await told('web')).toEqual(await told())
  })

  test('R35 leaves the settings live: a notice is read from them at delivery', async () => {
    const { kernel, attempts } = rig()
    const turn = kernel.turn({ prompt: 'hi', caller: 'web', sinks: [] })
    await settle()
    attempts[0]?.fail('invalid_request')
    await settle()
    kernel.reload({
      primary: 'a.x',
      profiles: { 'a.x': { model: 'm1', apiKey: 'k-a', fallback: ['b.y'] }, 'b.y': { model: 'm2', apiKey: 'k-b' } },
      modelFallbackNotice: 'detailed',
    })
    attempts[1]?.text('ok').final()
    expect((await turn.outcome).notice).toContain('b.y')
  })
})
