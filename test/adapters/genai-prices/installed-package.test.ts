import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installedPackage } from '../../../src/adapters/genai-prices/installed-package.ts'
import { folder } from '../../runtime/ledger-file/rig.ts'

/** A folder in which a package of that name is installed, with this package.json. */
function installedIn(described: string): string {
  const home = folder()
  const root = join(home, 'node_modules', '@pydantic', 'genai-prices')
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'package.json'), described)
  writeFileSync(join(root, 'dist', 'index.cjs'), 'throw new Error("loaded")')
  return join(home, 'asks.js')
}

describe('the package of prices', () => {
  it('is absent where it is not installed', () => {
    expect(installedPackage(join(folder(), 'asks.js'))).toBeNull()
  })

  it('is looked for without being loaded, and has the version that stands in its package.json', () => {
    const from = installedIn('{"name":"@pydantic/genai-prices","version":"9.8.7","main":"dist/index.cjs"}')
    const found = installedPackage(from)
    expect(found?.version).toBe('9.8.7')
    expect(() => found?.load()).toThrow('loaded')
  })

  it.each(['{"name":"@pydantic/genai-prices","main":"dist/index.cjs"}', '{"name":"other","version":"1.0.0","main":"dist/index.cjs"}'])(
    'has no version where none is told: %s',
    (described) => {
      expect(installedPackage(installedIn(described))?.version).toBeNull()
    },
  )
})
