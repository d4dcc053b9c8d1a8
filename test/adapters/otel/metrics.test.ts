import { trace } from '@opentelemetry/api'
import { afterEach, describe, expect, it } from 'vitest'
import { FAILURE_KINDS } from '../../../src/model/failure.ts'
import type { AttemptResult } from '../../../src/model/usage.ts'
import { channelLog } from '../../../src/runtime/channels.ts'
import type { KernelConfig } from '../../../src/runtime/kernel-door.ts'
import { unstarted } from '../../../src/runtime/outcome.ts'
import { rig, TWO } from '../../runtime/rig.ts'
import { type Point, sdk, served, stopAll } from './rig.ts'

afterEach(stopAll)

const of = (points: readonly Point[], metric: string) =>
  points.filter((point) => point.metric === metric).map(({ attributes, value }) => ({ ...attributes, value }))

/** A turn that streams, the first of it after 100 ms and all of it after 250, and one that is limited and answered by the next entry. */
async function twoTurns(names?: '1.36' | 'inference') {
  const made = sdk({ names })
  const playing = rig({
    config: {
      ...TWO,
      primary: 'openai.x',
      profiles: { 'openai.x': { model: 'm1', apiKey: 'k-1', fallback: ['xai.y'] }, 'xai.y': { model: 'm2', apiKey: 'k-2' } },
    },
    onAttempt: (attempt, n) => {
      const { clock } = playing
      if (n === 2) return attempt.fail('rate_limited', { retryAfterMs: 60_000 })
      if (n === 3) return attempt.text('again').final()
      clock.wakeAt(100, () => attempt.say({ type: 'usage', input: 70, output: 30, cachedInput: 20 }).text('ye'))
      clock.wakeAt(250, () => attempt.text('s').final())
    },
  })
  expect((await served(playing, { sinks: ['event'] })).outcome).toMatchObject({ kind: 'ok', text: 'yes' })
  expect((await served(playing, { stream: false })).outcome).toMatchObject({ kind: 'ok', text: 'again' })
  return made.points()
}

const FIRST = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'm1' }
const SECOND = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'x_ai', 'gen_ai.request.model': 'm2' }

describe('the metrics of turns', () => {
  it('measure attempts, tokens, the first chunk and turns, and count fallbacks and holds', async () => {
    const points = await twoTurns()
    expect(of(points, 'gen_ai.client.operation.duration')).toEqual([
      { ...FIRST, value: { count: 1, sum: 0.25 } },
      { ...FIRST, 'error.type': 'rate_limited', value: { count: 1, sum: 0 } },
      { ...SECOND, value: { count: 1, sum: 0 } },
    ])
    expect(of(points, 'gen_ai.client.operation.time_to_first_chunk')).toEqual([{ ...FIRST, value: { count: 1, sum: 0.1 } }])
    expect(of(points, 'gen_ai.client.token.usage')).toEqual([
      { ...FIRST, 'gen_ai.token.type': 'input', value: { count: 1, sum: 70 } },
      { ...FIRST, 'gen_ai.token.type': 'output', value: { count: 1, sum: 30 } },
    ])
    expect(of(points, 'relevo.turn.duration')).toEqual([{ 'relevo.turn.outcome': 'ok', value: { count: 2, sum: 0.25 } }])
    expect(of(points, 'relevo.attempts')).toEqual([
      { ...FIRST, 'relevo.attempt.result': 'ok', value: 1 },
      { ...FIRST, 'relevo.attempt.result': 'rate_limited', value: 1 },
      { ...SECOND, 'relevo.attempt.result': 'ok', value: 1 },
    ])
    expect(of(points, 'relevo.fallbacks')).toEqual([
      { 'relevo.from': 'openai.x/m1', 'relevo.to': 'xai.y/m2', 'relevo.reason': 'rate_limited', value: 1 },
    ])
    expect(of(points, 'relevo.holds')).toEqual([{ 'relevo.profile': 'openai.x', 'relevo.reason': 'cooldown', value: 1 }])
    expect(new Set(points.map(({ metric }) => metric)).size).toBe(7)
  })

  it('have the names of the other version of the conventions when it is asked for', async () => {
    const points = await twoTurns('inference')
    expect(of(points, 'gen_ai.client.inference.duration')).toHaveLength(3)
    expect(of(points, 'gen_ai.client.inference.time_to_first_chunk')).toEqual([{ ...FIRST, value: { count: 1, sum: 0.1 } }])
    const modality = { 'gen_ai.token.modality': 'unknown' }
    expect(of(points, 'gen_ai.client.inference.usage.input_tokens')).toEqual([{ ...FIRST, ...modality, value: 70 }])
    expect(of(points, 'gen_ai.client.inference.usage.output_tokens')).toEqual([{ ...FIRST, ...modality, value: 30 }])
    expect(points.filter(({ metric }) => /client\.operation|token\.usage/.test(metric))).toEqual([])
  })

  it('R34 hold no tokens that nobody told', async () => {
    const { points } = sdk()
    await served(rig({ onAttempt: (attempt) => attempt.say({ type: 'usage', output: 3 }).text('yes').final() }), { stream: false })
    expect(of(await points(), 'gen_ai.client.token.usage').map((point) => point['gen_ai.token.type' as 'value'])).toEqual(['output'])
  })
})

describe('TEL-02', () => {
  it('TEL-02 turns with names and models of their own, of a kernel, share their sets of attributes', async () => {
    const { points } = sdk()
    const config: KernelConfig = {
      primary: 'a.open',
      profiles: { 'a.open': { apiKey: 'k-1', fallback: ['b.pinned'] }, 'b.pinned': { model: 'known', apiKey: 'k-2' } },
      reliability: { jitter: 0, providerRetries: 1 },
    }
    const { kernel } = rig({
      config,
      onAttempt: (attempt, n) =>
        n % 3 === 0 ? attempt.fail('invalid_request') : attempt.say({ type: 'usage', input: 1, output: 1 }).text('x').final(),
    })
    const turns = Array.from({ length: 100 }, (_, n) => kernel.turn({ id: `turn-${n}`, model: `typed-${n}`, prompt: 'hi', stream: false }).outcome)
    expect(new Set((await Promise.all(turns)).map(({ kind }) => kind))).toContain('ok')
    const all = await points()
    expect(all.length).toBeLessThan(25)
    const models = new Set(all.flatMap(({ attributes }) => attributes['gen_ai.request.model'] ?? []))
    expect([...models].sort()).toEqual(['known', 'other'])
    expect(JSON.stringify(all)).not.toMatch(/turn-\d|typed-\d/)
  })

  it('TEL-02 targets with models of their own make no more sets than one with a model that the settings name', async () => {
    const { points } = sdk()
    const config: KernelConfig = {
      primary: 'a.x',
      profiles: { 'a.x': { apiKey: 'k-1', model: 'known', fallback: ['b.y'] }, 'b.y': { model: 'known', apiKey: 'k-2' } },
      reliability: { jitter: 0, providerRetries: 0 },
    }
    const { kernel } = rig({ config, onAttempt: (attempt, n) => (n % 2 === 0 ? attempt.text('x').final() : attempt.fail('server_error')) })
    const outcomes = Array.from({ length: 100 }, (_, n) => {
      const [one, two] = [
        { profile: 'a.x', model: `typed-${n}` },
        { profile: 'b.y', model: `typed-${n}` },
      ] as const
      return kernel.turn({ targets: n % 2 === 0 ? [one] : [one, two], caller: `caller-${n}`, prompt: 'hi', stream: false }).outcome
    })
    expect(new Set((await Promise.all(outcomes)).map(({ kind }) => kind))).toContain('ok')
    const all = await points()
    expect(all.length).toBeLessThan(25)
    expect(JSON.stringify(all)).not.toMatch(/caller-\d|typed-\d/)
  })

  it('TEL-02 ten thousand turns of a thousand participants make fewer than 200, with every result that an attempt can have', async () => {
    const { points } = sdk({ tracerProvider: trace })
    const results: readonly AttemptResult[] = ['ok', 'incomplete', 'cancelled', ...FAILURE_KINDS]
    const logs = Array.from({ length: 1_000 }, (_, n) => channelLog({ kernel: 'k' }).of({ participant: `person-${n}` }))
    for (let n = 0; n < 10_000; n++) {
      const log = logs[n % logs.length] ?? channelLog()
      const [turn, model, result] = [`turn-${n}`, `typed-${n}`, results[n % results.length] ?? 'ok']
      const usage = { input: n, output: n }
      log.fact({ type: 'turn.started', turn, at: n, requested: { profile: 'claude.a', model }, entries: ['claude.a/*', 'b.y/m2'] })
      log.fact({ type: 'attempt.started', turn, at: n, n: 1, entry: 'claude.a/*', profile: 'claude.a', model, mode: 'stream' })
      log.fact({ type: 'attempt.ended', turn, at: n, n: 1, entry: 'claude.a/*', result, accepted: false, usage, cost: null })
      if (n % 10 === 0) {
        log.fact({ type: 'hold.set', turn, at: n, hold: { key: `claude.a/${model}`, untilAt: 9, reason: 'limit' } })
        log.fact({ type: 'attempt.started', turn, at: n, n: 2, entry: 'b.y/m2', profile: 'b.y', model: 'm2', mode: 'stream' })
        log.fact({ type: 'output.committed', turn, at: n, n: 2 })
        log.fact({ type: 'attempt.ended', turn, at: n, n: 2, entry: 'b.y/m2', result: 'ok', accepted: true, usage, cost: null })
      }
      log.fact({ type: 'turn.ended', turn, at: n, outcome: unstarted('ok', null, null, n) })
    }
    const all = await points()
    expect(all.length).toBeLessThan(200)
    expect(of(all, 'relevo.holds')).toEqual([{ 'relevo.profile': 'claude.a', 'relevo.reason': 'limit', value: 1_000 }])
    expect(of(all, 'relevo.attempts')).toHaveLength(results.length + 1)
    expect(JSON.stringify(all)).not.toMatch(/person-\d|turn-\d|typed-\d/)
  })
})
