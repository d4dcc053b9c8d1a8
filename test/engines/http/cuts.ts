import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { httpProtocol, resolveHttpEngine } from '../../../src/engines/http/registry.ts'
import type { CompletionPolicy } from '../../../src/model/settings.ts'
import { seeded, verdicts } from './kit.ts'
import { profileOf, requestOf } from './request.ts'
import { failureOf, run, socketServer } from './server.ts'
import { anthropicVariant, chatVariant } from './variants.ts'
import { bedrockConverseVariant } from './variants-bedrock-converse.ts'
import { geminiVariant } from './variants-gemini.ts'
import { ollamaVariant } from './variants-ollama.ts'
import { responsesVariant } from './variants-responses.ts'

/** Bodies to cut through a real socket: our own, and the recorded ones where they are. */
export interface Body {
  readonly name: string
  readonly api: string
  readonly body: Uint8Array
}

const STREAMS = new URL('../../../../shared/corpus/streams/', import.meta.url)

/** The families of recordings that are cut here. */
const APIS: Readonly<Record<string, string>> = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  anthropic: 'anthropic-messages',
  gemini: 'gemini',
  ollama: 'ollama',
  bedrock: 'bedrock-converse',
}

export function bodies(): readonly Body[] {
  const own = [
    { name: 'own chat', api: 'openai-chat', body: chatVariant(seeded(7)).body },
    { name: 'own anthropic', api: 'anthropic-messages', body: anthropicVariant(seeded(8)).body },
    { name: 'own responses', api: 'openai-responses', body: responsesVariant(seeded(9)).body },
    { name: 'own gemini', api: 'gemini', body: geminiVariant(seeded(9)).body },
    { name: 'own ollama', api: 'ollama', body: ollamaVariant(seeded(10)).body },
    { name: 'own bedrock', api: 'bedrock-converse', body: bedrockConverseVariant(seeded(11)).body },
  ]
  const index = new URL('index.json', STREAMS)
  if (!existsSync(index)) {
    console.warn('SKIPPED cuts of recorded streams: ../shared/corpus/streams is not there')
    return own
  }
  const recorded = (JSON.parse(readFileSync(index, 'utf8')) as { file: string; family: string }[])
    .filter((one) => Object.hasOwn(APIS, one.family))
    .map((one) => ({ name: one.file, api: APIS[one.family] ?? '', body: readFileSync(new URL(one.file, STREAMS)) }))
  return [...own, ...recorded]
}

/** Cuts a body at `cuts` places through a socket, by an end and by a reset in turn, and compares each end with the verdict at that byte. */
export async function cutThroughSocket({ api, body }: Body, cuts: number, random: () => number): Promise<void> {
  const completion: CompletionPolicy = random() < 0.5 ? 'strict' : 'lenient'
  const expected = verdicts(api, body, completion)
  let at = 0
  let reset = false
  const server = await socketServer((socket) =>
    socket.once('data', () => {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: ${httpProtocol(api)?.streamType}\r\ntransfer-encoding: chunked\r\n\r\n`
      const part = body.subarray(0, at)
      socket.write(at === 0 ? head : Buffer.concat([Buffer.from(`${head}${at.toString(16)}\r\n`), part, Buffer.from('\r\n')]), () => {
        if (reset) setImmediate(() => socket.resetAndDestroy())
        else socket.end('0\r\n\r\n')
      })
    }),
  )
  const resolver = resolveHttpEngine()
  const profile = profileOf({ api, endpoint: server.endpoint, completion })
  try {
    for (let cut = 0; cut < cuts; cut += 1) {
      at = Math.floor(random() * (body.length + 1))
      reset = random() < 0.3
      const { events, done } = run(resolver(profile) ?? expect.fail(), requestOf({ profile }))
      await done
      expectEnd(events, expected[at], `${api} cut at ${at} ${reset ? 'reset' : 'end'}`, reset)
    }
  } finally {
    await resolver.close()
    await server.close()
  }
}

function expectEnd(events: Parameters<typeof failureOf>[0], verdict: string | undefined, where: string, reset: boolean): void {
  const end = events.at(-1)
  const failure = failureOf(events)
  // A reset may overtake bytes that were sent before it, the head among them: the end is then that of an earlier byte, still a failure.
  if (reset && (failure?.kind === 'truncated' || failure?.kind === 'network')) return
  const seen = end?.type === 'final' ? (end.terminated ? 'complete' : 'complete-unterminated') : failure?.kind
  const wanted = verdict === 'error-frame' ? failure?.kind : verdict === 'malformed' ? 'protocol' : verdict
  expect(`${where}: ${seen}`).toBe(`${where}: ${wanted}`)
  if (verdict === 'error-frame' || verdict === 'malformed' || verdict === 'truncated') expect(end?.type).toBe('failed')
}
