import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EVENT, GEN_AI, METRIC_NAMES, OWN, OWN_METRICS, SPAN } from '../../../src/adapters/otel/names.ts'
import { ROOT } from '../../architecture/source.ts'

describe('docs/telemetry.md', () => {
  it('names every span, event, attribute and metric, and none that there is not', () => {
    const page = readFileSync(`${ROOT}docs/telemetry.md`, 'utf8')
    const named = new Set([...page.matchAll(/`((?:relevo|gen_ai)\.[\w.]+|error\.type)`/g)].map(([, name]) => name))
    const ofMetrics = Object.values(METRIC_NAMES).flatMap(({ duration, timeToFirstChunk, inputTokens, outputTokens }) => {
      const tokens = [inputTokens, outputTokens].flatMap(({ name, attributes }) => [name, ...Object.keys(attributes)])
      return [duration, timeToFirstChunk, ...tokens]
    })
    const all = [SPAN.turn, ...[EVENT, OWN, GEN_AI, OWN_METRICS].flatMap((names) => Object.values(names)), ...ofMetrics]
    expect([...named].sort()).toEqual([...new Set(all)].sort())
  })
})
