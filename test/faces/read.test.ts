import { describe, expect, it } from 'vitest'
import { Console } from './console.ts'

/** Small streams of our own, after wire.md. */
const frame = (data: object | string, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const chunk = (delta: object, finish: string | null = null) => frame({ choices: [{ index: 0, delta, finish_reason: finish }] })
const named = (data: { type: string } & Record<string, unknown>) => frame(data, data.type)

const CHAT = [
  chunk({ role: 'assistant' }),
  chunk({ content: 'Grüße ' }),
  chunk({ content: '🌍' }),
  chunk({}, 'stop'),
  frame({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } } }),
  frame('[DONE]'),
].join('')
const CHAT_EVENTS = [
  { type: 'text', text: 'Grüße ' },
  { type: 'text', text: '🌍' },
  { type: 'usage', input: 5, output: 2, cachedInput: 3 },
]

const MESSAGES = [
  named({ type: 'message_start', message: { id: 'm', usage: { input_tokens: 4, output_tokens: 1 } } }),
  named({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't1', name: 'look', input: {} } }),
  named({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"at":"sky"}' } }),
  named({ type: 'content_block_stop', index: 0 }),
  named({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } }),
]
const STOP = named({ type: 'message_stop' })
const MESSAGES_EVENTS = [
  { type: 'toolCall', id: 't1', name: 'look', arguments: '{"at":"sky"}' },
  { type: 'usage', input: 4, output: 7 },
]

async function read(stdin: string | Uint8Array[], ...argv: string[]) {
  const shell = new Console({ stdin })
  return { code: await shell.run('read', ...argv), shell }
}

describe('relevo read stream', () => {
  it('R25 prints the events as JSON lines, the verdict last', async () => {
    const { code, shell } = await read(CHAT, 'stream', '--api', 'openai-chat')
    expect([code, shell.err]).toEqual([0, ''])
    expect(shell.json).toEqual([...CHAT_EVENTS, { final: { finish: 'stop', terminated: true } }])
  })

  it('reads the same from bytes that come one by one', async () => {
    const bytes = [...Buffer.from(CHAT)].map((byte) => Uint8Array.of(byte))
    const { shell } = await read(bytes, 'stream', '--api', 'openai-chat')
    expect(shell.json).toEqual([...CHAT_EVENTS, { final: { finish: 'stop', terminated: true } }])
  })

  it('an event is one line for whoever reads it: no character of an answer ends it, as U+2028 does in Python', async () => {
    const text = 'a\u2028b\u2029c\u0085d\u000be\u001cf\r\n'
    const answer = [chunk({ content: text }, 'stop'), frame('[DONE]')].join('')
    const single = await read(answer, 'stream', '--api', 'openai-chat')
    const batch = await read(JSON.stringify({ id: 1, api: 'openai-chat', base64: Buffer.from(answer).toString('base64') }), 'stream', '--jsonl')
    expect(single.shell.json[0]).toEqual({ type: 'text', text })
    expect(batch.shell.json[0]).toMatchObject({ events: [{ type: 'text', text }] })
    for (const { out } of [single.shell, batch.shell]) expect(out).not.toMatch(/[\u0085\u2028\u2029]/)
  })

  it('faces.md §2 prints what is said and nothing of money: the models that a provider tried are for a ledger', async () => {
    const iterations = [
      { type: 'message', model: 'a', input_tokens: 4, output_tokens: 0 },
      { type: 'fallback_message', model: 'b', input_tokens: 4, output_tokens: 7 },
    ]
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 4, output_tokens: 7, iterations } }
    const body = named({ type: 'message_start', message: { model: 'b' } }) + named(end) + STOP
    const single = await read(body, 'stream', '--api', 'anthropic-messages')
    const batch = await read(JSON.stringify({ id: 1, api: 'anthropic-messages', base64: Buffer.from(body).toString('base64') }), 'stream', '--jsonl')
    const usage = { type: 'usage', input: 4, output: 7 }
    expect(single.shell.json).toEqual([usage, { final: { finish: 'stop', terminated: true } }])
    expect(batch.shell.json).toEqual([{ id: 1, events: [usage], final: { finish: 'stop', terminated: true } }])
  })

  it('R25 an end before the completion signal is truncated, exit 1', async () => {
    const { code, shell } = await read(CHAT.slice(0, 150), 'stream', '--api', 'openai-chat')
    expect(code).toBe(1)
    expect(shell.json.at(-1)).toEqual({ failed: { kind: 'truncated', message: expect.any(String) } })
  })

  it('R25 --lenient takes the end after a stop reason', async () => {
    const whole = await read([...MESSAGES, STOP].join(''), 'stream', '--api', 'anthropic-messages')
    expect(whole.shell.json).toEqual([...MESSAGES_EVENTS, { final: { finish: 'tool_calls', terminated: true } }])
    const strict = await read(MESSAGES.join(''), 'stream', '--api', 'anthropic-messages')
    expect([strict.code, strict.shell.json.at(-1)]).toMatchObject([1, { failed: { kind: 'truncated' } }])
    const lenient = await read(MESSAGES.join(''), 'stream', '--api', 'anthropic-messages', '--lenient')
    expect([lenient.code, lenient.shell.json.at(-1)]).toEqual([0, { final: { finish: 'tool_calls', terminated: false } }])
  })

  it('an error frame and garbage are told with kind and offset', async () => {
    const error = await read(named({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }), 'stream', '--api', 'anthropic-messages')
    expect([error.code, error.shell.json]).toMatchObject([1, [{ failed: { kind: 'overloaded' } }]])
    const garbage = await read('data: {"choices":\n\n', 'stream', '--api', 'openai-chat')
    expect([garbage.code, garbage.shell.json]).toMatchObject([1, [{ failed: { kind: 'protocol', offset: expect.any(Number) } }]])
  })

  it.each([
    [['stream'], '--api is missing'],
    [['stream', '--api', 'smoke'], 'smoke is no known protocol'],
  ])('%j exits 2 and names the protocols', async (argv, words) => {
    const { code, shell } = await read(CHAT, ...argv)
    expect([code, shell.out]).toEqual([2, ''])
    expect(shell.errLines).toEqual([expect.stringMatching(new RegExp(`^error: .*${words}.*openai-chat`))])
  })

  it('--jsonl echoes each id and goes on behind a bad line', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const lines = [
      { id: 1, api: 'openai-chat', base64: base64(CHAT) },
      { id: 2, api: 'openai-chat', base64: 'not base64!' },
      { id: 3, api: 'smoke', base64: '' },
      { id: 4, api: 'anthropic-messages', base64: base64(MESSAGES.join('')) },
      { id: 5, api: 'anthropic-messages', completion: 'lenient', base64: base64(MESSAGES.join('')) },
      { id: 6, api: 'anthropic-messages', completion: 'loose', base64: '' },
    ]
    const { code, shell } = await read(lines.map((line) => JSON.stringify(line)).join('\n'), 'stream', '--jsonl')
    expect(code).toBe(1)
    expect(shell.json).toMatchObject([
      { id: 1, events: CHAT_EVENTS, final: { finish: 'stop', terminated: true } },
      { id: 2, error: { code: 'invalid_line', path: 'base64' } },
      { id: 3, error: { code: 'unknown_api', path: 'api' } },
      { id: 4, events: [MESSAGES_EVENTS[1]], failed: { kind: 'truncated' } },
      { id: 5, events: MESSAGES_EVENTS, final: { finish: 'tool_calls', terminated: false } },
      { id: 6, error: { code: 'invalid_line', path: 'completion' } },
    ])
  })

  it('--jsonl with only answers exits 0, a failed stream being an answer', async () => {
    const line = JSON.stringify({ id: 1, api: 'openai-chat', base64: '' })
    expect((await read(line, 'stream', '--jsonl')).code).toBe(0)
  })
})

describe('relevo read failure', () => {
  const now = '2026-03-01T00:00:00Z'
  it.each([
    ['R15', { status: 429, headers: { 'Retry-After': '7' }, api: 'openai-chat', now }, ['rate_limited', 'hold', 7_000, '2026-03-01T00:00:07.000Z']],
    ['R17', { status: 401, headers: {}, body: 'no', api: 'openai-chat' }, ['auth', 'advance', null, null]],
    ['R17', { status: 503, api: 'openai-chat' }, ['server_error', 'retry', null, null]],
    ['R20', { status: 400, body: { error: { code: 'context_length_exceeded' } }, api: 'openai-chat' }, ['context_window', 'shorten', null, null]],
    ['C38', { status: 429, body: { error: { code: 'insufficient_quota' } }, api: 'openai-chat' }, ['quota_exhausted', 'advance', null, null]],
    ['R22', { status: 400, body: { error: { code: 'content_filter' } }, api: 'openai-chat' }, ['refusal', 'stop', null, null]],
    ['errno', { code: 'ECONNRESET' }, ['network', 'retry', null, null]],
    ['errno', { code: 'UND_ERR_HEADERS_TIMEOUT' }, ['timeout', 'retry', null, null]],
  ])('%s %j', async (_rule, input, [kind, disposition, retryAfterMs, resetAt]) => {
    const single = await read(JSON.stringify(input), 'failure')
    expect([single.code, single.shell.json]).toEqual([0, [{ kind, disposition, retryAfterMs, resetAt }]])
    const line = await read(JSON.stringify({ id: 'x', ...input }), 'failure', '--jsonl')
    expect([line.code, line.shell.json]).toEqual([0, [{ id: 'x', kind, disposition, retryAfterMs, resetAt }]])
  })

  it.each([
    ['nonsense', 'no JSON'],
    ['{"headers":{}}', 'status'],
    ['{"status":429,"now":"tomorrow"}', 'now'],
    ['[]', 'input'],
  ])('%s exits 2 and names the field', async (stdin, words) => {
    const { code, shell } = await read(stdin, 'failure')
    expect([code, shell.out]).toEqual([2, ''])
    expect(shell.errLines).toEqual([expect.stringContaining(words)])
  })
})
