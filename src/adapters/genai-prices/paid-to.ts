/**
 * Who is paid for what is sent to an address, as the package names providers; null for an address of nobody it has prices of.
 *
 * 1. The address decides, and not the family: a family is a word of the operator's, and whoever only speaks like OpenAI at another address has
 *    prices of its own.
 * 2. The host is taken from the parsed address and compared as a whole. The patterns that the package has for this look for a piece of the
 *    text, and would find `https://api.openai.com.evil.example` too.
 */
export function paidTo(endpoint: string | null): string | null {
  if (endpoint === null || !URL.canParse(endpoint)) return null
  // A name may end in the dot of the root, and is the same name.
  const host = new URL(endpoint).hostname.replace(/\.$/, '')
  return HOSTS.get(host) ?? HOSTS_OF_CUSTOMERS.find(([hosts]) => hosts.test(host))?.[1] ?? null
}

const HOSTS: ReadonlyMap<string, string> = new Map([
  ['api.openai.com', 'openai'],
  ['api.anthropic.com', 'anthropic'],
  ['generativelanguage.googleapis.com', 'google'],
  ['openrouter.ai', 'openrouter'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral'],
  ['api.deepseek.com', 'deepseek'],
  ['api.x.ai', 'x-ai'],
  ['api.z.ai', 'zai'],
])

/** A service with a host for each customer or region. */
const HOSTS_OF_CUSTOMERS: readonly (readonly [RegExp, string])[] = [
  [/^[a-z0-9-]+\.openai\.azure\.com$/, 'azure'],
  [/^bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com$/, 'aws'],
]
