// Turns as spans and metrics of OpenTelemetry: one entry is limited, the next one answers.
// The SDK is the user's, as is where it exports to; here it keeps what it is given in memory. The engine is scripted: no network.
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createKernel } from 'relevo'
import { startTelemetry } from 'relevo/otel'
import { scriptedEngine, virtualClock } from 'relevo/testing'

class Reader extends MetricReader {
  async onForceFlush(): Promise<void> {}
  async onShutdown(): Promise<void> {}
}

const exporter = new InMemorySpanExporter()
const reader = new Reader()
const telemetry = startTelemetry({
  tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  meterProvider: new MeterProvider({ readers: [reader] }),
})

const engine = scriptedEngine({
  'openai.main/gpt-a': { call: [{ http: 429, headers: { 'retry-after': '30' } }] },
  'ollama.home/small': { call: [{ ok: 'From home.', usage: { input: 12, output: 3 } }] },
})
const kernel = createKernel(
  {
    primary: 'openai.main',
    profiles: { 'openai.main': { model: 'gpt-a', apiKey: 'sk-any', fallback: ['ollama.home'] }, 'ollama.home': { model: 'small' } },
  },
  { engines: () => engine, clock: virtualClock(Date.UTC(2030, 0, 1)) },
)
console.log(await kernel.turn({ prompt: 'Hello?' }).text)
//> From home.

// A span ends when what it is about does, so the turn's comes last.
for (const { name, attributes } of exporter.getFinishedSpans()) console.log(name, attributes['error.type'] ?? 'no error')
//> chat gpt-a rate_limited
//> chat small no error
//> relevo.turn no error
for (const { name, attributes } of exporter.getFinishedSpans().at(-1)?.events ?? []) console.log(name, JSON.stringify(attributes))
//> relevo.hold {"relevo.key":"openai.main","relevo.reason":"cooldown","relevo.until":1893456030000}
//> relevo.handoff {"relevo.from":"openai.main/gpt-a","relevo.to":"ollama.home/small","relevo.reason":"rate_limited"}

const { resourceMetrics } = await reader.collect()
const counted = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics).filter(({ descriptor }) => descriptor.name === 'relevo.fallbacks')
for (const { dataPoints } of counted)
  for (const { attributes, value } of dataPoints) console.log(value, attributes['relevo.from'], 'to', attributes['relevo.to'])
//> 1 openai.main/gpt-a to ollama.home/small

telemetry.stop()
await kernel.stop()
