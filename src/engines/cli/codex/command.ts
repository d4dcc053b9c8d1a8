import { CannotSend } from '../../cannot-send.ts'
import type { CliAsk, Invocation } from '../program.ts'
import { behindSystem, refuseOptions } from '../prompt.ts'

/**
 * How `codex` is called (cli-engines.md §3). What is not said there was measured with 0.171.0 against a server on loopback, or stands in the
 * sources of openai/codex (codex-rs).
 *
 * 1. The prompt comes by standard input, all of it, for the positional `-`, and arrives at the model byte for byte: a leading `-` or `/`,
 *    NUL, white space at both ends.
 * 2. That `-` stands last, so that an operator's own `cli.args` (`-s workspace-write`, `-c key=value`) stand in front of it as options.
 *
 * Left at its own defaults:
 * - Its sandbox: what its configuration says, or else read-only.
 * - Its retries (4 of a request times 5 of a stream): `request_max_retries` and `stream_max_retries` are settings of a model provider, and
 *   one for the built-in `openai` ends the run with "Built-in providers cannot be overridden". Naming a provider of ours instead would push
 *   aside the one that the operator has configured. Whoever names a provider in the configuration of codex sets both to 0 there. A reader
 *   sees nothing of the retries, since no text is told before it is final (decode.ts).
 * - Its session files: they cost a file a run; `--ephemeral` in `cli.args` does without, in versions that know it.
 * - `--color`: `--json` prints none.
 */

/** Its own. The key of a provider that is named in its configuration (`env_key`) is given with `cli.env`. */
export const CODEX_VARIABLES: readonly string[] = ['CODEX_*', 'OPENAI_*']

/** Beside a key these are another account; a provider of its configuration that names one of them says that it is missing. */
export const CODEX_SIGN_IN: readonly string[] = ['OPENAI_API_KEY', 'CODEX_ACCESS_TOKEN']

/** "Input exceeds the maximum length of 1048576 characters", which are code points. */
const INPUT_CHARACTERS = 1_048_576

export function codexInvocation({ model, system, prompt, options }: CliAsk): Invocation {
  refuseOptions(options, 'codex', ['reasoningEffort'])
  // It has a system prompt of its own, and none that can be added to on the command line.
  const stdin = behindSystem(system, prompt)
  const length = codePoints(stdin)
  if (length > INPUT_CHARACTERS)
    throw new CannotSend(`codex reads at most ${INPUT_CHARACTERS} characters of a prompt and this one has ${length}; shorten it`)
  const { reasoningEffort } = options
  return {
    args: [
      ...['exec', '--json', '--skip-git-repo-check'],
      ...(model === null ? [] : ['-m', model]),
      ...(reasoningEffort === undefined ? [] : ['-c', `model_reasoning_effort="${reasoningEffort}"`]),
    ],
    last: ['-'],
    stdin,
  }
}

function codePoints(text: string): number {
  if (text.length <= INPUT_CHARACTERS) return text.length
  let count = 0
  for (const _character of text) count += 1
  return count
}
