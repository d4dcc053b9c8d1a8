import type { ReadArguments } from './arguments.ts'
import { codexClock } from './clock-text.ts'
import type { FakeAnswer, FakeFailure, FakeTool } from './script.ts'
import { type Ask, err, exit, type FakeVoice, out, type Refusal, resetOf, type Stage, type Step, textOf, tokensOf } from './voice.ts'

/** Codex: cli-engines.md §3. It tells whole items only, so nothing of an answer is there before all of it is. */
const FLAGS = {
  ...{ '--json': 'json', '--experimental-json': 'json', '--skip-git-repo-check': 'any-directory', '-m': 'model=', '--model': 'model=' },
  ...{ '-s': 'sandbox=', '--sandbox': 'sandbox=', '-C': 'cd=', '--cd': 'cd=', '--add-dir': 'add-dir=', '-c': 'config=', '--config': 'config=' },
  ...{ '-p': 'profile=', '--profile': 'profile=', '-i': 'image=', '--image': 'image=', '--color': 'color=', '--ephemeral': 'ephemeral' },
  ...{ '--full-auto': 'full-auto', '--yolo': 'yolo', '--dangerously-bypass-approvals-and-sandbox': 'yolo', '--output-schema': 'schema=' },
  ...{ '-o': 'last-message=', '--output-last-message': 'last-message=', '--oss': 'oss', '--enable': 'enable=', '--disable': 'disable=' },
}

const STDIN_NOTE = 'Reading additional input from stdin...'

function asked({ flags, positionals: [command, ...rest] }: ReadArguments): Ask | Refusal {
  if (command !== 'exec') return { refused: [err('fake codex: plays `codex exec` only'), exit(1)] }
  if (!flags.has('json')) return { refused: [err('fake codex: speaks only --json'), exit(1)] }
  if (rest.length > 1) return { refused: [err(`error: unexpected argument '${rest[1]}' found`, USAGE), exit(2)] }
  const prompt = rest[0] === undefined || rest[0] === '-' ? null : rest[0]
  // Whether or not a prompt was given, a pipe is read to its end: what it holds is appended.
  return { model: flags.get('model') ?? null, prompt, readsStdin: true, partial: false }
}

const USAGE = 'Usage: codex exec [OPTIONS] [PROMPT]'

function opening(stage: Stage): Step[] {
  const note = stage.ask.prompt === null ? [] : [err(STDIN_NOTE)]
  return [...note, out({ type: 'thread.started', thread_id: stage.session }), out({ type: 'turn.started' })]
}

function answer(run: FakeAnswer): { begun: Step[]; rest: Step[] } {
  const text = textOf(run.text)
  const items = [
    ...(run.reasoning === undefined ? [] : [{ type: 'reasoning', text: run.reasoning }]),
    ...(run.tools ?? []).map((tool) => ({ tool })),
    ...(text === '' ? [] : [{ type: 'agent_message', text }]),
  ]
  const begun = items.flatMap((item, index) => {
    const id = `item_${index}`
    return 'tool' in item ? toolSteps(item.tool, id) : [out({ type: 'item.completed', item: { id, ...item } })]
  })
  return { begun, rest: [out({ type: 'turn.completed', usage: usageOf(run) }), exit(0)] }
}

/** `shell` is a command and everything else a tool of an MCP server; those are the two kinds that carry an output. */
function toolSteps(tool: FakeTool, id: string): Step[] {
  const shell = tool.name === 'shell'
  const base = shell
    ? { id, type: 'command_execution', command: String(tool.arguments?.['command'] ?? '') }
    : { id, type: 'mcp_tool_call', server: 'fake', tool: tool.name, arguments: tool.arguments ?? {} }
  const failed = tool.isError === true
  const status = failed ? 'failed' : 'completed'
  const content = [{ type: 'text', text: tool.output }]
  const end = shell
    ? { aggregated_output: tool.output, exit_code: failed ? 1 : 0, status }
    : { result: failed ? null : { content, structured_content: null }, error: failed ? { message: tool.output } : null, status }
  const start = shell ? { aggregated_output: '', exit_code: null } : { result: null, error: null }
  return [
    out({ type: 'item.started', item: { ...base, ...start, status: 'in_progress' } }),
    out({ type: 'item.completed', item: { ...base, ...end } }),
  ]
}

function usageOf(run: FakeAnswer): object {
  const { input, output, cachedInput } = tokensOf(run)
  return { input_tokens: input, cached_input_tokens: cachedInput, cache_write_input_tokens: 0, output_tokens: output, reasoning_output_tokens: 0 }
}

function failure(run: FakeFailure, stage: Stage): Step[] {
  if ('network' in run) {
    const message = 'Reconnecting... waiting for network (Connection failed: error sending request)'
    return [{ do: 'repeat', line: JSON.stringify({ type: 'error', message }) }]
  }
  const message = told(run, stage)
  return [out({ type: 'error', message }), out({ type: 'turn.failed', error: { message } }), exit(1)]
}

function told(run: Exclude<FakeFailure, { network: unknown }>, stage: Stage): string {
  if ('limit' in run) return limited(run.limit, stage)
  if ('throttle' in run) return 'exceeded retry limit, last status: 429 Too Many Requests'
  if ('overloaded' in run) return 'Selected model is at capacity. Please try a different model.'
  if ('auth' in run) return `unexpected status 401 Unauthorized: ${run.auth === true ? 'Incorrect API key provided' : run.auth.said}, ${URL_SAID}`
  if ('server' in run) return `unexpected status 502 Bad Gateway: upstream gave no answer, ${URL_SAID}`
  if ('says' in run) return run.says
  if ('spend' in run) return 'Quota exceeded. Check your plan and billing details.'
  if ('context' in run) {
    return "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying."
  }
  const model = stage.ask.model ?? 'the default'
  return JSON.stringify({ detail: `The '${model}' model is not supported when using Codex with a ChatGPT account.` })
}

const URL_SAID = 'url: https://api.openai.com/v1/responses'

function limited(limit: Extract<FakeFailure, { limit: unknown }>['limit'], stage: Stage): string {
  const at = resetOf(limit, stage.now)
  const again = at === null ? 'try again later.' : `try again at ${codexClock(at, stage.now, stage.zone)}.`
  if (limit.scope !== undefined) return `You’ve hit your usage limit for ${limit.scope}. Switch to another model now, or ${again}`
  return `You’ve hit your usage limit. Visit https://chatgpt.com/settings/usage to purchase more credits or ${again}`
}

export const codexVoice: FakeVoice = {
  version: 'codex-cli 0.171.0',
  usage: USAGE,
  flags: FLAGS,
  usageExit: 2,
  asked,
  promptless: [err('No prompt provided via stdin.'), exit(1)],
  opening,
  answer,
  failure,
  sign: () => ({ type: 'item.updated', item: { id: 'item_0', type: 'todo_list', items: [] } }),
}
