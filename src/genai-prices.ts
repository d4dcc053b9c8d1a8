/**
 * The door `relevo/genai-prices`: prices of models that the settings do not give, from the package `@pydantic/genai-prices`. Apart from `relevo/host`,
 * because that package is the user's to install.
 */

export { type GenaiPricesOptions, genaiPrices, installedGenaiPrices } from './adapters/genai-prices/genai-prices.ts'
