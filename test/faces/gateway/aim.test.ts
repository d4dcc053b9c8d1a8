import { afterEach, describe, expect, test } from 'vitest'
import { type Rig, startRig } from './rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const MAIN = { id: 'openai.main', api: 'openai-chat', model: 'm1' } as const
const NEXT = { id: 'anthropic.next', api: 'anthropic-messages', model: 'm2' } as const

async function asked(body: object): Promise<Response> {
  const rig = await startRig({ profiles: [MAIN, NEXT], script: { 'anthropic.next/m2': { call: [{ ok: 'hello' }] } } })
  rigs.push(rig)
  return fetch(`${rig.gateway.address}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], ...body }),
  })
}

describe('models of a request', () => {
  test.each(['auto', '', ' ', null, undefined])('beside model %j, which chooses none, are all that is tried', async (model) => {
    const answer = await asked({ model, models: ['anthropic.next'] })
    expect([answer.status, answer.headers.get('x-relevo-served')]).toEqual([200, 'anthropic.next/m2'])
  })

  test.each([
    [{ model: 'openai.main/m\u0001' }, 'model'],
    [{ models: ['openai.main/m\u0001'] }, 'models[0]'],
    [{ model: 'openai.main', models: ['openai.main', 'openai.main/m\u0001'] }, 'models[1]'],
  ])('an error of %j names the field that the client wrote', async (body, param) => {
    const answer = await asked(body)
    const { error } = (await answer.json()) as { error: { param: string; message: string } }
    expect([answer.status, error.param]).toEqual([400, param])
    expect(error.message).not.toContain('targets')
  })
})
