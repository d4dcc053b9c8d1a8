import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { ROOT } from '../../../architecture/source.ts'

/** What a host of its own needs, as plain JavaScript in `directory`: tests of a host that dies start one and end it. */
export async function bundleHost(directory: string): Promise<void> {
  const entry = join(directory, 'host-entry.ts')
  writeFileSync(
    entry,
    `export { ProcessTable } from ${JSON.stringify(`${ROOT}src/engines/cli/process/process-table.ts`)}
     export { systemClock } from ${JSON.stringify(`${ROOT}src/runtime/system-clock.ts`)}`,
  )
  await build({
    configFile: false,
    logLevel: 'silent',
    root: directory,
    build: { ssr: entry, outDir: directory, emptyOutDir: false, minify: false, rollupOptions: { output: { entryFileNames: 'host.mjs' } } },
  })
}
