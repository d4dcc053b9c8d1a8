import { codex } from '../../../../src/engines/cli/codex/program.ts'
import { type Decoded, decoded } from '../decoded.ts'

/** Lines as `codex exec --json` 0.171 prints them, worded by us after cli-engines.md §3 and runs against a server of our own. */
export type Line = Readonly<Record<string, unknown>>

export const begun: Line[] = [{ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }]
export const started = (item: Line): Line => ({ type: 'item.started', item })
export const completed = (item: Line): Line => ({ type: 'item.completed', item })
export const message = (id: string, text: unknown): Line => completed({ id, type: 'agent_message', text })
export const reasoning = (id: string, text: unknown): Line => completed({ id, type: 'reasoning', text })
export const reconnecting: Line = { type: 'error', message: 'Reconnecting... 1/5 (stream disconnected before completion)' }
export const turnCompleted: Line = {
  type: 'turn.completed',
  usage: { input_tokens: 12, cached_input_tokens: 4, cache_write_input_tokens: 1, output_tokens: 6, reasoning_output_tokens: 2 },
}
export const turnFailed: Line = { type: 'turn.failed', error: { message: 'no' } }
export const usageEvent = { type: 'usage', input: 12, output: 6, cachedInput: 4 }

export const decode = (lines: readonly unknown[], exitCode: number | null = 0): Decoded => decoded(codex, 'stream', { stdout: lines, exitCode })
