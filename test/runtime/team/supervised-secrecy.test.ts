import v8 from 'node:v8'
import { of, Subscriber } from 'rxjs'
import { expect, test } from 'vitest'
import type { AnyActorRef } from 'xstate'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import type { TeamEvent } from '../../../src/model/team-event.ts'
import { TurnHandle } from '../../../src/runtime/turn-handle.ts'
import { TurnRun } from '../../../src/runtime/turn-run.ts'
import { settle } from '../rig.ts'
import { ANA, PROFILES, supervised } from './supervised-rig.ts'

/** Every string that can be reached from a value, but for what a function of a host or of ours closes over. */
function stringsIn(root: unknown): string {
  const seen = new Set<unknown>()
  const found: string[] = []
  const queue: unknown[] = [root]
  while (queue.length > 0) {
    const value = queue.pop()
    if (typeof value === 'string') found.push(value)
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    if (value instanceof Map) queue.push(...value.keys(), ...value.values())
    else if (value instanceof Set) queue.push(...value)
    for (const [key, own] of Object.entries(Object.getOwnPropertyDescriptors(value))) if ('value' in own) queue.push(key, own.value)
  }
  return found.join('\n')
}

test('R36 no text of a prompt, a post, a message or a key is in what a team tells of itself', async () => {
  const told: unknown[] = []
  const charts = new Set<string>()
  const log = (fields: object, message: string): void => void told.push(structuredClone({ fields: { ...fields, err: undefined }, message }))
  const { team, answer, current, events, pass, kernel } = supervised({
    config: { ...PROFILES, profiles: { 'a.x': { model: 'm1', apiKey: 'KEY-CANARY' }, 'b.y': { model: 'm2', apiKey: 'KEY-CANARY' } } },
    team: { participants: [{ ...ANA, prompt: 'PROMPT-CANARY', failover: ['b.y'] }] },
    ports: {
      logger: { debug: log, info: log, warn: log, error: log },
      inspect: (event) => {
        charts.add((event.actorRef as AnyActorRef).id)
        told.push(stringsIn('event' in event ? event.event : null))
        if ('snapshot' in event) told.push(stringsIn((event.snapshot as { context?: unknown }).context))
      },
    },
    onEvent: (_, { status, standing }) => told.push(structuredClone({ status, standing })),
  })
  team.say('MESSAGE-CANARY @ana')
  await answer('POST-CANARY\nplay: gate QUESTION-CANARY')
  team.approve('ana')
  await answer('POST-CANARY\nplay: CANARY')
  await answer('POST-CANARY\nplay: wait 5')
  await pass(300_000)
  ;(await current()).text('HALF-CANARY').fail('server_error', { message: 'WORDS-CANARY' })
  await settle()
  await pass(1_000)
  ;(await current()).fail('rate_limited', { retryAfterMs: 60_000 })
  await pass(60_000)
  const result = await team.stop({ immediate: true })
  await kernel.stop()
  expect(events.length).toBeGreaterThan(20)
  expect(charts).toContain('team')
  expect(charts).toContain('turn')
  const leaks = stringsIn([told, events, result, team.status, team.standing, kernel.ledger.rows()])
    .split('\n')
    .filter((text) => text.includes('CANARY'))
  // What a provider said of a failure is in the log of the host, which takes secrets out (R21).
  expect(leaks.filter((text) => text !== 'WORDS-CANARY')).toEqual([])
})

const answered = of<ProviderEvent[]>({ type: 'text', text: 'On.' }, { type: 'final', finish: 'stop', terminated: true })

test('a run of a thousand turns holds no more than one of ten', async () => {
  const { team, pass, kernel } = supervised({
    team: { participants: [ANA, { ...ANA, id: 'bo' }], until: (turns) => turns >= 1_000 },
    ports: { engines: () => ({ attempt: () => answered }) },
  })
  const counts = (): number[] => [TurnHandle, TurnRun, Subscriber].map((each) => v8.queryObjects(each as never) as number)
  const at: Record<number, number[]> = {}
  team.events$.subscribe((event: TeamEvent) => {
    if (event.type === 'run.ended' && (event.run.n === 10 || event.run.n === 900)) at[event.run.n] = counts()
  })
  for (let turn = 0; turn < 1_000 && team.status.end === null; turn++) await pass(1)
  expect((await team.done).status.turns).toBe(1_000)
  const [early = [], late = []] = [at[10], at[900]]
  for (const [index, count] of late.entries()) expect(count - (early[index] ?? 0)).toBeLessThan(5)
  expect(kernel.ledger.rows()).toHaveLength(1_000)
})
