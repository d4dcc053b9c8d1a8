/**
 * What a family stands for when a profile does not say so itself (R39, T1). A family not listed is no error: such a profile names
 * its `api` and `endpoint`.
 */
export interface Family {
  /** Protocol the family speaks, or null when it is no HTTP service. */
  readonly api: string | null
  /** Usual address, without a trailing slash; null when it has none. */
  readonly endpoint: string | null
  readonly zone: 'local' | 'cloud'
  /** True when the engine keeps its own session and no credential is handed to it. */
  readonly keyless: boolean
}

function hosted(api: string, endpoint: string): Family {
  return { api, endpoint, zone: 'cloud', keyless: false }
}

/** A server on this machine that speaks the OpenAI chat protocol at its usual port. */
function local(port: number): Family {
  return { api: 'openai-chat', endpoint: `http://127.0.0.1:${port}/v1`, zone: 'local', keyless: true }
}

/** A command line engine: no endpoint, its own login (T1, T22). */
const commandLine: Family = { api: null, endpoint: null, zone: 'cloud', keyless: true }

export const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ['openai', hosted('openai-chat', 'https://api.openai.com/v1')],
  ['anthropic', hosted('anthropic-messages', 'https://api.anthropic.com')],
  ['ollama', local(11434)],
  ['lmstudio', local(1234)],
  ['llamacpp', local(8080)],
  ['vllm', local(8000)],
  ['localai', local(8080)],
  ['claude', commandLine],
  ['codex', commandLine],
  ['agy', commandLine],
  ['gemini-cli', commandLine],
])

/**
 * The zone of a profile that does not state one (R39): local by its family or by a loopback host. The host is taken from the parsed
 * address, never matched as text: `127.evil.example` is a name somebody else owns.
 */
export function zoneOf(family: string, endpoint: string | null): 'local' | 'cloud' {
  if (FAMILIES.get(family)?.zone === 'local') return 'local'
  if (endpoint === null || !URL.canParse(endpoint)) return 'cloud'
  const host = new URL(endpoint).hostname
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host) ? 'local' : 'cloud'
}
