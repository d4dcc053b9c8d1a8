import { describe, expect, it } from 'vitest'
import { present, recorded } from '../notice/recorded-notices.ts'
import { decode } from './lines.ts'

const runs = recorded.filter((one) => one.provider === 'codex' && one.channel === 'stdout-ndjson')

/** The text of the run, read from its last message alone. */
function lastMessageOf(raw: string): unknown {
  const items = raw.split('\n').map((line) => (JSON.parse(line) as { item?: { type?: string; text?: string } }).item)
  return items.findLast((item) => item?.type === 'agent_message')?.text
}

describe.skipIf(!present)('recorded runs of codex', () => {
  it('are all there: 27', () => {
    expect(runs.length).toBeGreaterThanOrEqual(27)
    expect(runs.filter((one) => one.expect.kind === 'none').length).toBeGreaterThanOrEqual(4)
  })

  it.each(runs.map((one) => [one.id, one] as const))('cli-engines.md §3 %s', (_id, { raw, exitCode = null, expect: { kind } }) => {
    const { events, end } = decode(raw.split('\n'), exitCode)
    if (kind !== 'none' || exitCode !== 0) return expect({ end, events }).toEqual({ end: { completed: false }, events: [] })
    expect(end).toEqual({ completed: true, finish: 'stop' })
    expect(events).toEqual([
      { type: 'text', text: lastMessageOf(raw) },
      { type: 'usage', input: 12, output: 6, cachedInput: 4 },
    ])
  })
})
