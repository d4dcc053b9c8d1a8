import { readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../vitest.config.ts'

// The tests as they are, over sources of which one file is exchanged: RELEVO_MUTATION names a JSON file with its path and its text.
const { path, text } = JSON.parse(readFileSync(process.env['RELEVO_MUTATION'] ?? '', 'utf8')) as { path: string; text: string }

export default defineConfig((env) =>
  mergeConfig(base(env), {
    // One process for all files: a mutation is only looked at, so what a file leaves behind spoils nothing that is kept.
    test: { pool: 'threads', isolate: false },
    plugins: [{ name: 'mutation', enforce: 'pre' as const, load: (id: string) => (id.split('?')[0] === path ? text : null) }],
  }),
)
