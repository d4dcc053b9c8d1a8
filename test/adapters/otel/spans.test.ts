import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type ContextManager, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, it } from 'vitest'
import { rig, settle, TWO } from '../../runtime/rig.ts'
import { instant, sdk, served, stopAll } from './rig.ts'

afterEach(stopAll)

const eventsOf = ({ events }: ReadableSpan) => events.map(({ name, attributes }) => ({ name, ...attributes }))

describe('a turn as spans', () => {
  it('is one span with an attempt each below it, from and until the instants of the facts', async () => {
    const { spans } = sdk()
    const made = rig({
      onAttempt: (attempt, n) =>
        n === 1
          ? attempt.fail('rate_limited', { retryAfterMs: 60_000 })
          : attempt.say({ type: 'usage', input: 7, output: 3, cachedInput: 2 }).text('yes').final(),
    })
    const { events, outcome } = await served(made, { id: 't1', caller: 'web', sinks: ['event'] })
    const [first, second, turn] = spans()
    expect(spans()).toHaveLength(3)
    expect(turn).toMatchObject({
      name: 'relevo.turn',
      kind: SpanKind.INTERNAL,
      parentSpanContext: undefined,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'relevo.turn.id': 't1',
        'relevo.caller': 'web',
        'relevo.requested.profile': 'a.x',
        'relevo.requested.model': 'm1',
        'relevo.served.profile': 'b.y',
        'relevo.served.model': 'm2',
        'relevo.turn.outcome': 'ok',
        'relevo.turn.attempts': 2,
      },
    })
    for (const span of [first, second]) {
      expect(span?.kind).toBe(SpanKind.CLIENT)
      expect(span?.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId)
      expect(span?.spanContext().traceId).toBe(turn?.spanContext().traceId)
    }
    expect(first).toMatchObject({ name: 'chat m1', status: { code: SpanStatusCode.ERROR } })
    expect(first?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'a',
      'gen_ai.request.model': 'm1',
      'gen_ai.request.stream': true,
      'relevo.attempt.number': 1,
      'relevo.attempt.entry': 'a.x/m1',
      'relevo.profile': 'a.x',
      'relevo.attempt.result': 'rate_limited',
      'relevo.attempt.accepted': false,
      'error.type': 'rate_limited',
    })
    expect(second).toMatchObject({ name: 'chat m2', status: { code: SpanStatusCode.UNSET } })
    expect(second?.attributes).toMatchObject({
      'gen_ai.request.model': 'm2',
      'gen_ai.response.model': 'm2',
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.cache_read.input_tokens': 2,
      'relevo.attempt.accepted': true,
      'relevo.attempt.result': 'ok',
    })
    const started = events.find((event) => event.type === 'turn.started')
    expect(turn && [instant(turn.startTime), instant(turn.endTime)]).toEqual([started && 'at' in started && started.at, outcome?.endedAt])
  })
  it('has events for a backoff, a hold, and for going on with another entry', async () => {
    const { spans } = sdk()
    const made = rig({
      config: { ...TWO, reliability: { jitter: 0, providerRetries: 2, providerBackoffMs: 200 } },
      onAttempt: (attempt, n) => {
        if (n === 1) attempt.fail('server_error')
        else if (n === 2) attempt.fail('rate_limited', { retryAfterMs: 10_000 })
        else attempt.text('yes').final()
      },
    })
    await served(made, { stream: false })
    const turn = spans().at(-1)
    expect(turn && eventsOf(turn)).toEqual([
      { name: 'relevo.backoff', 'relevo.reason': 'backoff', 'relevo.wait_ms': 200, 'relevo.key': 'a.x' },
      { name: 'relevo.hold', 'relevo.reason': 'cooldown', 'relevo.key': 'a.x', 'relevo.until': 10_200 },
      { name: 'relevo.handoff', 'relevo.from': 'a.x/m1', 'relevo.to': 'b.y/m2', 'relevo.reason': 'rate_limited' },
    ])
    expect(turn?.events.map(({ time }) => instant(time))).toEqual([0, 200, 200])
  })

  it('has an event for a wait until a hold ends', async () => {
    const { spans } = sdk()
    const made = rig({
      onAttempt: (attempt, n) => {
        if (n === 1 || n === 3) attempt.fail('rate_limited', { retryAfterMs: n * 20_000 })
        else attempt.text('yes').final()
      },
    })
    await served(made, { stream: false })
    await served(made, { stream: false })
    const turn = spans().at(-1)
    expect(turn && eventsOf(turn).slice(-2)).toEqual([
      { name: 'relevo.wait', 'relevo.reason': 'hold', 'relevo.wait_ms': 20_000, 'relevo.key': 'a.x' },
      { name: 'relevo.handoff', 'relevo.from': 'b.y/m2', 'relevo.to': 'a.x/m1', 'relevo.reason': 'rate_limited' },
    ])
  })

  it('an entry that was passed over while held is one that the turn went on from', async () => {
    const { spans } = sdk()
    const made = rig({ onAttempt: (attempt, n) => (n === 1 ? attempt.fail('rate_limited', { retryAfterMs: 60_000 }) : attempt.text('yes').final()) })
    await served(made, { id: 't1', stream: false })
    await served(made, { id: 't2', stream: false })
    const second = spans().at(-1)
    expect(second?.attributes['relevo.turn.id']).toBe('t2')
    expect(second && eventsOf(second)).toEqual([{ name: 'relevo.handoff', 'relevo.from': 'a.x/m1', 'relevo.to': 'b.y/m2', 'relevo.reason': 'held' }])
  })

  it('stands below the span that its caller is in', async () => {
    const { spans } = sdk()
    const stack = new AsyncLocalStorage<Context>()
    const manager: ContextManager = {
      active: () => stack.getStore() ?? ROOT_CONTEXT,
      with: (inner, run, self, ...args) => stack.run(inner, () => run.apply(self, args)),
      bind: (_, target) => target,
      enable: () => manager,
      disable: () => manager,
    }
    context.setGlobalContextManager(manager)
    try {
      const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: TraceFlags.SAMPLED }
      const made = rig({ onAttempt: (attempt) => attempt.text('yes').final() })
      await context.with(trace.setSpanContext(ROOT_CONTEXT, caller), () => served(made, { stream: false }))
      expect(spans().at(-1)?.parentSpanContext).toMatchObject({ traceId: caller.traceId, spanId: caller.spanId })
      expect(spans().every((span) => span.spanContext().traceId === caller.traceId)).toBe(true)
    } finally {
      context.disable()
    }
  })

  it('tells two kernels apart whose turns have the same name', async () => {
    const { spans } = sdk()
    const [one, two] = [rig(), rig()]
    const turns = [one, two].map(({ kernel }) => kernel.turn({ id: 'same', prompt: 'hi', stream: false }))
    await settle()
    one.last().text('one').final()
    two.last().fail('auth')
    await settle()
    two.last().fail('auth')
    expect((await Promise.all(turns.map((turn) => turn.outcome))).map(({ kind }) => kind)).toEqual(['ok', 'exhausted'])
    const turnSpans = spans().filter(({ name }) => name === 'relevo.turn')
    expect(turnSpans.map(({ attributes }) => [attributes['relevo.turn.outcome'], attributes['relevo.turn.attempts']])).toEqual([
      ['ok', 1],
      ['exhausted', 2],
    ])
    for (const turn of turnSpans) {
      const below = spans().filter((span) => span.parentSpanContext?.spanId === turn.spanContext().spanId)
      expect(below).toHaveLength(Number(turn.attributes['relevo.turn.attempts']))
    }
  })
})
