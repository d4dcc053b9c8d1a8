import { familyOf } from '../model/plan.ts'

/**
 * What a family stands for when a profile does not say so itself (R39, T1). A family not listed is no error: such a profile names
 * its `api` and `endpoint`.
 */
export interface Family {
  /** Protocol the family speaks, or null when it is no HTTP service. */
  readonly api: string | null
  /** Usual address, without a trailing slash; null when it has none. `{alias}` in it is the alias of the profile. */
  readonly endpoint: string | null
  /** What an alias has to be to stand in the address, and what that is called; null where the address has no place for it. */
  readonly alias: { readonly fits: RegExp; readonly called: string; readonly example: string } | null
  readonly zone: 'local' | 'cloud'
  /** True when the engine keeps its own session and needs no credential. */
  readonly keyless: boolean
  /** It is a coding-agent CLI (T1). */
  readonly isProgram: boolean
}

function hosted(api: string, endpoint: string): Family {
  return { api, endpoint, alias: null, zone: 'cloud', keyless: false, isProgram: false }
}

/** A service with an address for each customer or region, which the alias names. */
function hostedAt(api: string, endpoint: string, alias: Family['alias']): Family {
  return { ...hosted(api, endpoint), alias }
}

/** A server on this machine that speaks the OpenAI chat protocol at its usual port. */
function local(port: number): Family {
  return { api: 'openai-chat', endpoint: `http://127.0.0.1:${port}/v1`, alias: null, zone: 'local', keyless: true, isProgram: false }
}

/** One label of a host name: nothing that could leave its place in an address. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const REGION = /^[a-z]{2,5}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/

/** A coding-agent CLI: no endpoint, its own login (T1, T22). */
const commandLine: Family = { api: null, endpoint: null, alias: null, zone: 'cloud', keyless: true, isProgram: true }

export const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ['openai', hosted('openai-chat', 'https://api.openai.com/v1')],
  ['anthropic', hosted('anthropic-messages', 'https://api.anthropic.com')],
  ['gemini', hosted('gemini', 'https://generativelanguage.googleapis.com')],
  ['openrouter', hosted('openai-chat', 'https://openrouter.ai/api/v1')],
  ['groq', hosted('openai-chat', 'https://api.groq.com/openai/v1')],
  ['mistral', hosted('openai-chat', 'https://api.mistral.ai/v1')],
  ['deepseek', hosted('openai-chat', 'https://api.deepseek.com')],
  ['xai', hosted('openai-chat', 'https://api.x.ai/v1')],
  ['zai', hosted('openai-chat', 'https://api.z.ai/api/paas/v4')],
  [
    'azure',
    hostedAt('openai-chat', 'https://{alias}.openai.azure.com/openai/v1', { fits: LABEL, called: 'the name of a resource', example: 'my-resource' }),
  ],
  [
    'bedrock',
    hostedAt('bedrock-converse', 'https://bedrock-runtime.{alias}.amazonaws.com', { fits: REGION, called: 'a region', example: 'eu-west-1' }),
  ],
  ['ollama', { ...local(11434), api: 'ollama', endpoint: 'http://127.0.0.1:11434' }],
  ['lmstudio', local(1234)],
  ['llamacpp', local(8080)],
  ['vllm', local(8000)],
  ['localai', local(8080)],
  ['claude', commandLine],
  ['codex', commandLine],
  ['agy', commandLine],
  ['gemini-cli', commandLine],
])

/** The usual address of a profile; null when its family has none, or its alias cannot stand in it. */
export function usualEndpoint(profile: string): string | null {
  const family = familyOf(profile)
  const known = FAMILIES.get(family)
  if (known === undefined || known.endpoint === null || known.alias === null) return known?.endpoint ?? null
  // Host names know no case.
  const alias = profile.slice(family.length + 1).toLowerCase()
  return known.alias.fits.test(alias) ? known.endpoint.replace('{alias}', alias) : null
}

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

/** The families that are coding-agent CLIs. */
export const CLI_FAMILIES: readonly string[] = [...FAMILIES].filter(([, family]) => family.isProgram).map(([name]) => name)
