import { ConfigError, type KernelConfig } from '../../src/index.ts'

export const PRICE = { input: 1, output: 2 }

/** A local route with a local and a cloud fallback, a cloud one, and two profiles that no route leads to. */
export const ROUTED: KernelConfig = {
  primary: 'cloud.main',
  profiles: {
    'cloud.main': { model: 'big', apiKey: 'k-cloud', price: { big: PRICE } },
    'ollama.home': { model: 'small', fallback: ['ollama.desk', 'cloud.main'], price: { small: PRICE, other: PRICE } },
    'ollama.desk': { model: 'tiny', price: { tiny: PRICE } },
    'ollama.shed': { model: 'tiny' },
    'cloud.keyless': { model: 'big' },
  },
  modelRoutes: [
    { hint: 'home', modelProvider: 'ollama.home', model: 'small' },
    { hint: 'away', modelProvider: 'cloud.main', model: 'big' },
  ],
  effortRouting: { localHint: 'home', cloudHint: 'away', escalation: 'auto' },
  reliability: { jitter: 0, providerRetries: 0 },
}

/** The codes of every problem that it is refused for; none when it is not. */
export const codesOf = (act: () => unknown): string[] => {
  try {
    act()
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.problems.map(({ code }) => code)
    throw error
  }
  return []
}
