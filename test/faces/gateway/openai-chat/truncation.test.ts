import { describe, expect, test } from 'vitest'
import { expectHonest, FAULTS, played } from '../matrix.ts'
import { CHAT_CLIENTS } from './clients.ts'

// The same protocol is passed through, another one is said anew: both must be honest.
describe.each(CHAT_CLIENTS)('R25 R28 no truncation is silent: $name', (client) => {
  for (const api of ['openai-chat', 'anthropic-messages'] as const) {
    for (const spare of client === CHAT_CLIENTS[0] ? [false, true] : [false]) {
      test.each(FAULTS)(`${api}${spare ? ', a spare behind it' : ''}: %j`, async (fault) => {
        expect.hasAssertions()
        expectHonest(await played(client, api, fault, spare))
      })
    }
  }
})
