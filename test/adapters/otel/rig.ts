import type { HrTime } from '@opentelemetry/api'
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { startTelemetry, type Telemetry, type TelemetryOptions } from '../../../src/adapters/otel/telemetry.ts'
import type { TurnRequest } from '../../../src/runtime/request.ts'
import { type Rig, settle, type Watched, watch } from '../../runtime/rig.ts'

/** A reader that collects when a test asks for it. */
class AskedReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve()
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve()
  }
}

/** One number of a metric: a count, or the count and the sum of what was measured. */
export interface Point {
  readonly metric: string
  readonly attributes: Record<string, unknown>
  readonly value: number | { readonly count: number; readonly sum: number }
}

export interface Sdk {
  readonly telemetry: Telemetry
  /** Those that ended, in that order. */
  spans(): readonly ReadableSpan[]
  points(): Promise<readonly Point[]>
}

const running: Telemetry[] = []

/** The SDK of OpenTelemetry in memory, with the telemetry of this process written to it until `stopAll`. */
export function sdk(options: TelemetryOptions = {}): Sdk {
  const exporter = new InMemorySpanExporter()
  const reader = new AskedReader()
  const telemetry = startTelemetry({
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    meterProvider: new MeterProvider({ readers: [reader] }),
    ...options,
  })
  running.push(telemetry)
  return {
    telemetry,
    spans: () => exporter.getFinishedSpans(),
    async points() {
      const { resourceMetrics, errors } = await reader.collect()
      if (errors.length > 0) throw errors[0]
      const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)
      return all.flatMap(({ descriptor, dataPoints }) =>
        (dataPoints as DataPoint<number | Histogram>[]).map(({ attributes, value }): Point => {
          const number = typeof value === 'number' ? value : { count: value.count, sum: value.sum ?? Number.NaN }
          return { metric: descriptor.name, attributes, value: number }
        }),
      )
    },
  }
}

export function stopAll(): void {
  for (const telemetry of running.splice(0)) telemetry.stop()
}

/** Runs one turn to its end, in the time of its clock. */
export async function served({ kernel, clock }: Rig, request: TurnRequest): Promise<Watched> {
  const watched = watch(kernel, request)
  for (let steps = 0; steps < 50 && watched.outcome === null; steps++) {
    await settle()
    if (watched.outcome === null) clock.step()
  }
  if (watched.outcome === null) throw new Error('the turn did not end')
  return watched
}

/** Epoch ms. */
export function instant([seconds, nanos]: HrTime): number {
  return seconds * 1_000 + nanos / 1e6
}
