import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { rig, settle, watch } from './rig.ts'

test('R30 one signal ends a hundred turns, and is listened to once: Node warns of a leak at eleven', async () => {
  const { kernel } = rig()
  const controller = new AbortController()
  const turns = Array.from({ length: 100 }, () => watch(kernel, { signal: controller.signal }))
  await settle()
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  controller.abort()
  expect(turns.map(({ outcome }) => outcome?.kind)).toEqual(Array(100).fill('cancelled'))
})

test('a signal that aborts after the end changes nothing', async () => {
  const { kernel, clock } = rig({ onAttempt: (attempt) => attempt.text('x').final() })
  const controller = new AbortController()
  const { turn } = watch(kernel, { signal: controller.signal })
  expect((await turn.outcome).kind).toBe('ok')
  controller.abort()
  await settle()
  expect((await turn.outcome).kind).toBe('ok')
  expect(clock.pending).toBe(0)
})

test('a turn made after the abort is cancelled at its start', async () => {
  const { kernel, attempts } = rig()
  const { turn } = watch(kernel, { signal: AbortSignal.abort() })
  expect((await turn.outcome).kind).toBe('cancelled')
  expect(attempts).toHaveLength(0)
})
