import { describe, expect, it } from 'vitest'
import { present, recorded } from '../notice/recorded-notices.ts'
import { decode } from './lines.ts'

const runs = recorded.filter((one) => one.provider === 'claude' && one.channel === 'stdout-ndjson')

/** The text of the run, read from its result line alone. */
function resultOf(raw: string): unknown {
  const lines = raw.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
  return lines.findLast((line) => line.type === 'result')?.result
}

describe.skipIf(!present)('recorded runs of claude', () => {
  it('are all there: 40', () => {
    expect(runs.length).toBeGreaterThanOrEqual(40)
    expect(runs.filter((one) => one.expect.kind === 'none').length).toBeGreaterThanOrEqual(6)
  })

  describe.each(['stream', 'call'] as const)('as a %s', (mode) => {
    it.each(runs.map((one) => [one.id, one] as const))('cli-engines.md §2 %s', (_id, { raw, exitCode = null, expect: { kind } }) => {
      const { events, end, broken } = decode(mode, raw.split('\n'), exitCode)
      const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
      expect(broken).toBeNull()
      if (kind !== 'none' || exitCode !== 0) return expect({ end, text }).toEqual({ end: { completed: false }, text: '' })
      expect(end).toEqual({ completed: true, finish: 'stop' })
      expect(text).toBe(resultOf(raw))
      expect(text).not.toBe('')
      expect(events.filter((event) => event.type === 'usage')).toEqual([{ type: 'usage', input: 12, output: 6, cachedInput: 0 }])
    })
  })
})
