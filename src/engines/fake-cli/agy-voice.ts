import type { ReadArguments } from './arguments.ts'
import { goDuration } from './clock-text.ts'
import type { FakeAnswer, FakeFailure, FakeTool } from './script.ts'
import { type Ask, err, exit, type FakeVoice, out, piecesOf, type Refusal, resetOf, type Stage, type Step, said, textOf, tokensOf } from './voice.ts'

/** Antigravity: cli-engines.md §5. Nobody here could run the real one: events, exits and sentences are those that its users report. */
const USAGE = 'Usage of agy:'

const FLAGS = {
  ...{ '-p': 'prompt=', '--print': 'prompt=', '--prompt': 'prompt=', '--output-format': 'output-format=', '--input-format': 'input-format=' },
  ...{ '--model': 'model=', '--effort': 'effort=', '--print-timeout': 'print-timeout=', '--add-dir': 'add-dir=', '--log-file': 'log-file=' },
  ...{ '--dangerously-skip-permissions': 'skip-permissions', '--disable-slash-commands': 'no-commands', '--sandbox': 'sandbox', '--mode': 'mode=' },
  ...{ '--conversation': 'conversation=', '-c': 'continue', '--continue': 'continue', '--json-schema': 'json-schema=', '--agent': 'agent=' },
  ...{ '--project': 'project=', '--new-project': 'new-project' },
}

const TTY = 'CLI error: bubbletea: error opening TTY: bubbletea: could not open TTY: open /dev/tty: no such device or address'

function asked({ flags, positionals }: ReadArguments): Ask | Refusal {
  const prompt = flags.get('prompt')
  if (prompt === undefined) return { refused: [{ do: 'out', lines: [TTY] }, exit(0)] }
  if (positionals.length > 0) return { refused: [err(`unexpected argument: ${positionals[0]}`, USAGE), exit(2)] }
  if (prompt === '') return { refused: [err('Error: empty prompt'), exit(1)] }
  const format = flags.get('output-format') ?? 'text'
  if (format !== 'stream-json') return { refused: [err(`fake agy: speaks only --output-format stream-json, not ${format}`), exit(1)] }
  return { model: flags.get('model') ?? null, prompt, readsStdin: false, partial: true }
}

function opening(stage: Stage): Step[] {
  const init = { model: stage.ask.model ?? 'gemini-fake', cwd: stage.environment['PWD'] ?? '', tools: ['run_command', 'view_file'] }
  return [
    out({ event: 'init', conversation_id: stage.session, init: { ...init, permission_mode: 'request-review' } }),
    out(update({ step_index: 0, state: 'DONE', step_type: 'user_input' })),
  ]
}

function update(step: object): object {
  return { event: 'step_update', step_update: step }
}

function answer(run: FakeAnswer, stage: Stage): { begun: Step[]; rest: Step[] } {
  const tools = (run.tools ?? []).flatMap((tool, index) => toolSteps(tool, index + 1))
  const step = { step_index: 1 + (run.tools ?? []).length, step_type: 'agent_response' }
  const pieces = piecesOf(run.text)
  // The last piece comes with the end of its step. A step that does not end has only those before an end.
  const last = run.stall === true || run.cut === true ? undefined : pieces.pop()
  const usage = usageOf(run)
  const active = pieces.map((piece) => said(piece, update({ ...step, state: 'ACTIVE', text_delta: piece.text })))
  const end = { ...step, state: 'DONE', text_delta: last?.text ?? '', duration_seconds: 0.1, usage }
  const done = last === undefined ? [] : [said(last, update(end))]
  const result = { conversation_id: stage.session, status: 'SUCCESS', response: textOf(run.text), duration_seconds: 0.2, num_turns: 1, usage }
  return { begun: [...tools, ...active], rest: [...done, out({ event: 'result', result }), exit(0)] }
}

function toolSteps(tool: FakeTool, index: number): Step[] {
  const step = { step_index: index, step_type: 'tool', tool_name: tool.name }
  const info = { name: tool.name, parameters: tool.arguments ?? {} }
  const end = tool.isError ? { error: { type: 'TOOL_ERROR', message: tool.output } } : { output: tool.output }
  return [
    out(update({ ...step, state: 'ACTIVE', tool_info: info })),
    out(update({ ...step, state: tool.isError ? 'ERROR' : 'DONE', duration_seconds: 0.1, tool_info: { ...info, ...end } })),
  ]
}

/** The cached tokens are among those of the input, and thoughts among those of the output. */
function usageOf(run: FakeAnswer): object {
  const { input, output, cachedInput } = tokensOf(run)
  return { input_tokens: input, output_tokens: output, thinking_tokens: 0, cache_read_tokens: cachedInput, total_tokens: input + output }
}

/** `rejected`: refused before the model was asked, by a result alone and exit 1; anything else is told on stderr too, with exit 3. */
type Told = { readonly rejected: string } | { readonly message: string; readonly status: string; readonly code: number; readonly retryable: boolean }

function failure(run: FakeFailure, stage: Stage): Step[] {
  const what = told(run, stage)
  if ('rejected' in what) return [out(failed(what.rejected, '')), exit(1)]
  const { message, status, code, retryable } = what
  const detail = { status, error_code: code, code_kind: 'http', retryable, error_id: stage.id() }
  const short = code === 0 ? message : `${status} (code ${code}): ${message}`
  return [out(failed(message, stage.session)), err(`error: ${message}`, `AGY_ERROR: ${JSON.stringify({ short_error: short, ...detail })}`), exit(3)]
}

function failed(error: string, conversation: string): object {
  const usage = { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, cache_read_tokens: 0, total_tokens: 0 }
  return { event: 'result', result: { conversation_id: conversation, status: 'ERROR', response: '', error, num_turns: 0, usage } }
}

function told(run: FakeFailure, stage: Stage): Told {
  if ('limit' in run) return limited(run.limit, stage)
  if ('throttle' in run) {
    return { message: 'Too many requests. Please retry in 20s.', status: 'RESOURCE_EXHAUSTED', code: 429, retryable: true }
  }
  if ('overloaded' in run) {
    const message = 'Our servers are experiencing high traffic right now, please try again in a minute.'
    return { message, status: 'UNAVAILABLE', code: 503, retryable: true }
  }
  if ('auth' in run) return { rejected: run.auth === true ? 'authentication failed or timed out' : `authentication failed: ${run.auth.said}` }
  if ('server' in run) {
    const message = 'Eligibility check failed: failed to fetch user info: 500 Internal Server Error'
    return { message, status: 'INTERNAL', code: 500, retryable: true }
  }
  if ('says' in run) return { message: run.says, status: 'UNKNOWN', code: 0, retryable: false }
  if ('spend' in run) return { message: 'AI credits balance is too low', status: 'FAILED_PRECONDITION', code: 400, retryable: false }
  if ('context' in run) {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    return { message, status: 'INVALID_ARGUMENT', code: 400, retryable: false }
  }
  if ('model' in run) return { rejected: `invalid model selection: model ${stage.ask.model ?? 'gemini-fake'} is not recognized` }
  const host = 'daily-cloudcode-pa.googleapis.com'
  const message = `Eligibility check failed: Post "https://${host}/v1internal:loadCodeAssist": dial tcp: lookup ${host}: no such host`
  return { message, status: 'UNAVAILABLE', code: 0, retryable: true }
}

function limited(limit: Extract<FakeFailure, { limit: unknown }>['limit'], stage: Stage): Told {
  const at = resetOf(limit, stage.now)
  const after = at === null ? null : goDuration(at - stage.now)
  const quota = { status: 'RESOURCE_EXHAUSTED', code: 429, retryable: true }
  if (after === null) return { message: 'Resource has been exhausted (e.g. check quota).', ...quota }
  if (limit.scope !== undefined) return { message: `You have exhausted your capacity on this model. Your quota will reset after ${after}.`, ...quota }
  return { message: `Individual quota reached. Please upgrade your subscription to increase your limits. Resets in ${after}.`, ...quota }
}

export const agyVoice: FakeVoice = {
  version: '1.2.17',
  usage: USAGE,
  flags: FLAGS,
  usageExit: 2,
  asked,
  promptless: [err('Error: empty prompt'), exit(1)],
  opening,
  answer,
  failure,
  sign: () => update({ step_index: 1, state: 'ACTIVE', step_type: 'agent_response', text_delta: '' }),
}
