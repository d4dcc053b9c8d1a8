import { describe, expect, test } from 'vitest'
import { present, recorded } from '../cli/notice/recorded-notices.ts'
import { call, type Event, eventsOf, fakes } from './run.ts'

/**
 * What fake CLIs print beside what the real ones printed (live runs of the corpus): every kind of event that both have, has only fields that
 * the real one had. The recordings hold no tools, and claude's `init` is left out of them.
 */

/** `type`, and what tells its kinds apart. */
const kindOf = (event: Event): string => {
  const item = event['item'] as Event | undefined
  const inner = event['event'] as Event | undefined
  return [event['type'], event['subtype'], inner?.['type'], item?.['type'], event['status'], event['role']]
    .filter((one) => one !== undefined)
    .join(' ')
}

const fieldsOf = (event: Event): string[] => {
  const inside = Object.entries(event).flatMap(([field, value]) =>
    ['message', 'item', 'rate_limit_info', 'usage', 'error', 'stats'].includes(field) && typeof value === 'object' && value !== null
      ? Object.keys(value).map((name) => `${field}.${name}`)
      : [],
  )
  return [...Object.keys(event), ...inside]
}

const CALLS = [
  ['claude', ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages']],
  ['codex', ['exec', '--json', '-']],
  ['gemini', ['-o', 'stream-json']],
] as const

describe.skipIf(!present)('cli-engines.md §2 to §4 the events of recorded runs', () => {
  test.each(CALLS)('%s prints no field that the real one does not', async (name, args) => {
    const live = recorded.filter((one) => one.provider === name && one.channel === 'stdout-ndjson' && one.id.startsWith('live-'))
    expect(live.length).toBeGreaterThan(10)
    const real = new Map<string, Set<string>>()
    for (const event of live.flatMap(({ raw }) => eventsOf(raw))) {
      const fields = real.get(kindOf(event)) ?? new Set()
      for (const field of fieldsOf(event)) fields.add(field)
      real.set(kindOf(event), fields)
    }
    // Gemini CLI sleeps out a limit whose end is known.
    const limit = name === 'gemini' ? {} : { resetInMs: 7_200_000 }
    const runs = [
      { text: 'one two three four five' },
      { limit },
      { throttle: true },
      { overloaded: true },
      { auth: true },
      { context: true },
    ] as const
    const clis = await fakes({ [name]: runs })
    const ended = await Promise.all(runs.map(() => call(clis, name, { args })))
    const seen = new Set<string>()
    for (const event of ended.flatMap(({ events }) => events)) {
      const fields = real.get(kindOf(event))
      if (fields === undefined) continue
      seen.add(kindOf(event))
      expect({ kind: kindOf(event), odd: fieldsOf(event).filter((field) => !fields.has(field)) }).toEqual({ kind: kindOf(event), odd: [] })
    }
    expect(seen.size).toBeGreaterThanOrEqual(4)
  })
})
