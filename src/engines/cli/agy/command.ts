import { CannotSend } from '../../cannot-send.ts'
import type { CliAsk, Invocation } from '../program.ts'
import { behindSystem, refuseOptions } from '../prompt.ts'

/**
 * How `agy` is called (cli-engines.md §5). Nobody here could run it: what is said of it is what its users report, by number of the issue in
 * google-antigravity/antigravity-cli.
 *
 * 1. The prompt is the value of `-p` and arrives byte for byte, or it is refused. Its flags are those of Go: one that takes a value takes the
 *    next argument whatever that begins with, so a leading `-` is no danger. Standard input is closed from the start.
 * 2. A prompt is never one of its commands: `--disable-slash-commands`, there since 1.1.9, with which the events that are read here are whole.
 */

/**
 * What one argument holds on Linux, 128 KiB with its end, less a margin. It does read a longer prompt from standard input where no `-p` is
 * given at all (582), but nothing documents that, and versions differ; `--input-format stream-json` is another protocol.
 */
const PROMPT_BYTES = 127 * 1024

/** It would stop after five minutes with what it has, and call that a success (245). Deadlines are ours, so its own is out of the way. */
const PRINT_TIMEOUT = '8h'

/** `AGY_CLI_DISABLE_AUTO_UPDATE`: a run does nothing beside the turn. Its own retries of a 429, about eight, cannot be turned off. */
export const AGY_ENVIRONMENT: Readonly<Record<string, string>> = { AGY_CLI_DISABLE_AUTO_UPDATE: '1' }

/** Its own, and the session bus by which it reaches the keyring that holds its login. */
export const AGY_VARIABLES: readonly string[] = ['AGY_*', 'ANTIGRAVITY_*', 'GOOGLE_*', 'GCLOUD_PROJECT', 'CLOUDSDK_*', 'DBUS_SESSION_BUS_ADDRESS']

export function agyInvocation({ model, system, prompt, options }: CliAsk): Invocation {
  refuseOptions(options, 'agy', ['reasoningEffort'])
  const text = behindSystem(system, prompt)
  if (text.includes('\0')) throw new CannotSend('agy takes its prompt as an argument, which cannot hold a NUL character; take it out of the messages')
  const bytes = Buffer.byteLength(text)
  if (bytes > PROMPT_BYTES) {
    throw new CannotSend(
      `agy takes its prompt as an argument, which holds ${PROMPT_BYTES} bytes, and this one has ${bytes}; shorten it, or put another entry into the chain`,
    )
  }
  return {
    args: [
      ...['-p', text, '--output-format', 'stream-json', '--print-timeout', PRINT_TIMEOUT, '--disable-slash-commands'],
      ...(model === null ? [] : ['--model', model]),
      // Most models have their effort in their name, such as `…-high`; beside one of those agy refuses the flag, and says so (exit 1).
      ...(options.reasoningEffort === undefined ? [] : ['--effort', options.reasoningEffort]),
    ],
    stdin: null,
  }
}
