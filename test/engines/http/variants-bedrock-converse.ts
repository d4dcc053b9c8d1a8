import { binaryFrame } from '../../../src/engines/loopback/binary-frame.ts'
import { fragments, many, pick, type Random, scrambled, tokens, toolCalls, type Variant, withoutEmpty } from './variants.ts'

const STOP_REASONS: Readonly<Record<string, readonly string[]>> = {
  stop: ['end_turn', 'stop_sequence'],
  tool_calls: ['tool_use', 'end_turn'],
  length: ['max_tokens'],
  content_filter: ['content_filtered', 'guardrail_intervened'],
}

/** A stream of Bedrock drawn from a seed: padding, headers in any order and one that nobody knows, empty deltas, events that nobody knows. */
export function bedrockConverseVariant(random: Random): Variant {
  const reasoning = many(random, 4)
  const texts = many(random, 8)
  const calls = toolCalls(random)
  const finish = calls.length > 0 ? 'tool_calls' : pick(random, ['stop', 'length', 'content_filter'])
  const counted = { plain: tokens(random), cached: Math.floor(random() * 50), written: Math.floor(random() * 50), output: tokens(random) }
  const frames: Uint8Array[] = []
  let length = 0
  const frame = (name: string, value: object) => {
    if (random() < 0.1) frame('someLaterEvent', { text: 'no' })
    const headers: [string, string][] = [
      [':event-type', name],
      [':content-type', 'application/json'],
      [':message-type', 'event'],
    ]
    if (random() < 0.3) headers.push(['x-later', '終わり'])
    if (random() < 0.5) headers.reverse()
    const made = binaryFrame(Object.fromEntries(headers), scrambled(random, { ...value, p: 'abcdefgh'.slice(0, Math.floor(random() * 8)) }) as object)
    frames.push(made)
    length += made.length
  }
  frame('messageStart', { role: 'assistant' })
  let contentBlockIndex = 0
  const block = (deltas: readonly object[], start?: object) => {
    if (start !== undefined) frame('contentBlockStart', { contentBlockIndex, start })
    for (const delta of deltas) frame('contentBlockDelta', { contentBlockIndex, delta })
    frame('contentBlockStop', { contentBlockIndex })
    contentBlockIndex += 1
  }
  const thoughts = reasoning.map((text) => ({ reasoningContent: { text } }))
  if (reasoning.length > 0) block([...thoughts, { reasoningContent: { signature: 'c2ln' } }])
  if (texts.length > 0) block(texts.map((text) => ({ text })))
  for (const call of calls) {
    const pieces = ['', ...fragments(random, call.arguments)].map((input) => ({ toolUse: { input } }))
    block(pieces, { toolUse: { toolUseId: call.id, name: call.name } })
  }
  frame('messageStop', { stopReason: pick(random, STOP_REASONS[finish] ?? []) })
  const finishAt = length
  frame('metadata', {
    usage: {
      inputTokens: counted.plain,
      outputTokens: counted.output,
      cacheReadInputTokens: counted.cached,
      cacheWriteInputTokens: counted.written,
      totalTokens: counted.plain + counted.output + counted.cached + counted.written,
    },
    metrics: { latencyMs: tokens(random) },
  })
  const usage = { input: counted.plain + counted.cached + counted.written, output: counted.output, cachedInput: counted.cached }
  return {
    body: Buffer.concat(frames),
    text: texts.join(''),
    reasoning: reasoning.join(''),
    calls: withoutEmpty(calls),
    finish,
    usage,
    finishAt,
    endAt: length,
  }
}
