import { claude } from '../../../../src/engines/cli/claude/program.ts'
import { type Decoded, decoded, textsOf } from '../decoded.ts'

/** Lines as `claude` 2.1 prints them, worded by us after cli-engines.md §2 and runs against a server of our own. */
export type Line = Readonly<Record<string, unknown>>

const MODEL = 'claude-sonnet-4-5'

export const streamEvent = (event: Line, parent: string | null = null): Line => ({ type: 'stream_event', event, parent_tool_use_id: parent })
export const messageStart = (id: string): Line => streamEvent({ type: 'message_start', message: { id, model: MODEL, content: [] } })
export const blockStart = (type = 'text'): Line => streamEvent({ type: 'content_block_start', index: 0, content_block: { type, [type]: '' } })
export const textDelta = (text: string, parent: string | null = null): Line =>
  streamEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, parent)
export const thinkingDelta = (thinking: string): Line =>
  streamEvent({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking } })
const blockStop = streamEvent({ type: 'content_block_stop', index: 0 })
export const messageEnd = (reason: string): Line[] => [
  streamEvent({ type: 'message_delta', delta: { stop_reason: reason } }),
  streamEvent({ type: 'message_stop' }),
]

export const printed = (id: string, content: unknown, more: Line = {}): Line => ({
  type: 'assistant',
  message: { id, type: 'message', role: 'assistant', model: MODEL, content, stop_reason: null },
  parent_tool_use_id: null,
  ...more,
})
export const text = (value: string): Line => ({ type: 'text', text: value })
export const synthetic = (value: string): Line => ({
  type: 'assistant',
  message: { id: 'own', role: 'assistant', model: '<synthetic>', content: [text(value)], stop_reason: 'stop_sequence' },
  parent_tool_use_id: null,
})
export const toolUse = (id: string, name: string, input: unknown): Line => ({ type: 'tool_use', id, name, input })
export const reply = (content: unknown, more: Line = {}): Line => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  ...more,
})
export const toolResult = (id: string, content: unknown): Line => ({ type: 'tool_result', tool_use_id: id, content })

const USAGE = { input_tokens: 12, cache_creation_input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 6 }
export const result = (value: unknown, more: Line = {}): Line => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: value,
  stop_reason: 'end_turn',
  usage: USAGE,
  ...more,
})

/** One block of text, streamed and then printed, as the CLI does it: before the block is stopped. */
export const streamed = (id: string, ...pieces: readonly string[]): Line[] => [
  blockStart(),
  ...pieces.map((piece) => textDelta(piece)),
  printed(id, [text(pieces.join(''))]),
  blockStop,
]

export const decode = (mode: 'stream' | 'call', lines: readonly unknown[], exitCode: number | null = 0): Decoded =>
  decoded(claude, mode, { stdout: lines, exitCode })

export const usageEvent = { type: 'usage', input: 20, output: 6, cachedInput: 5 }
export const said = (events: Decoded['events']): string => textsOf(events).join('')
