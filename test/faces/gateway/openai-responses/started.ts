import OpenAI from 'openai'
import { expect, onTestFinished } from 'vitest'
import { type Rig, type RigProfile, startRig } from '../rig.ts'

export const APIS = ['openai-responses', 'openai-chat', 'anthropic-messages', 'gemini', 'ollama', 'bedrock-converse'] as const

/** A rig with an openai client that retries nothing. At the end of the test the provider must have been asked nothing but what was scripted. */
export async function started(options: Parameters<typeof startRig>[0]): Promise<Rig & { client: OpenAI }> {
  const rig = await startRig(options)
  onTestFinished(async () => {
    await rig.close()
    expect(rig.provider.problems).toEqual([])
  })
  return { ...rig, client: new OpenAI({ baseURL: `${rig.gateway.address}/v1`, apiKey: 'none', maxRetries: 0 }) }
}

export const ASK = { model: '', input: 'Say hello.' }
export const SPARE: RigProfile = { id: 'y.b', api: 'anthropic-messages', model: 'm2' }

export function raisedBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  )
}
