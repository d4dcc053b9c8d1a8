import { createInspector, createWebSocketInspector, type StatelyInspectionEvent } from '@statelyai/inspect'
import { describe, expect, test } from 'vitest'
import { rig, settle } from '../../runtime/rig.ts'
import { isServed, realServer, receiver } from './real-server.ts'

const CANARY = 'cnry'

/** A turn that fails over, with words that nobody else is to read. */
async function failedOver({ kernel, last }: ReturnType<typeof rig>): Promise<void> {
  const turn = kernel.turn({ prompt: `${CANARY}-prompt`, sinks: ['event'] })
  await settle()
  last().fail('rate_limited', { retryAfterMs: 60_000, message: `${CANARY}-said` })
  await settle()
  last().say({ type: 'toolCall', id: 'c-1', name: 'look', arguments: `{"a":"${CANARY}-argument"}` })
  last().text(`${CANARY}-answer`).final()
  expect(await turn.outcome).toMatchObject({ kind: 'ok', served: { profile: 'b.y' } })
}

describe('WEB-06 @statelyai/inspect in the port of a kernel', () => {
  test('hears of a whole failover turn, and none of its words (R36)', async () => {
    const heard: StatelyInspectionEvent[] = []
    const { inspect } = createInspector({ send: (message) => void heard.push(message) })
    const stage = rig({
      config: {
        primary: 'a.x',
        profiles: { 'a.x': { model: 'm1', apiKey: `${CANARY}-key`, fallback: ['b.y'] }, 'b.y': { model: 'm2', apiKey: `${CANARY}-key-2` } },
        reliability: { jitter: 0, providerRetries: 0 },
      },
      ports: { inspect },
    })
    await failedOver(stage)
    await stage.kernel.stop()
    // It tells what it heard in a later task.
    await new Promise((resolve) => setTimeout(resolve))
    const actors = heard.flatMap((message) => (message.type === '@xstate.actor' ? [message.name] : []))
    expect(actors).toEqual(['supervisor', 'engine-a.x', 'engine-b.y', 'turn', 'stream'])
    expect(heard.some(isServed(heard, 'turn'))).toBe(true)
    const told = heard.map((message) => JSON.stringify(message, withoutCircles()))
    expect(told.join()).not.toContain(CANARY)
  })

  test('tells its own server, and that its own receivers', async () => {
    const server = await realServer()
    const viewer = receiver(server.url)
    const inspector = createWebSocketInspector({ url: server.url })
    const stage = rig({ ports: { inspect: inspector.inspect } })
    await failedOver(stage)
    expect(await viewer.until(isServed(viewer.seen, 'turn'))).toMatchObject({ type: '@xstate.snapshot', snapshot: { status: 'done' } })
    inspector.stop()
    await stage.kernel.stop()
  })
})

/** Their actor message holds the live snapshot, whose actors know each other. */
function withoutCircles(): (key: string, value: unknown) => unknown {
  const seen = new Set<unknown>()
  return (_, value) => {
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return undefined
    seen.add(value)
    return value
  }
}
