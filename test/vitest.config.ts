import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `*.prove.test.ts` are the long proofs. They are named, not tagged, so that the file list alone shows what a run leaves out:
// the normal run takes everything but them, `--mode prove` (npm run prove) takes only them.
const PROOFS = 'test/**/*.prove.test.ts'

const path = (below: string) => fileURLToPath(new URL(`../${below}`, import.meta.url))

export default defineConfig(({ mode }) => ({
  root: path(''),
  // The examples of docs/ import the package by its name; here that is the sources.
  resolve: {
    alias: [
      { find: /^relevo$/, replacement: path('src/index.ts') },
      { find: /^relevo\/testing$/, replacement: path('src/testing.ts') },
    ],
  },
  test: {
    environment: 'node',
    include: mode === 'prove' ? [PROOFS] : ['test/**/*.test.ts'],
    exclude: mode === 'prove' ? ['**/node_modules/**'] : ['**/node_modules/**', PROOFS],
    testTimeout: mode === 'prove' ? 600_000 : 20_000,
  },
}))
