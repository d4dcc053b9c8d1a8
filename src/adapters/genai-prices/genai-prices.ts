import type { PriceAsk, PriceBook } from '../../model/price.ts'
import { PICO_PER_USD, type Usage } from '../../model/usage.ts'
import { RelevoError } from '../../runtime/errors.ts'
import { type GenaiPrices, type InstalledPackage, installedPackage } from './installed-package.ts'
import { paidTo } from './paid-to.ts'

export interface GenaiPricesOptions {
  /**
   * Whose prices hold for a profile, by its id: the provider as the package names it (`openai`, `anthropic`, `google`, `aws` …). For an address that
   * is not its provider's own, such as that of a proxy, which has no price otherwise; none when left out.
   */
  readonly providers?: Readonly<Record<string, string>> | undefined
}

/**
 * A price book on the data of the package `@pydantic/genai-prices`, which is to be installed beside relevo; throws a RelevoError with the code
 * `no_price_package` when it is not. It knows what that version of the package knew: nothing is fetched.
 */
export function genaiPrices(options: GenaiPricesOptions = {}): PriceBook {
  return bookOn(installedPackage(), options)
}

/** The same where the package is installed, null where it is not. */
export function installedGenaiPrices(options: GenaiPricesOptions = {}): PriceBook | null {
  const found = installedPackage()
  return found === null ? null : bookOn(found, options)
}

/**
 * The book on a package that was found.
 *
 * 1. Who is paid is said by the address of the profile (see paid-to.ts) or by the host, never by the family or by the name of the model.
 * 2. What the package has no rate for is unknown: it reckons a model with an empty table, and tokens without a rate, as free.
 * 3. Counts that it refuses, as when more was cached than sent, cost what nobody knows; the model is known all the same.
 */
export function bookOn(found: InstalledPackage | null, { providers = {} }: GenaiPricesOptions): PriceBook {
  if (found === null) throw new RelevoError('no_price_package', NOT_INSTALLED)
  const { version, load } = found
  const names = new Map<string, string | null>()
  const nameOf = (provider: string, { model, at }: PriceAsk): string | null => {
    const key = JSON.stringify([provider, model])
    const present = names.get(key)
    if (present !== undefined) return present
    if (names.size === MOST_NAMES) names.clear()
    const name = knownAs(load(), provider, model, at)
    names.set(key, name)
    return name
  }
  return {
    source: 'genai-prices',
    version,
    quote(ask) {
      const { id, endpoint } = ask.profile
      const provider = Object.hasOwn(providers, id) ? (providers[id] ?? null) : paidTo(endpoint)
      const model = provider === null ? null : nameOf(provider, ask)
      if (provider === null || model === null) return null
      return { costPicoUsd: ask.usage === null ? null : costOf(load(), provider, ask.model, ask.usage, ask.at), model }
    },
  }
}

const NOT_INSTALLED =
  'relevo/genai-prices: the package @pydantic/genai-prices is not installed. Install it beside relevo: npm install @pydantic/genai-prices'

/** Callers may name ever more models. Finding one takes a tenth of a millisecond, and every turn asks for all of its plan. */
const MOST_NAMES = 1_000

/** The name under which the package has a model with a rate for tokens. Asked without counts, since those may be refused. */
function knownAs({ calcPrice }: GenaiPrices, provider: string, model: string, at: number): string | null {
  try {
    const known = calcPrice({}, model, { providerId: provider, timestamp: new Date(at) })
    return known === null || known.model_price['input_mtok'] === undefined ? null : known.model.id
  } catch {
    // Rates that contradict each other are none.
    return null
  }
}

/** Input counts cached tokens there as here. What was written to a cache is not told apart here, and has the rate of other input. */
function costOf({ calcPrice }: GenaiPrices, provider: string, model: string, { input, output, cachedInput = 0 }: Usage, at: number): number | null {
  if (input === undefined || output === undefined) return null
  try {
    const counts = { input_tokens: input, output_tokens: output, cache_read_tokens: cachedInput }
    const price = calcPrice(counts, model, { providerId: provider, timestamp: new Date(at) })
    // A model that answers nothing, such as one for embeddings, has no rate for answers.
    if (price === null || (output > 0 && price.model_price['output_mtok'] === undefined)) return null
    return Math.round(price.total_price * PICO_PER_USD)
  } catch {
    return null
  }
}
