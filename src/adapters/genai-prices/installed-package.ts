import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The package of prices where it is installed; whoever has it not needs it not.
 *
 * 1. Looked for when a book is made, and loaded with the first question: it is two megabytes, and takes as long as the start of this program.
 * 2. Loaded as the copy that other modules do not import: prices that somebody brings up to date there have no version that a row could name.
 */
export type GenaiPrices = typeof import('@pydantic/genai-prices')

export interface InstalledPackage {
  readonly version: string | null
  load(): GenaiPrices
}

const NAME = '@pydantic/genai-prices'

/** Null where it is not installed. `from` is a file or folder to look for it from; this module where it is left out. */
export function installedPackage(from: string | URL = import.meta.url): InstalledPackage | null {
  const require = createRequire(from)
  let entry: string
  try {
    entry = require.resolve(NAME)
  } catch {
    return null
  }
  let loaded: GenaiPrices | null = null
  return {
    version: versionBeside(entry),
    load: () => {
      loaded ??= require(entry) as GenaiPrices
      return loaded
    },
  }
}

/** It does not export its package.json, which stands in a folder above. */
function versionBeside(entry: string): string | null {
  for (let folder = dirname(entry); dirname(folder) !== folder; folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown; version?: unknown }
      if (name === NAME) return typeof version === 'string' ? version : null
    } catch {}
  }
  return null
}
