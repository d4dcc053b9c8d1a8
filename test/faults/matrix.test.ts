import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HTTP_APIS } from '../../src/engines/http/registry.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../../src/engines/loopback/server.ts'
import { LOOPBACK_PROTOCOLS } from '../../src/engines/loopback/voices.ts'
import { StreamInterruptedAfterOutput, TurnExhaustedError } from '../../src/runtime/errors.ts'
import { type Cell, type Played, play, scriptOf, whoIs } from './cell.ts'
import { type Expected, FIRST_TEXT, type Row, SECOND_TEXT, SINKS, type Sink } from './row.ts'
import { TABLE } from './table.ts'

const spoken = LOOPBACK_PROTOCOLS.filter((protocol) => HTTP_APIS.includes(protocol))
const unspoken = HTTP_APIS.filter((api) => !LOOPBACK_PROTOCOLS.some((protocol) => protocol === api))
if (unspoken.length > 0) console.log(`faults: no provider on this machine speaks ${unspoken.join(', ')}; the matrix leaves them out`)

const rows = TABLE.flatMap(([, group]) => group)
const cells: readonly Cell[] = rows.flatMap((row, index) => SINKS.map((sink) => ({ row, sink, name: `r${index}-${sink}` })))

describe.each(spoken)('R25–R28, issue 3: %s comes to what the fault table says', (protocol) => {
  let provider: LoopbackProvider
  beforeAll(async () => {
    provider = await startLoopbackProvider({ script: scriptOf(cells) })
  })
  afterAll(async () => {
    expect(provider.problems).toEqual([])
    await provider.close()
  })

  for (const cell of cells) {
    const expected = expectedOf(cell.row, cell.sink, protocol)
    if (expected === null) continue
    test(`${cell.row.does} (${cell.sink}): ${expected.outcome}, ${expected.attempts.join(', ')}`, async () => {
      const played = await play(cell, protocol, provider)
      expect(told(played, expected)).toEqual(expected)
      lawful(played, cell.sink)
    })
  }
})

function expectedOf(row: Row, sink: Sink, api: string): Expected | null {
  const differs = row.differs?.[api]
  const own = differs?.[sink]
  return own === undefined ? row.expected[sink] : own
}

const SEEN = { nothing: '', part: FIRST_TEXT[0], whole: FIRST_TEXT.join('') } as const

/** What a cell came to, in the words of the table. Facts that the row does not name are left out. */
function told({ outcome, events, drafts, rows: ledger, requests }: Played, expected: Expected): unknown {
  const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
  const seen = [text, ...drafts, outcome.served !== null && whoIs(outcome.served.profile) === 'first' ? outcome.text : '']
  const furthest = (['whole', 'part', 'nothing'] as const).find((each) => seen.includes(SEEN[each]))
  const warning = events.find((event) => event.type === 'warning.raised')
  return {
    outcome: outcome.kind,
    attempts: ledger.map((row) => `${whoIs(row.profile)} ${row.outcome}`),
    seen: furthest,
    ...(expected.end === undefined ? {} : { end: requests[0]?.end }),
    ...(warning === undefined ? {} : { warning: warning.warning.code }),
  }
}

/** What holds in every cell, whatever its row says. */
function lawful(played: Played, sink: Sink): void {
  const { outcome, rows: ledger, requests, connections } = played
  expect(requests.map(({ path, mode }) => [path.includes('first.') ? 'first' : 'second', mode])).toEqual(
    ledger.map((row) => [whoIs(row.profile), row.mode]),
  )
  expect(requests.map(({ end }) => end)).not.toContain('server_closed')
  expect(connections).toBe(0)
  expect(ledger.map((row) => [row.accepted, row.endedAt !== null])).toEqual(
    ledger.map((_, index) => [outcome.kind === 'ok' && index === ledger.length - 1, true]),
  )
  const failed = ledger.flatMap((row) => (row.outcome === 'ok' ? [] : [row.outcome]))
  expect(outcome.failures.filter(({ attempt }) => attempt > 0).map(({ kind }) => kind)).toEqual(failed)
  expect(played.error === null ? null : (played.error as Error).constructor).toBe(ERRORS[outcome.kind as keyof typeof ERRORS])
  readOnce(played, sink)
}

const ERRORS = { ok: null, interrupted: StreamInterruptedAfterOutput, all_held: TurnExhaustedError } as const

/** R27, R28: a reader has the text of the outcome once: as it came, or as a whole answer, never both. */
function readOnce({ outcome, events, drafts, rows: ledger }: Played, sink: Sink): void {
  const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
  const answers = events.flatMap((event) => (event.type === 'answer' ? [event.text] : []))
  const streamed = outcome.kind === 'ok' && ledger.at(-1)?.mode === 'stream'
  if (sink !== 'event') expect(text).toBe('')
  else expect(text).toBe(streamed ? outcome.text : (outcome.partialText ?? ''))
  if (outcome.kind !== 'ok') return expect(answers).toEqual([])
  expect([FIRST_TEXT.join(''), SECOND_TEXT]).toContain(outcome.text)
  expect(answers).toEqual(streamed ? [] : [outcome.text])
  if (sink === 'draft') expect(drafts.at(-1)).toBe(outcome.text)
}
