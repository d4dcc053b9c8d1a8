import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FakeCliScript, installFakeClis } from '../../../src/testing.ts'
import { type Rig, startRig } from './rig.ts'

/** A gateway before a fake `claude`. */
async function rigOf(script: FakeCliScript): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), 'relevo-gateway-cli-'))
  const clis = await installFakeClis({ directory, names: ['claude'], script })
  const cli = { command: join(clis.path, 'claude') }
  const rig = await startRig({ profiles: [], script: {}, config: { primary: 'claude.plan', profiles: { 'claude.plan': { cli } } } })
  onTestFinished(async () => {
    await rig.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return rig
}

function ask({ gateway }: Rig, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${gateway.address}${path}`, { method: 'POST', body: JSON.stringify({ model: 'claude.plan/opus', ...body }), headers })
}

const messages = [{ role: 'user', content: 'hi' }]
const WAYS = [
  ['/v1/chat/completions', { messages, max_tokens: 100 }],
  ['/v1/responses', { input: 'hi', max_output_tokens: 100 }],
  ['/v1/messages', { messages, max_tokens: 100 }],
] as const

describe.skipIf(process.platform === 'win32')('a coding-agent CLI behind the gateway', () => {
  const cases = WAYS.flatMap(([path, body]) => [[path, body, false] as const, [path, body, true] as const])

  test.each(cases)('%s, %j, stream %s: what clients send by habit keeps none from it', async (path, body, stream) => {
    const rig = await rigOf({ claude: [{ text: 'hello', usage: { input: 7, output: 3, cachedInput: 2 } }] })
    const answer = await ask(rig, path, { ...body, stream, temperature: 0.7, top_p: 1 })
    const text = await answer.text()
    expect([answer.status, text.includes('hello')], text).toEqual([200, true])
    expect(answer.headers.get('x-relevo-served')).toBe('claude.plan/opus')
    expect(rig.kernel.ledger.rows().map(({ usage, outcome }) => [usage?.input, usage?.cachedInput, outcome])).toEqual([[7, 2, 'ok']])
  })

  test('what it would have to be told is refused, and who was asked says why', async () => {
    const rig = await rigOf({ claude: [{ text: 'hello' }] })
    const answer = await ask(rig, '/v1/messages', { messages, max_tokens: 100, stop_sequences: ['x'] })
    const { error } = (await answer.json()) as { error: unknown }
    expect([answer.status, error]).toEqual([
      400,
      expect.objectContaining({
        code: 'unsendable_request',
        message: expect.stringMatching(/^claude cannot be told `stop`; leave it out/),
        entries: [expect.objectContaining({ entry: 'claude.plan/opus', why: 'invalid_request' })],
      }),
    ])
  })
})
