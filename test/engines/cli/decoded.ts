import { outputLine } from '../../../src/engines/cli/output-line.ts'
import type { CliProgram, RunEnd } from '../../../src/engines/cli/program.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'

/** What a program's decoder makes of the lines of one run. */
export interface Decoded {
  readonly events: readonly ProviderEvent[]
  readonly end: RunEnd
  readonly broken: string | null
  readonly over: boolean
  /** Undefined where nothing came behind the end. */
  readonly contentAfter: true | undefined
}

export interface Output {
  /** Objects as the line that they are; text as it is. */
  readonly stdout: readonly unknown[]
  readonly stderr?: readonly string[]
  readonly exitCode?: number | null
}

export function decoded(program: CliProgram, mode: 'stream' | 'call', { stdout, stderr = [], exitCode = 0 }: Output): Decoded {
  const decoder = program.decoder(mode)
  const events: ProviderEvent[] = []
  const tell = (event: ProviderEvent): void => void events.push(event)
  for (const line of stdout) decoder.take(outputLine('stdout', typeof line === 'string' ? line : JSON.stringify(line)), tell)
  for (const line of stderr) decoder.take(outputLine('stderr', line), tell)
  const { over, broken } = decoder
  const contentAfter = decoder.contentAfter === true ? true : undefined
  const end = decoder.end(exitCode, tell)
  return { events, end, broken, over, contentAfter }
}

export function textsOf(events: readonly ProviderEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
}

/** Lines that a program never printed and that no reader may trip over. */
export const ODD_LINES: readonly unknown[] = [
  '',
  'plain words',
  '{',
  '{"unclosed": ',
  '[]',
  'null',
  '42',
  '{}',
  { type: 'unheard-of', event: 'unheard-of' },
  { event: 'result', result: 7, type: 'message', role: 'assistant', content: { a: 1 } },
  { event: 'step_update', step_update: [], type: 'tool_use', tool_id: 5, tool_name: null, parameters: undefined },
  { event: 'step_update', step_update: { step_type: 'agent_response', text_delta: 5, state: {} }, type: 'tool_result', output: [1], error: 'x' },
  { event: 'step_update', step_update: { step_type: 'tool', tool_info: 'x', tool_name: 7, step_index: {} }, type: 'error', severity: 'warning' },
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
  '{"event":"step_update","step_update":{"step_type":"tool","tool_info":{"parameters":'.concat('['.repeat(20_000), ']'.repeat(20_000), '}}}'),
  '\u0085\u2028{"event":"init"}',
]
