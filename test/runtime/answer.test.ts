import { describe, expect, test } from 'vitest'
import { LONE, rig, settle, TWO, watch } from './rig.ts'

describe('the answer of an outcome', () => {
  test.each([['event'], []] as const)('R19 tells its thoughts beside its text, with sinks %j', async (...sinks) => {
    const { kernel, last } = rig({ config: LONE })
    const watched = watch(kernel, { sinks: [...sinks] })
    await settle()
    last().say({ type: 'reasoning', text: 'two ' }).say({ type: 'reasoning', text: 'thoughts' }).text('said').final()
    expect(watched.outcome).toMatchObject({ kind: 'ok', reasoning: 'two thoughts', text: 'said', message: { role: 'assistant', content: 'said' } })
    await kernel.stop()
  })

  test('R19 has no thoughts of an attempt that it does not come from', async () => {
    const { kernel, last } = rig({ config: TWO })
    const watched = watch(kernel, { sinks: [], stream: false })
    await settle()
    last().say({ type: 'reasoning', text: 'lost' }).fail('invalid_request')
    await settle()
    last().text('said').final()
    expect(watched.outcome).toMatchObject({ kind: 'ok', reasoning: '', text: 'said' })
    await kernel.stop()
  })
})
