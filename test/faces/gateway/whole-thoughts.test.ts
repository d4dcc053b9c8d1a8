import { expect, onTestFinished, test } from 'vitest'
import { startRig } from './rig.ts'

const PROFILES = [
  { id: 'x.a', api: 'openai-chat', model: 'm1' },
  { id: 'y.b', api: 'anthropic-messages', model: 'm2' },
] as const
const messages = [{ role: 'user', content: 'Why?' }]

test.each([
  ['/v1/chat/completions', { messages }, '"reasoning_content":"Because of this."'],
  ['/v1/responses', { input: 'Why?' }, '"delta":"Because of this."'],
  ['/v1/messages', { messages, max_tokens: 9 }, '"thinking":"Because of this."'],
])('R26 a whole answer in place of a stream that broke off brings its thoughts in front of its text: %s', async (path, body, thought) => {
  const rig = await startRig({
    profiles: PROFILES,
    script: { 'x.a/m1': { stream: [{ http: 500 }] }, 'y.b/m2': { call: [{ ok: 'That is why.', reasoning: 'Because of this.' }] } },
  })
  onTestFinished(rig.close)
  const answer = await fetch(`${rig.gateway.address}${path}`, { method: 'POST', body: JSON.stringify({ model: '', stream: true, ...body }) })
  const text = await answer.text()
  expect(text).toContain(thought)
  expect(text.indexOf(thought)).toBeLessThan(text.indexOf('That is why.'))
})
