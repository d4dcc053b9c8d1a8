import type { ReadArguments } from './arguments.ts'
import { claudeClock } from './clock-text.ts'
import type { FakeAnswer, FakeFailure, FakeTool } from './script.ts'
import {
  type Ask,
  err,
  exit,
  type FakeVoice,
  out,
  type Piece,
  piecesOf,
  type Refusal,
  resetOf,
  type Stage,
  type Step,
  said,
  textOf,
  tokensOf,
} from './voice.ts'

/** Claude Code: cli-engines.md §2. With `ANTHROPIC_API_KEY` it runs on a key, otherwise on a subscription; only the latter tells its limits. */
const USAGE = 'Usage: claude [options] [command] [prompt]'

const FLAGS = {
  ...{ '-p': 'print', '--print': 'print', '--output-format': 'output-format=', '--input-format': 'input-format=', '--verbose': 'verbose' },
  ...{ '--include-partial-messages': 'partial', '--model': 'model=', '--fallback-model': 'fallback-model=', '--effort': 'effort=' },
  ...{
    '--append-system-prompt': 'append-system-prompt=',
    '--system-prompt': 'system-prompt=',
    '--max-budget-usd': 'budget=',
    '--max-turns': 'turns=',
  },
  ...{
    '--no-session-persistence': 'no-session',
    '--bare': 'bare',
    '-r': 'resume=',
    '--resume': 'resume=',
    '-c': 'continue',
    '--continue': 'continue',
  },
  ...{ '--session-id': 'session-id=', '--permission-mode': 'permission-mode=', '--dangerously-skip-permissions': 'skip-permissions' },
  ...{
    '--allowedTools': 'allowed=',
    '--allowed-tools': 'allowed=',
    '--disallowedTools': 'denied=',
    '--disallowed-tools': 'denied=',
    '--tools': 'tools=',
  },
  ...{ '--add-dir': 'add-dir=', '--mcp-config': 'mcp-config=', '--strict-mcp-config': 'strict-mcp-config', '--settings': 'settings=' },
  ...{ '--setting-sources': 'setting-sources=', '--json-schema': 'json-schema=', '--disable-slash-commands': 'no-commands', '--debug': 'debug' },
}

const MODEL = 'claude-fake'
const NO_TOKENS = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }

function refuse(text: string): Refusal {
  return { refused: [err(text), exit(1)] }
}

function asked({ flags, positionals }: ReadArguments): Ask | Refusal {
  const format = flags.get('output-format') ?? 'text'
  if (!flags.has('print')) return refuse('fake claude: plays print mode only; call it with -p')
  if (format !== 'stream-json') return refuse(`fake claude: speaks only --output-format stream-json, not ${format}`)
  if (!flags.has('verbose')) return refuse('Error: When using --print, --output-format=stream-json requires --verbose')
  const prompt = positionals.length === 0 ? null : positionals.join(' ')
  return { model: flags.get('model') ?? null, prompt, readsStdin: prompt === null, partial: flags.has('partial') }
}

function line(stage: Stage, fields: object): object {
  return { ...fields, session_id: stage.session, uuid: stage.id() }
}

function opening(stage: Stage): Step[] {
  const source = stage.environment['ANTHROPIC_API_KEY'] === undefined ? 'none' : 'ANTHROPIC_API_KEY'
  const init = { type: 'system', subtype: 'init', cwd: stage.environment['PWD'] ?? '', tools: ['Bash', 'Read', 'Edit'], model: modelOf(stage) }
  return [out(line(stage, { ...init, permissionMode: 'default', apiKeySource: source, claude_code_version: '2.1.197' }))]
}

const modelOf = (stage: Stage): string => stage.ask.model ?? MODEL

function answer(run: FakeAnswer, stage: Stage): { begun: Step[]; rest: Step[] } {
  const tools = run.tools ?? []
  const before = tools.flatMap((tool, index) => toolSteps(tool, `toolu_fake_${index + 1}`, stage))
  const message = messageOf(`msg_fake_${tools.length + 1}`, stage)
  const whole = textOf(run.text)
  const texts = whole === '' ? [] : [{ type: 'text', text: whole }]
  const thoughts = run.reasoning === undefined ? [] : [{ type: 'thinking', thinking: run.reasoning, signature: '' }]
  const [reason, rest] = end(run, whole, stage)
  if (!stage.ask.partial) return { begun: [...before, ...[...thoughts, ...texts].map((block) => printed(message, block, stage))], rest }
  const thought = thoughts.flatMap((block) => {
    const { shown, closed } = streamed(message, 0, block, 'thinking', piecesOf(block.thinking), stage)
    return [...shown, ...closed]
  })
  const blocks = texts.map((block) => streamed(message, thoughts.length, block, 'text', piecesOf(run.text), stage))
  const begun = [
    ...before,
    out(line(stage, { type: 'system', subtype: 'status', status: 'requesting' })),
    started(message, stage),
    ...thought,
    ...blocks.flatMap(({ shown }) => shown),
  ]
  return { begun, rest: [...blocks.flatMap(({ closed }) => closed), stopped(reason, usageOf(run), stage), ...rest] }
}

/** Why the answer ended, and what is printed of that. One that ran out of tokens or was refused it reports as an error of its own. */
function end(run: FakeAnswer, text: string, stage: Stage): [reason: string, rest: Step[]] {
  switch (run.finish) {
    case undefined:
      return ['end_turn', [result(run, text, stage), exit(0)]]
    case 'length': {
      const words = "API Error: Claude's response exceeded the 32000 output token maximum."
      return [
        'max_tokens',
        itself(words, 'max_output_tokens', { ...resultOf(words, 'stop_sequence', usageOf(run), run.costUsd), api_error_status: null }, stage),
      ]
    }
    case 'refusal': {
      const words = 'API Error: Claude Code is unable to respond to this request'
      return [
        'refusal',
        itself(words, 'invalid_request', { ...resultOf(words, 'refusal', usageOf(run), run.costUsd), api_error_status: null }, stage),
      ]
    }
  }
}

/** One block as it comes: `shown` as far as its text; then the whole of it in a line of its own, and its end. */
function streamed(
  message: object,
  index: number,
  block: { type: string },
  field: string,
  pieces: readonly Piece[],
  stage: Stage,
): { shown: Step[]; closed: Step[] } {
  const delta = (piece: string): object => ({ type: `${field}_delta`, [field]: piece })
  return {
    shown: [
      out(event({ type: 'content_block_start', index, content_block: { type: block.type, [field]: '' } }, stage)),
      ...pieces.map((piece) => said(piece, event({ type: 'content_block_delta', index, delta: delta(piece.text) }, stage))),
    ],
    closed: [printed(message, block, stage), out(event({ type: 'content_block_stop', index }, stage))],
  }
}

function started(message: object, stage: Stage): Step {
  return out(event({ type: 'message_start', message: { ...message, content: [] } }, stage))
}

function stopped(reason: string, usage: object, stage: Stage): Step {
  const delta = { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage }
  return out(event(delta, stage), event({ type: 'message_stop' }, stage))
}

function printed(message: object, block: object, stage: Stage): Step {
  return out(assistant({ ...message, content: [block] }, stage))
}

function event(event: object, stage: Stage): object {
  return line(stage, { type: 'stream_event', event, parent_tool_use_id: null })
}

function messageOf(id: string, stage: Stage): object {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: modelOf(stage),
    stop_reason: null,
    stop_sequence: null,
    usage: { ...NO_TOKENS, output_tokens: 1 },
  }
}

function assistant(message: object, stage: Stage, more: object = {}): object {
  return line(stage, { type: 'assistant', message, parent_tool_use_id: null, ...more })
}

function toolSteps(tool: FakeTool, id: string, stage: Stage): Step[] {
  const input = tool.arguments ?? {}
  const use = { type: 'tool_use', id, name: tool.name, input }
  const back = { type: 'tool_result', tool_use_id: id, content: tool.output, ...(tool.isError ? { is_error: true } : {}) }
  const message = messageOf(`msg_${id}`, stage)
  const reply = out(line(stage, { type: 'user', message: { role: 'user', content: [back] }, parent_tool_use_id: null }))
  if (!stage.ask.partial) return [printed(message, use, stage), reply]
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) }
  return [
    started(message, stage),
    out(event({ type: 'content_block_start', index: 0, content_block: { ...use, input: {} } }, stage)),
    out(event({ type: 'content_block_delta', index: 0, delta }, stage)),
    printed(message, use, stage),
    out(event({ type: 'content_block_stop', index: 0 }, stage)),
    stopped('tool_use', NO_TOKENS, stage),
    reply,
  ]
}

function usageOf(run: FakeAnswer): object {
  const { input, output, cachedInput } = tokensOf(run)
  return { ...NO_TOKENS, input_tokens: input - cachedInput, cache_read_input_tokens: cachedInput, output_tokens: output }
}

function result(run: FakeAnswer, text: string, stage: Stage): Step {
  const turns = 1 + (run.tools ?? []).length
  return out(line(stage, { ...resultOf(text, 'end_turn', usageOf(run), run.costUsd), is_error: false, api_error_status: null, num_turns: turns }))
}

function resultOf(text: string, stop: string, usage: object, total_cost_usd = 0): object {
  const rest = { duration_ms: 100, duration_api_ms: 90, num_turns: 1, total_cost_usd, permission_denials: [], terminal_reason: 'completed' }
  return { type: 'result', subtype: 'success', result: text, stop_reason: stop, usage, ...rest }
}

/** How a failure is told: its sentence, the word beside it, the HTTP status behind it. */
interface Told {
  readonly text: string
  readonly error: string
  readonly status: number | null
  /** What the retries that this version makes say. */
  readonly retried?: string
  readonly reason?: string
  readonly before?: readonly object[]
}

function failure(run: FakeFailure, stage: Stage): Step[] {
  const { text, error, status, retried, reason, before = [] } = told(run, stage)
  const end = { ...resultOf(text, 'stop_sequence', NO_TOKENS), api_error_status: status, terminal_reason: reason ?? 'completed' }
  return [
    ...(retried === undefined ? [] : retries(retried, status, stage)),
    ...before.map((one) => out(line(stage, one))),
    ...itself(text, error, end, stage),
  ]
}

/** It speaks for itself, in a message and in the last event, and exits with 1. */
function itself(text: string, error: string, end: object, stage: Stage): Step[] {
  const content = [{ type: 'text', text }]
  const synthetic = { ...messageOf(stage.id(), stage), model: '<synthetic>', stop_reason: 'stop_sequence', usage: NO_TOKENS, content }
  return [out(assistant(synthetic, stage, { error })), out(line(stage, { ...end, is_error: true })), exit(1)]
}

/** As many as `CLAUDE_CODE_MAX_RETRIES` grants, ten by default; the waits between them are told and not kept. */
function retries(error: string, status: number | null, stage: Stage): Step[] {
  const granted = Number(stage.environment['CLAUDE_CODE_MAX_RETRIES'] ?? 10)
  return Array.from({ length: Number.isInteger(granted) && granted >= 0 ? Math.min(granted, 10) : 10 }, (_, index) => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: index + 1, max_retries: granted, retry_delay_ms: 500 * 2 ** index }
    return out(line(stage, { ...retry, error_status: status, error }))
  })
}

function told(run: FakeFailure, stage: Stage): Told {
  const keyed = stage.environment['ANTHROPIC_API_KEY'] !== undefined
  if ('limit' in run) return limited(run.limit, keyed, stage)
  if ('throttle' in run) return throttled(keyed)
  if ('overloaded' in run) {
    const text = 'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.'
    return { text, error: 'server_error', status: 529, retried: 'overloaded' }
  }
  if ('auth' in run) {
    const plain = keyed ? 'Invalid API key · Fix external API key' : 'Not logged in · Please run /login'
    const text = run.auth === true ? plain : `Failed to authenticate. API Error: 401 ${run.auth.said}`
    return { text, error: 'authentication_failed', status: 401, retried: 'authentication_failed' }
  }
  if ('spend' in run) return { text: 'Credit balance is too low', error: 'billing_error', status: 400 }
  if ('context' in run) return { text: 'Prompt is too long', error: 'invalid_request', status: 400, reason: 'prompt_too_long' }
  if ('model' in run) {
    const text = `There's an issue with the selected model (${modelOf(stage)}). It may not exist or you may not have access to it.`
    return { text, error: 'model_not_found', status: 404 }
  }
  if ('server' in run) return { text: 'API Error: 500 Internal server error.', error: 'server_error', status: 500, retried: 'server_error' }
  if ('says' in run) return { text: `API Error: ${run.says}`, error: 'unknown', status: null }
  return { text: 'API Error: Unable to connect to API (ConnectionRefused)', error: 'server_error', status: null, retried: 'unknown' }
}

const NAMES: Readonly<Record<string, string>> = { five_hour: 'session ', seven_day: 'weekly ', seven_day_opus: 'Opus ', seven_day_sonnet: 'Sonnet ' }

function limited(limit: Extract<FakeFailure, { limit: unknown }>['limit'], keyed: boolean, stage: Stage): Told {
  if (keyed) return { ...throttled(keyed), text: "API Error: Request rejected (429) · This request would exceed your account's rate limit." }
  const scope = limit.scope ?? 'five_hour'
  const at = resetOf(limit, stage.now)
  const reset = at === null ? '' : ` · resets ${claudeClock(at, stage.now, stage.zone)}`
  const info = { status: 'rejected', ...(at === null ? {} : { resetsAt: Math.floor(at / 1000) }), rateLimitType: scope, isUsingOverage: false }
  const before = [{ type: 'rate_limit_event', rate_limit_info: info }]
  return { text: `You've hit your ${NAMES[scope] ?? ''}limit${reset}`, error: 'rate_limit', status: 429, before }
}

function throttled(keyed: boolean): Told {
  if (keyed) return { text: 'API Error: Request rejected (429) · Please slow down.', error: 'rate_limit', status: 429 }
  const text = 'API Error: Server is temporarily limiting requests (not your usage limit) · Please slow down.'
  const before = [{ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', isUsingOverage: false } }]
  return { text, error: 'rate_limit', status: 429, before }
}

export const claudeVoice: FakeVoice = {
  version: '2.1.197 (Claude Code)',
  usage: USAGE,
  flags: FLAGS,
  usageExit: 1,
  asked,
  promptless: [err('Error: Input must be provided either through stdin or as a prompt argument when using --print'), exit(1)],
  opening,
  answer,
  failure,
  sign: (stage) => line(stage, { type: 'system', subtype: 'status', status: 'requesting' }),
}
