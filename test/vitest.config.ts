import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `*.prove.test.ts` are the long proofs. They are named, not tagged, so that the file list alone shows what a run leaves out:
// the normal run takes everything but them, `--mode prove` (npm run prove) takes only them.
const PROOFS = 'test/**/*.prove.test.ts'

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    environment: 'node',
    include: mode === 'prove' ? [PROOFS] : ['test/**/*.test.ts'],
    exclude: mode === 'prove' ? ['**/node_modules/**'] : ['**/node_modules/**', PROOFS],
    testTimeout: mode === 'prove' ? 600_000 : 20_000,
  },
}))
