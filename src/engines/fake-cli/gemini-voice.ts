import type { ReadArguments } from './arguments.ts'
import { goDuration } from './clock-text.ts'
import type { FakeAnswer, FakeFailure } from './script.ts'
import { type Ask, err, exit, type FakeVoice, out, piecesOf, type Refusal, resetOf, type Stage, type Step, said, tokensOf } from './voice.ts'

/** Gemini CLI: cli-engines.md §4. Its exit code is the HTTP status modulo 256. A limit whose end is known it sleeps out, and says so on stderr. */
const USAGE = 'Usage: gemini [options] [command]'

const FLAGS = {
  ...{ '-o': 'output-format=', '--output-format': 'output-format=', '--skip-trust': 'skip-trust', '-m': 'model=', '--model': 'model=' },
  ...{ '-p': 'prompt=', '--prompt': 'prompt=', '-y': 'yolo', '--yolo': 'yolo', '--approval-mode': 'approval-mode=', '-s': 'sandbox' },
  ...{ '--sandbox': 'sandbox', '-d': 'debug', '--debug': 'debug', '--include-directories': 'directories=', '-e': 'extensions=' },
  ...{ '--extensions': 'extensions=', '--allowed-mcp-server-names': 'mcp=', '--allowed-tools': 'tools=', '-r': 'resume=', '--resume': 'resume=' },
  ...{ '--session-id': 'session-id=', '--policy': 'policy=', '--screen-reader': 'screen-reader', '--raw-output': 'raw-output' },
}

function asked({ flags, positionals }: ReadArguments): Ask | Refusal {
  const format = flags.get('output-format') ?? 'text'
  if (format !== 'stream-json') return { refused: [err(`fake gemini: speaks only --output-format stream-json, not ${format}`), exit(1)] }
  const given = flags.get('prompt')
  if (given !== undefined && positionals.length > 0) {
    return { refused: [err('Cannot use both a positional prompt and the --prompt (-p) flag together'), exit(1)] }
  }
  const prompt = given ?? (positionals.length === 0 ? null : positionals.join(' '))
  return { model: flags.get('model') ?? null, prompt, readsStdin: prompt === null, partial: true }
}

function event(type: string, fields: object, stage: Stage): object {
  return { type, timestamp: new Date(stage.now).toISOString(), ...fields }
}

const modelOf = (stage: Stage): string => stage.ask.model ?? 'gemini-fake'

function opening(stage: Stage): Step[] {
  return [
    out(event('init', { session_id: stage.session, model: modelOf(stage) }, stage)),
    out(event('message', { role: 'user', content: stage.prompt }, stage)),
  ]
}

function answer(run: FakeAnswer, stage: Stage): { begun: Step[]; rest: Step[] } {
  const tools = (run.tools ?? []).flatMap((tool, index) => {
    const id = `${tool.name}-${index + 1}`
    const end = tool.isError ? { status: 'error', error: { type: 'TOOL_EXECUTION_ERROR', message: tool.output } } : { status: 'success' }
    return [
      out(event('tool_use', { tool_name: tool.name, tool_id: id, parameters: tool.arguments ?? {} }, stage)),
      out(event('tool_result', { tool_id: id, ...end, output: tool.output }, stage)),
    ]
  })
  const text = piecesOf(run.text).map((piece) => said(piece, event('message', { role: 'assistant', content: piece.text, delta: true }, stage)))
  const stats = statsOf(tokensOf(run), (run.tools ?? []).length, stage)
  return { begun: [...tools, ...text], rest: [out(event('result', { status: 'success', stats }, stage)), exit(0)] }
}

function statsOf({ input, output, cachedInput }: ReturnType<typeof tokensOf>, calls: number, stage: Stage): object {
  const tokens = { total_tokens: input + output, input_tokens: input, output_tokens: output, cached: cachedInput, input: input - cachedInput }
  return { ...tokens, duration_ms: 100, tool_calls: calls, models: { [modelOf(stage)]: tokens } }
}

const STEPS =
  'Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method'

function failure(run: FakeFailure, stage: Stage): Step[] {
  if ('limit' in run) {
    const at = resetOf(run.limit, stage.now)
    if (at !== null) return asleep(at - stage.now)
    return failed(`[API Error: You have exhausted your daily quota on this model.]\n${STEPS}`, 429, stage)
  }
  if ('says' in run) return failed(run.says, 1, stage)
  const { message, status } = told(run, stage)
  return failed(`[API Error: ${message}]`, status, stage)
}

/** It waits for the reset itself: nothing more is printed, and it does not end. */
function asleep(ms: number): Step[] {
  const notice = `You have exhausted your capacity on this model. Your quota will reset after ${goDuration(ms)}.`
  return [err(`Attempt 1 failed: ${notice}. Retrying after ${Math.ceil(ms)}ms...`), { do: 'stay' }]
}

function failed(message: string, status: number, stage: Stage): Step[] {
  const stats = statsOf({ input: 0, output: 0, cachedInput: 0 }, 0, stage)
  return [out(event('result', { status: 'error', error: { type: 'unknown', message }, stats }, stage)), exit(status % 256)]
}

/** `status` 1 stands for those that end with 1: no answer from the network, and an unknown model. */
function told(run: Exclude<FakeFailure, { limit: unknown } | { says: string }>, stage: Stage): { message: string; status: number } {
  if ('throttle' in run)
    return { message: 'You exceeded your current quota, please check your plan and billing details.\nPlease retry in 20.5s.', status: 429 }
  if ('overloaded' in run) return { message: 'The model is overloaded. Please try again later.', status: 503 }
  if ('auth' in run) {
    const message = run.auth === true ? 'Request had invalid authentication credentials.' : run.auth.said
    return { message: body(401, message, 'UNAUTHENTICATED'), status: 401 }
  }
  if ('server' in run) return { message: body(500, 'An internal error has occurred. Please retry.', 'INTERNAL'), status: 500 }
  if ('spend' in run) return { message: body(429, 'Monthly spending cap exceeded.', 'RESOURCE_EXHAUSTED'), status: 429 }
  if ('context' in run) {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    return { message: body(400, message, 'INVALID_ARGUMENT'), status: 400 }
  }
  if ('model' in run) {
    return { message: `models/${modelOf(stage)} is not found for API version v1beta, or is not supported for generateContent.`, status: 1 }
  }
  return { message: 'exception TypeError: fetch failed sending request', status: 1 }
}

function body(code: number, message: string, status: string): string {
  return JSON.stringify({ error: { code, message, status } })
}

export const geminiVoice: FakeVoice = {
  version: '0.61.0',
  usage: USAGE,
  flags: FLAGS,
  usageExit: 1,
  asked,
  promptless: [err('No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option.'), exit(42)],
  opening,
  answer,
  failure,
  sign: (stage) => event('message', { role: 'assistant', content: '', delta: true }, stage),
}
