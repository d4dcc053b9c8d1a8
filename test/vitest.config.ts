import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `*.prove.test.ts` are the long proofs. They are named, not tagged, so that the file list alone shows what a run leaves out:
// the normal run takes everything but them, `--mode prove` (npm run prove) takes only them.
const PROOFS = 'test/**/*.prove.test.ts'

/** Takes the pictures of docs/images, when somebody asks for them (docs/page.md): each machine draws letters a little differently. */
const IMAGES = 'test/browser/page/images.ts'

const NOT_OURS = '**/node_modules/**'

/**
 * Files that put another module in the place of one, that count what a process holds, or that watch a browser: each has a worker of its own. The
 * others share theirs, so that a module is evaluated once a worker and not once a file, which was most of the time of a run.
 */
const ALONE = [
  'test/browser/page/*.test.ts',
  'test/cli/bounds.test.ts',
  'test/faces/demo.test.ts',
  'test/docs/examples.test.ts',
  'test/engines/faults.test.ts',
  'test/engines/loopback.test.ts',
  'test/runtime/team/supervised-secrecy.test.ts',
  'test/security/gateway-door.test.ts',
  'test/team-model/soak.test.ts',
]

/** Files that compare CPU times: nothing else of ours runs while they measure. */
const MEASURED = [
  'test/engines/cli/*/hostile.test.ts',
  'test/engines/cli/gemini-cli/held-text.test.ts',
  'test/engines/cli/notice/growth.test.ts',
  'test/engines/cli/prompt.test.ts',
  'test/engines/cli/reset/normalise.test.ts',
  'test/engines/http/failure-hostile.test.ts',
  'test/engines/http/hostile-histories.test.ts',
  'test/engines/http/transcript.test.ts',
  'test/faces/ai-sdk/hostile-parts.test.ts',
  'test/policy/team/{plays,mention}.test.ts',
  'test/runtime/thread/{read-thread,context}.test.ts',
]

const path = (below: string) => fileURLToPath(new URL(`../${below}`, import.meta.url))

export default defineConfig(({ mode }) => ({
  root: path(''),
  // The examples of docs/ import the package by its name; here that is the sources.
  resolve: {
    alias: [
      { find: /^relevo$/, replacement: path('src/index.ts') },
      { find: /^relevo\/testing$/, replacement: path('src/testing.ts') },
      { find: /^relevo\/otel$/, replacement: path('src/otel.ts') },
      { find: /^relevo\/ai-sdk$/, replacement: path('src/ai-sdk.ts') },
    ],
  },
  test:
    mode === 'prove' || mode === 'images'
      ? { include: [mode === 'prove' ? PROOFS : IMAGES], exclude: [NOT_OURS], testTimeout: 600_000 }
      : {
          testTimeout: 20_000,
          projects: [
            {
              extends: true,
              test: {
                name: 'shared',
                isolate: false,
                include: ['test/**/*.test.ts'],
                exclude: [NOT_OURS, PROOFS, ...ALONE, ...MEASURED],
                // One more than by default: many files wait for processes, which leaves a core free.
                maxWorkers: availableParallelism(),
                sequence: { groupOrder: 0 },
              },
            },
            { extends: true, test: { name: 'alone', include: ALONE, exclude: [NOT_OURS], maxWorkers: 1, sequence: { groupOrder: 1 } } },
            {
              extends: true,
              test: { name: 'measured', isolate: false, include: MEASURED, exclude: [NOT_OURS], maxWorkers: 1, sequence: { groupOrder: 2 } },
            },
          ],
        },
}))
