import { type AiSdkModel, type AiSdkSource, fromAiSdk } from '../../../src/ai-sdk.ts'
import { Recording } from '../../../src/engines/conformance/recording.ts'
import { conformanceRequest } from '../../../src/engines/conformance/request.ts'
import type { Situation } from '../../../src/engines/conformance/subject.ts'
import { virtualClock } from '../../../src/testing.ts'

export const STOP = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 3 }, outputTokens: { total: 2 } },
}
export const text = (delta: string) => ({ type: 'text-delta', id: '1', delta })

/** A model that answers with these parts, and keeps what it was asked. */
export function model(parts: readonly unknown[], more: Partial<Record<keyof AiSdkModel, unknown>> = {}) {
  const asked: Record<string, unknown>[] = []
  const stream = () =>
    new ReadableStream<unknown>({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
        controller.close()
      },
    })
  const made = {
    specificationVersion: 'v3',
    provider: 'acme.chat',
    modelId: 'm1',
    async doGenerate(call: Record<string, unknown>) {
      asked.push(call)
      return { content: parts, ...STOP }
    },
    async doStream(call: Record<string, unknown>) {
      asked.push(call)
      return { stream: stream() }
    },
    ...more,
  } as unknown as AiSdkModel
  return { made, asked }
}

export function requestOf(situation: Partial<Situation> = {}, clock = virtualClock(0)) {
  return conformanceRequest({ mode: 'stream', items: [], ...situation }, { api: null, endpoint: null, clock })
}

export async function told(source: AiSdkSource, situation: Partial<Situation> = {}): Promise<Recording> {
  const recording = new Recording(fromAiSdk(source), requestOf(situation))
  await recording.over
  recording.lawful()
  return recording
}
