import { CannotSend } from '../../cannot-send.ts'
import type { CliAsk, Invocation } from '../program.ts'
import { behindSystem, refuseOptions } from '../prompt.ts'

/**
 * How the Gemini CLI is called (cli-engines.md §4); what is not said there stands in its sources (google-gemini/gemini-cli).
 *
 * 1. The prompt comes by standard input, without `-p`: there it is the whole prompt, untrimmed, and neither a leading `-`, NUL nor its length
 *    matter up to 8 MiB, beyond which it is cut off without a word to us (utils/readStdin.ts). That is refused.
 * 2. What it would take for one of its commands is refused: text that begins with `/`, but for `//` and the opening of a comment
 *    (ui/utils/commandUtils.ts).
 *
 * `@` before the path of a file has it read in, as a person who types it would want; a path that does not exist leaves the text as it is
 * (ui/hooks/atCommandProcessor.ts). That cannot be turned off, and refusing every prompt with an `@` would refuse addresses and annotations.
 *
 * Neither a flag nor a variable turns off its own retries; settings do (defaults.ts).
 */
const INPUT_BYTES = 8 * 1024 * 1024

const OWN_COMMAND = /^\/(?![/*])/

/** Its own, and those by which it signs in with Vertex AI and Cloud Shell. */
export const GEMINI_VARIABLES: readonly string[] = ['GEMINI_*', 'GOOGLE_*', 'GCLOUD_PROJECT', 'CLOUDSDK_*', 'CLOUD_SHELL', 'DBUS_SESSION_BUS_ADDRESS']

/** By these it would go to Vertex AI or Code Assist as the host, whatever key it has beside them. */
export const GEMINI_SIGN_IN: readonly string[] = ['GOOGLE_GENAI_USE_*', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_ACCESS_TOKEN']

export function geminiInvocation({ model, system, prompt, options }: CliAsk): Invocation {
  refuseOptions(options, 'gemini-cli', [])
  const text = behindSystem(system, prompt)
  if (OWN_COMMAND.test(text))
    throw new CannotSend('gemini takes a prompt that begins with `/` for a command of its own; put something in front of it')
  const bytes = Buffer.byteLength(text)
  if (bytes > INPUT_BYTES) throw new CannotSend(`gemini reads ${INPUT_BYTES} bytes of a prompt, and this one has ${bytes}; shorten it`)
  return { args: ['-o', 'stream-json', '--skip-trust', ...(model === null ? [] : ['-m', model])], stdin: text }
}
