import { describe, expect, test } from 'vitest'
import { expectHonest, FAULTS, played } from '../matrix.ts'
import { MESSAGES_CLIENTS } from './clients.ts'

/** How the provider's connection breaks is the gateway's to see: what it sends is the same, so that one client is enough for all three ways. */
const ONE_WAY = FAULTS.filter((fault) => fault.kind !== 'cut' || fault.by === 'end')

// The same protocol is passed through, another one is said anew: both must be honest.
describe.each(MESSAGES_CLIENTS)('R25 R28 no truncation is silent: $name', (client) => {
  const isFirst = client === MESSAGES_CLIENTS[0]
  for (const api of ['anthropic-messages', 'openai-chat'] as const) {
    for (const spare of isFirst ? [false, true] : [false]) {
      test.each(isFirst ? FAULTS : ONE_WAY)(`${api}${spare ? ', a spare behind it' : ''}: %j`, async (fault) => {
        expect.hasAssertions()
        expectHonest(await played(client, api, fault, spare))
      })
    }
  }
})
