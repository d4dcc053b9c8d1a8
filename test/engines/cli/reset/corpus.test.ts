import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { normalised } from '../../../../src/engines/cli/reset/normalise.ts'
import { readReset } from '../../../../src/engines/cli/reset/read-reset.ts'

/** The recorded and reported notices (house.md §6): other people's data, read in place, never copied. */
const NOTICES = new URL('../../../../../shared/corpus/notices/notices.json', import.meta.url)
const present = existsSync(NOTICES)
if (!present) console.warn('SKIPPED notices read for their reset: ../shared/corpus/notices is not there; the texts of our own making stand in')

interface Entry {
  readonly id: string
  readonly channel: string
  readonly raw: string
  readonly now: string
  readonly tz: string
  readonly expect: { readonly kind: string; readonly resetAt: string | null; readonly resetSource: string }
  readonly toleranceSec?: number
}

const entries: readonly Entry[] = present ? JSON.parse(readFileSync(NOTICES, 'utf8')) : []

/** Where the text itself is what was printed. */
const PLAIN = ['stdout-text', 'stderr', 'pty', 'stdout-json-message']
/**
 * Where the reset stands in a field of an object, or in one sentence of a whole run. Which field or sentence speaks is what the reader of
 * notices decides; it hands the field to `readInstant` or `readDuration`, the sentence to `readReset`.
 */
const STRUCTURED = ['stdout-json', 'stdout-ndjson', 'api-json', 'log-file']

const stated = entries.filter(({ expect: { resetAt } }) => resetAt !== null)
const plain = stated.filter(({ channel }) => PLAIN.includes(channel))
const read = (entry: Entry) => readReset(normalised(entry.raw), { now: Date.parse(entry.now), zone: entry.tz })

describe.skipIf(!present)('the recorded notices, read from their raw text (cli-engines.md §7)', () => {
  it('are all there, and what is left to the reader of notices is known by its channel', () => {
    expect(plain.length).toBeGreaterThanOrEqual(110)
    const left = stated.filter((entry) => !plain.includes(entry))
    expect(left.filter(({ channel }) => !STRUCTURED.includes(channel)).map(({ id }) => id)).toEqual([])
    expect(left.length).toBeLessThanOrEqual(30)
  })

  it.each(plain.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
    const reset = read(entry)
    expect(reset?.source).toBe(entry.expect.resetSource)
    const apartMs = Math.abs((reset?.at ?? 0) - Date.parse(entry.expect.resetAt ?? ''))
    expect(apartMs).toBeLessThanOrEqual((entry.toleranceSec ?? 60) * 1000)
  })

  /** Beside a quota of a day such a text states the wait of its last answer too; that the day beats it, the reader of notices decides (§6). */
  const isDaily = ({ raw }: Entry) => /daily quota/.test(raw)
  const none = entries.filter((entry) => entry.expect.kind === 'limit_no_reset' && PLAIN.includes(entry.channel) && !isDaily(entry))
  it('those without a reset are there', () => expect(none.length).toBeGreaterThanOrEqual(20))
  it.each(none.map((entry) => [entry.id, entry] as const))('%s states none', (_id, entry) => expect(read(entry)).toBeNull())
})
