import { afterEach, describe, expect, test } from 'vitest'
import { type Rig, startRig } from './rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const PATHS = [
  ['chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  ['messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }],
  ['responses', { input: 'hi' }],
] as const

describe.each(PATHS)('GW-04 names of models at /v1/%s', (path, asked) => {
  async function ask(model: string, more: object = {}): Promise<{ readonly response: Response; readonly rig: Rig }> {
    const rig = await startRig({
      profiles: [{ id: 'x.a', api: 'openai-chat', model: 'm1' }],
      script: { [`x.a/${model}`]: { call: [{ ok: 'hello' }] } },
    })
    rigs.push(rig)
    const body = JSON.stringify({ ...asked, model: `x.a/${model}`, ...more })
    return { rig, response: await fetch(`${rig.gateway.address}/v1/${path}`, { method: 'POST', body }) }
  }

  test('one that is longer than any is refused, as the ledger and the page would keep it with each turn', async () => {
    const { response, rig } = await ask('x'.repeat(2_045))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('model: is longer than the 2048 characters that a name may have')
    expect(rig.provider.requests).toHaveLength(0)
  })

  test('so is one of several', async () => {
    const { response } = await ask('m1', { models: ['x'.repeat(2_049)] })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('models[0]: is longer than')])
  })

  test.each(['x', '😀', '%', 'é'])('one that is as long as it may be, of %s, is answered in headers that clients take', async (character) => {
    const { response } = await ask(character.repeat(2_000 / character.length))
    expect(response.status).toBe(200)
    const served = response.headers.get('x-relevo-served') ?? ''
    expect(served.length).toBeLessThanOrEqual(2_051)
    // Cut between two characters, and nowhere else.
    const name = decodeURIComponent(served.replace(/\.\.\.$/, ''))
    expect([name.length > 300, `x.a/${character.repeat(2_000)}`.startsWith(name)]).toEqual([true, true])
    expect(await response.text()).toContain('hello')
  })
})
