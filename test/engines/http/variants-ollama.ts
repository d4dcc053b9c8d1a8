import { bytes } from './kit.ts'
import { fragments, many, pick, type Random, scrambled, tokens, toolCalls, type Variant, withoutEmpty } from './variants.ts'

/** A stream of Ollama drawn from a seed: blank lines, CR before LF, calls in one line or several, ids or none. */
export function ollamaVariant(random: Random): Variant {
  const reasoning = many(random, 4)
  const texts = many(random, 8)
  const hasIds = random() < 0.5
  const calls = toolCalls(random).map((call) => (hasIds ? call : { ...call, id: null }))
  const reason = calls.length > 0 ? 'stop' : pick(random, ['stop', 'length', 'load'])
  const usage = { input: tokens(random), output: tokens(random) }
  let body = ''
  const line = (value: object) => {
    if (random() < 0.15) body += pick(random, ['\n', '\r\n', '  \n'])
    const text = JSON.stringify(scrambled(random, { model: 'm', created_at: '2026-03-01T00:00:00Z', done: false, ...value }))
    // Arguments stand in for themselves, so that their keys keep the order in which they are told.
    body += text.replace(/"arguments \d+"/g, (mark) => calls[Number(mark.slice(11, -1))]?.arguments ?? '') + pick(random, ['\n', '\n', '\r\n'])
  }
  const message = (more: object) => ({ role: 'assistant', content: '', ...more })
  for (const part of reasoning) line({ message: message({ thinking: part }) })
  for (const part of texts) for (const piece of random() < 0.3 ? fragments(random, part) : [part]) line({ message: message({ content: piece }) })
  const encoded = calls.map((call, n) => ({
    ...(call.id === null ? {} : { id: call.id }),
    function: { name: call.name, ...(call.arguments === '' ? {} : { arguments: `arguments ${n}` }) },
  }))
  if (random() < 0.5) for (const call of encoded) line({ message: message({ tool_calls: [call] }) })
  else if (encoded.length > 0) line({ message: message({ tool_calls: encoded }) })
  const counts = { prompt_eval_count: usage.input, eval_count: usage.output, total_duration: tokens(random) * 1e6 }
  line({ message: message({}), done: true, done_reason: reason, ...counts })
  const endAt = bytes(body).length
  const finish = calls.length > 0 ? 'tool_calls' : reason
  return {
    body: bytes(body),
    text: texts.join(''),
    reasoning: reasoning.join(''),
    calls: withoutEmpty(calls),
    finish,
    usage,
    finishAt: endAt,
    endAt,
  }
}
