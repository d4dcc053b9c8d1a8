import { describe, expect, test } from 'vitest'
import type { AnyActorRef } from 'xstate'
import { rig } from './rig.ts'

const CANARY = 'CANARY'

describe('R11 R36 what an inspector or a snapshot shows of a kernel', () => {
  test('holds nothing that signs, decorates or addresses a request', async () => {
    const actors = new Set<AnyActorRef>()
    const shown: string[] = []
    const { kernel, attempts } = rig({
      config: {
        primary: 'a.x',
        profiles: {
          'a.x': { model: 'm1', apiKey: `${CANARY}-1`, headers: { 'x-team-key': `${CANARY}-2` }, endpoint: `https://h.example/v1?key=${CANARY}-3` },
        },
        modelRoutes: [{ hint: 'fast', modelProvider: 'a.x', model: 'm1', apiKey: `${CANARY}-4` }],
      },
      onAttempt: (attempt) => attempt.text('hi').final(),
      ports: {
        inspect: (event) => {
          actors.add(event.actorRef as AnyActorRef)
          const { actorRef: _, ...rest } = event
          shown.push(JSON.stringify(rest, (key, value) => (key === 'sourceRef' || key === '_parent' ? undefined : value)))
        },
      },
    })
    await kernel.turn({ prompt: 'hi', model: 'hint:fast' }).outcome
    expect(attempts[0]?.request.profile.headers).toEqual({ 'x-team-key': `${CANARY}-2` })
    for (const actor of actors) shown.push(JSON.stringify(actor.getPersistedSnapshot()))
    expect(shown.join('\n')).toContain('a.x')
    expect(shown.join('\n')).not.toContain(CANARY)
    await kernel.stop()
  })
})
