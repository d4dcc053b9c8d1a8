import { type DiagLogger, diag, type Span, SpanStatusCode, type Tracer, type TracerProvider } from '@opentelemetry/api'
import { NEVER } from 'rxjs'
import { afterEach, describe, expect, it } from 'vitest'
import { MOST_OPEN_TURNS } from '../../../src/adapters/otel/telemetry.ts'
import { channelLog } from '../../../src/runtime/channels.ts'
import { unstarted } from '../../../src/runtime/outcome.ts'
import { LONE, rig, settle } from '../../runtime/rig.ts'
import { instant, sdk, served, stopAll } from './rig.ts'

afterEach(stopAll)

const begun = (log: ReturnType<typeof channelLog>, turn: string): void =>
  log.fact({ type: 'turn.started', turn, at: 5, requested: { profile: 'a.x', model: 'm1' }, entries: [] })

describe('every span ends', () => {
  it.each(['cancelled', 'stopped'])('when its turn is %s', async (how) => {
    const { spans } = sdk()
    const { kernel } = rig()
    const turn = kernel.turn({ prompt: 'hi', stream: false })
    await settle()
    if (how === 'stopped') await kernel.stop()
    else turn.cancel()
    expect((await turn.outcome).kind).toBe('cancelled')
    expect(spans().map(({ name, attributes }) => [name, attributes['relevo.attempt.result'], attributes['relevo.turn.outcome']])).toEqual([
      ['chat m1', 'cancelled', undefined],
      ['relevo.turn', undefined, 'cancelled'],
    ])
    expect(spans().every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true)
  })

  it('when its turn has a defect in the middle of an attempt', async () => {
    const { spans } = sdk()
    let broken = false
    const engines = () => {
      if (broken) throw new Error('the resolver broke')
      return { attempt: () => NEVER }
    }
    const { kernel } = rig({ ports: { engines } })
    broken = true
    expect((await kernel.turn({ prompt: 'hi', stream: false }).outcome).kind).toBe('defect')
    expect(spans().map(({ name }) => name)).toEqual(['chat m1', 'relevo.turn'])
    expect(spans()[1]).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'defect' } })
  })

  it('also that of a turn which ended before it began', async () => {
    const { spans, points } = sdk()
    const { kernel } = rig({ config: { ...LONE, profiles: { 'a.x': { model: 'm1', apiKey: 'k', capabilities: { vision: false } } } } })
    const cancelled = kernel.turn({ id: 't1', prompt: 'hi' })
    cancelled.cancel()
    expect((await cancelled.outcome).kind).toBe('cancelled')
    const unplanned = kernel.turn({ id: 't2', messages: [{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: 'AA==' }] }] })
    expect((await unplanned.outcome).kind).toBe('config_error')
    expect(spans().map(({ name, attributes }) => [name, attributes['relevo.turn.id'], attributes['relevo.turn.outcome']])).toEqual([
      ['relevo.turn', 't1', 'cancelled'],
      ['relevo.turn', 't2', 'config_error'],
    ])
    expect(spans()[1]?.attributes['error.type']).toBe('no_capable_entry')
    expect((await points()).map(({ metric, attributes }) => [metric, attributes['relevo.turn.outcome']])).toEqual([
      ['relevo.turn.duration', 'cancelled'],
      ['relevo.turn.duration', 'config_error'],
    ])
  })

  it('when the telemetry stops, at what was last heard of the turn', async () => {
    const { spans, telemetry } = sdk()
    const { kernel, last } = rig()
    const turn = kernel.turn({ prompt: 'hi', stream: false })
    await settle()
    telemetry.stop()
    expect(spans().map(({ name, ended }) => [name, ended])).toEqual([
      ['chat m1', true],
      ['relevo.turn', true],
    ])
    last().text('yes').final()
    await turn.outcome
    expect(spans()).toHaveLength(2)
  })

  it('also that of an attempt whose end was lost to a defect', () => {
    const { spans } = sdk()
    const log = channelLog()
    begun(log, 't1')
    log.fact({ type: 'attempt.started', turn: 't1', at: 6, n: 1, entry: 'a.x/m1', profile: 'a.x', model: 'm1', mode: 'call' })
    log.fact({ type: 'turn.ended', turn: 't1', at: 9, outcome: unstarted('defect', null, null, 9) })
    expect(spans().map(({ name, endTime }) => [name, instant(endTime)])).toEqual([
      ['chat m1', 9],
      ['relevo.turn', 9],
    ])
  })

  it('when the telemetry stops, also where another one cannot be ended', () => {
    const ended: string[] = []
    const startSpan: Tracer['startSpan'] = (_, options) => {
      const turn = String(options?.attributes?.['relevo.turn.id'])
      const end = (): void => {
        if (turn === 't1') throw new Error('the exporter is broken')
        ended.push(turn)
      }
      return { end } as Span
    }
    const { telemetry } = sdk({ tracerProvider: { getTracer: () => ({ startSpan }) } as unknown as TracerProvider })
    const log = channelLog()
    for (const turn of ['t1', 't2']) begun(log, turn)
    telemetry.stop()
    expect(ended).toEqual(['t2'])
  })

  it('when its name is begun anew, and when more turns are open than are followed', () => {
    const ended: string[] = []
    const startSpan: Tracer['startSpan'] = (_, options) => ({ end: () => void ended.push(String(options?.attributes?.['relevo.turn.id'])) }) as Span
    sdk({ tracerProvider: { getTracer: () => ({ startSpan }) } as unknown as TracerProvider })
    const log = channelLog()
    begun(log, 'same')
    begun(log, 'same')
    expect(ended).toEqual(['same'])
    for (let made = 1; made < MOST_OPEN_TURNS; made++) begun(log, `t${made}`)
    expect(ended).toEqual(['same'])
    begun(log, 'one more')
    begun(log, 'another')
    expect(ended).toEqual(['same', 'same', 't1'])
  })
})

describe('a fault of the telemetry', () => {
  it('costs no turn, and is told to the log of OpenTelemetry', async () => {
    const told: unknown[] = []
    const quiet = (): void => {}
    const log: DiagLogger = { error: (...said) => void told.push(...said), warn: quiet, info: quiet, debug: quiet, verbose: quiet }
    diag.setLogger(log)
    try {
      const broken = () => {
        throw new Error('the exporter is broken')
      }
      const tracerProvider = { getTracer: () => ({ startSpan: broken, startActiveSpan: broken }) } as unknown as TracerProvider
      sdk({ tracerProvider })
      const { outcome } = await served(rig({ onAttempt: (attempt) => attempt.text('yes').final() }), { stream: false })
      expect(outcome).toMatchObject({ kind: 'ok', text: 'yes' })
      expect(told).toContain('relevo/otel: a message was lost')
    } finally {
      diag.disable()
    }
  })

  it('in a span leaves the metrics of other turns alone', async () => {
    const breaking = { setAttributes: () => {}, setStatus: () => {}, addEvent: () => {}, end: () => {} }
    let n = 0
    const startSpan = (): Span => {
      if (n++ === 0) throw new Error('once')
      return breaking as unknown as Span
    }
    const { points } = sdk({ tracerProvider: { getTracer: () => ({ startSpan }) } as unknown as TracerProvider })
    for (const id of ['t1', 't2']) await served(rig({ onAttempt: (attempt) => attempt.text('yes').final() }), { id, stream: false })
    const attempts = (await points()).find(({ metric }) => metric === 'relevo.attempts')
    expect(attempts?.value).toBe(1)
  })
})
