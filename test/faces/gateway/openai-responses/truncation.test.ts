import { describe, expect, test } from 'vitest'
import { expectHonest, FAULTS, played } from '../matrix.ts'
import { RESPONSES_CLIENTS } from './clients.ts'
import { truncationTable } from './truncation-table.ts'

/** How the provider's connection breaks is the gateway's to see: what it sends is the same, so that one client is enough for all three ways. */
const ONE_WAY = FAULTS.filter((fault) => fault.kind !== 'cut' || fault.by === 'end')

// The same protocol is passed through, another one is said anew: both must be honest.
describe.each(RESPONSES_CLIENTS)('R25 R28 no truncation is silent: $name', (client) => {
  const isFirst = client === RESPONSES_CLIENTS[0]
  for (const api of ['openai-responses', 'openai-chat'] as const) {
    for (const spare of isFirst ? [false, true] : [false]) {
      test.each(isFirst ? FAULTS : ONE_WAY)(`${api}${spare ? ', a spare behind it' : ''}: %j`, async (fault) => {
        expect.hasAssertions()
        expectHonest(await played(client, api, fault, spare))
      })
    }
  }
})

test('the matrix reads as a table', async () => {
  const faults = [{ kind: 'endTwice' }, { kind: 'cut', at: { beforeEvent: 1 }, by: 'end' }] as const
  const table = await truncationTable(RESPONSES_CLIENTS.slice(0, 1), ['openai-responses', 'gemini'], faults)
  expect(table.split('\n').slice(2, 4)).toEqual([
    '| `{"kind":"endTwice"}` | whole | whole |',
    '| `{"kind":"cut","at":{"beforeEvent":1},"by":"end"}` | raised after 4 characters | raised after 4 characters |',
  ])
})
