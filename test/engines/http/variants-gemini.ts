import type { ToolCall } from '../../../src/model/message.ts'
import { bytes } from './kit.ts'
import { many, pick, type Random, scrambled, tokens, type Variant, WORDS } from './variants.ts'

const REASON: Readonly<Record<string, string>> = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }

/** A call as it is told: arguments whole or in pieces, with an id or without. */
function calls(random: Random): ToolCall[] {
  return Array.from({ length: random() < 0.5 ? 0 : 1 + Math.floor(random() * 3) }, (_, n) => ({
    id: random() < 0.5 ? null : `id_${n}_${Math.floor(random() * 1e9).toString(36)}`,
    name: pick(random, ['search', 'read_file', 'get-weather']),
    arguments: JSON.stringify({
      q: pick(random, WORDS),
      n: Math.floor(random() * 99),
      deep: { list: many(random, 3), on: random() < 0.5, none: null },
    }),
  }))
}

/** `partialArgs` of an object, a text now and then in two pieces, each list ended by itself. */
function piecesOf(random: Random, value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return [...value.flatMap((item, at) => piecesOf(random, item, `${path}[${at}]`)), { jsonPath: `${path}[]` }]
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([key, item]) => piecesOf(random, item, `${path}.${key}`))
  if (typeof value === 'number') return [{ jsonPath: path, numberValue: value }]
  if (typeof value === 'boolean') return [{ jsonPath: path, boolValue: value }]
  if (value === null) return [{ jsonPath: path, nullValue: 'NULL_VALUE' }]
  const [text, cut] = [String(value), Math.floor(random() * 3)]
  const first = { jsonPath: path, stringValue: text.slice(0, cut), willContinue: true }
  return random() < 0.5 ? [{ jsonPath: path, stringValue: text }] : [first, { jsonPath: path, stringValue: text.slice(cut) }]
}

/** Arguments that come whole stay as they are: no field that nobody knows belongs among them. */
function callParts(random: Random, call: ToolCall): unknown[] {
  const { name } = call
  const id = call.id === null ? {} : { id: call.id }
  const args = JSON.parse(call.arguments) as unknown
  if (random() < 0.5)
    return [{ functionCall: { ...id, name, args: { toJSON: () => args } }, ...(random() < 0.5 ? { thoughtSignature: 'c2ln' } : {}) }]
  const pieces = piecesOf(random, args, '$').map((piece) => ({ functionCall: { partialArgs: [piece], willContinue: true } }))
  return [
    { functionCall: { ...id, name, willContinue: true }, thoughtSignature: 'c2ln' },
    ...pieces,
    ...(random() < 0.5 ? [{ functionCall: {} }] : []),
  ]
}

export function geminiVariant(random: Random): Variant {
  const reasoning = many(random, 4)
  const texts = many(random, 8)
  const told = calls(random)
  const finish = told.length > 0 ? 'tool_calls' : pick(random, ['stop', 'length', 'content_filter'])
  const counted = {
    prompt: tokens(random),
    tools: Math.floor(random() * 50),
    cached: Math.floor(random() * 50),
    said: tokens(random),
    thought: tokens(random),
  }
  const end = pick(random, ['\r\n', '\n'])
  let body = ''
  const chunk = (parts: readonly unknown[], more: object = {}, share = random()) => {
    if (random() < 0.15) body += `: a comment${end}${end}`
    const usageMetadata = { promptTokenCount: counted.prompt, candidatesTokenCount: Math.floor(counted.said * share), trafficType: 'ON_DEMAND' }
    const candidate = { content: { ...(parts.length === 0 ? {} : { parts }), role: 'model' }, index: 0, ...more }
    const candidates = random() < 0.2 ? [{ index: 1, content: { parts: [{ text: 'another' }] }, finishReason: 'STOP' }, candidate] : [candidate]
    body += `data: ${JSON.stringify(scrambled(random, { candidates, usageMetadata }))}${end}${end}`
  }
  for (const text of reasoning) chunk([{ text, thought: true }])
  for (const text of texts) chunk([{ text }])
  for (const call of told) for (const part of callParts(random, call)) chunk([part])
  const last = random() < 0.5 ? [{ text: '' }] : []
  const usageMetadata = {
    promptTokenCount: counted.prompt,
    toolUsePromptTokenCount: counted.tools,
    cachedContentTokenCount: counted.cached,
    candidatesTokenCount: counted.said,
    thoughtsTokenCount: counted.thought,
  }
  const candidate = { content: { parts: last, role: 'model' }, finishReason: REASON[finish], index: 0 }
  body += `data: ${JSON.stringify(scrambled(random, { candidates: [candidate], usageMetadata }))}${end}${end}`
  const endAt = bytes(body).length
  const usage = { input: counted.prompt, output: counted.said + counted.thought, cachedInput: counted.cached }
  return { body: bytes(body), text: texts.join(''), reasoning: reasoning.join(''), calls: told, finish, usage, finishAt: endAt, endAt }
}
