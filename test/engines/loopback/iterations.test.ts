import { expect, it } from 'vitest'
import { answerTo } from '../../../src/engines/loopback/answer.ts'
import { scriptProblems } from '../../../src/engines/loopback/script.ts'
import { CannotSay } from '../../../src/engines/loopback/voice.ts'
import { LOOPBACK_PROTOCOLS, voiceOf } from '../../../src/engines/loopback/voices.ts'

const iterations = [
  { model: 'm1', usage: { input: 4, output: 0 } },
  { model: 'm2', usage: { input: 5, output: 2, cachedInput: 1 } },
]
const usage = { input: 5, output: 2 }
const identity = { n: 1, model: 'm1', created: 1_750_000_000 }

function bodyOf(protocol: (typeof LOOPBACK_PROTOCOLS)[number], mode: 'stream' | 'call'): string {
  const item = mode === 'stream' ? { events: [{ usage, iterations }, { final: 'stop' as const }] } : { ok: 'hi', usage, iterations }
  const answer = answerTo(item, { voice: voiceOf(protocol), mode, identity, asked: { usage: true }, takesGzip: false })
  return answer.kind === 'response' ? answer.steps.map((step) => (step.do === 'write' ? String(step.bytes) : '')).join('') : ''
}

it.each(['stream', 'call'] as const)('wire.md §3 anthropic-messages tells the models that it tried, in a %s', (mode) => {
  expect(bodyOf('anthropic-messages', mode)).toContain(
    '"iterations":[{"type":"message","model":"m1","input_tokens":4,"output_tokens":0},' +
      '{"type":"fallback_message","model":"m2","input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":1,"output_tokens":2}]',
  )
})

it.each(LOOPBACK_PROTOCOLS.filter((protocol) => protocol !== 'anthropic-messages'))('%s has no words for it, and says so', (protocol) => {
  for (const mode of ['stream', 'call'] as const) expect(() => bodyOf(protocol, mode)).toThrow(CannotSay)
})

it('a script has them beside usage and nowhere else', () => {
  const events = [{ usage, iterations }, { text: 'hi', iterations } as never]
  expect(scriptProblems({ 'a.x/m1': { call: [{ ok: 'hi', usage, iterations }], stream: [{ events }] } }).map((line) => line.split(':')[0])).toEqual([
    'a.x/m1 stream[0].events[1]',
  ])
})
