import { CannotSend } from '../../cannot-send.ts'
import type { SwitchedVariables } from '../environment.ts'
import type { CliAsk, Invocation } from '../program.ts'
import { behindSystem, refuseOptions } from '../prompt.ts'

/**
 * How `claude` is called (cli-engines.md §2). What is not said there was measured with 2.1.197 against a server on loopback.
 *
 * 1. The prompt comes by standard input and arrives at the model byte for byte: a leading `-`, NUL, white space at both ends, 5 MB. As an
 *    argument it would end at 128 KiB, and a NUL could not stand in it.
 * 2. What the program would not hand to the model is refused: a command of its own, and more than it reads.
 */

/**
 * - `CLAUDE_CODE_MAX_RETRIES` 0: a failure is told at once instead of after three minutes, and waits and failover are ours. With 1 it would
 *   ask again in a moment when the server has just said how long to wait.
 * - `CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK`: otherwise an answer that breaks off is asked for again without a stream and reported as a
 *   success, which a reader sees twice and which costs twice.
 * - The rest: a run does nothing beside the turn.
 */
export const CLAUDE_ENVIRONMENT: Readonly<Record<string, string>> = {
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
}

/**
 * Its own, and what its Bedrock, Vertex and Foundry modes read beside their keys. Not `AWS_*`: a host on Lambda has a dozen more of them. Not
 * `CLAUDECODE`, which a host has that was started by a claude of its own, and which makes this one refuse to start.
 */
export const CLAUDE_VARIABLES: readonly string[] = [
  ...['ANTHROPIC_*', 'CLAUDE_*'],
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
  ...['AWS_ROLE_ARN', 'AWS_ROLE_SESSION_NAME', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
  ...['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'],
  ...['CLOUD_ML_REGION', 'VERTEX_REGION_*', 'GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_QUOTA_PROJECT'],
  ...['GCLOUD_PROJECT', 'CLOUDSDK_CONFIG', 'AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_FEDERATED_TOKEN_FILE'],
]

/**
 * The keys of those clouds, each where its mode is on. Elsewhere they are those of a Bedrock profile or of the host's own work, and an agent
 * that runs commands has no business with them. A mode that only the settings of claude turn on is not seen here: `cli.env` gives the key.
 */
export const CLAUDE_SWITCHED: readonly SwitchedVariables[] = [
  {
    by: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_MANTLE', 'CLAUDE_CODE_USE_ANTHROPIC_AWS'],
    variables: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
  },
  { by: ['CLAUDE_CODE_USE_FOUNDRY'], variables: ['AZURE_CLIENT_SECRET'] },
]

/**
 * Beside a key it sends the token too, or asks a cloud instead of the service that the key is for (measured with 2.1.197: `Authorization` of
 * the host next to `x-api-key` of the profile).
 */
export const CLAUDE_SIGN_IN: readonly string[] = ['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_*']

/** An argument ends at 128 KiB on Linux, and all of them together at 1 MiB on macOS. */
const ARGUMENT_BYTES = 100_000

/** What it reads of standard input; beyond that it says "piped stdin input exceeds 10MB" and exits. It counts characters, not bytes. */
const INPUT_CHARACTERS = 10 * 1024 * 1024

/**
 * A first word of this form is looked up among its commands, and one that is none is answered "Unknown command", exit 0, without the model.
 * `/etc/hosts` is text to it, and so is what has white space in front; but a space put there would make another prompt.
 */
const OWN_COMMAND = /^\/[\w:-]+(?:\s|$)/

export function claudeInvocation({ mode, model, system, prompt, options }: CliAsk): Invocation {
  refuseOptions(options, 'claude', ['reasoningEffort'])
  const isArgument = system !== null && !system.includes('\0') && Buffer.byteLength(system) <= ARGUMENT_BYTES
  const stdin = isArgument ? prompt : behindSystem(system, prompt)
  if (OWN_COMMAND.test(stdin))
    throw new CannotSend('claude takes a prompt that begins with `/` and a word for a command of its own; put something in front of it')
  if (stdin.length > INPUT_CHARACTERS)
    throw new CannotSend(`claude reads at most ${INPUT_CHARACTERS} characters of a prompt and this one has ${stdin.length}; shorten it`)
  return {
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...(mode === 'stream' ? ['--include-partial-messages'] : []),
      ...(model === null ? [] : ['--model', model]),
      ...(isArgument ? ['--append-system-prompt', system] : []),
      ...(options.reasoningEffort === undefined ? [] : ['--effort', options.reasoningEffort]),
    ],
    stdin,
  }
}
