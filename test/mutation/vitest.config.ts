import { readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../vitest.config.ts'

// The tests as they are, over sources of which one file may be exchanged: RELEVO_MUTATION names a JSON file with its path and its text, or null.
const exchanged = (): { readonly path: string; readonly text: string } | null =>
  JSON.parse(readFileSync(process.env['RELEVO_MUTATION'] ?? '', 'utf8')) as { path: string; text: string } | null

function load(id: string): string | null {
  const mutation = exchanged()
  return mutation !== null && id.split('?')[0] === mutation.path ? mutation.text : null
}

export default defineConfig((env) =>
  mergeConfig(base(env), {
    // One process for all files: a mutation is only looked at, so what a file leaves behind spoils nothing that is kept.
    test: { pool: 'threads', isolate: false },
    plugins: [{ name: 'mutation', enforce: 'pre' as const, load }],
  }),
)
