// Builds when dist/ is missing or older than anything it is made from, so that `npm start` is quick the second time and never shows old code.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = ['src', 'machines', 'package.json', 'package-lock.json', 'tsconfig.json', '.tsdown.config.ts']

/** Newest change under a path, epoch ms. Folders count too: a deleted file changes only its folder. */
function newestChange(path) {
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestChange(join(path, name))), entry.mtimeMs)
}

const built = statSync(join(root, 'dist', 'cli.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
if (SOURCES.some((source) => newestChange(join(root, source)) > built)) {
  console.error('building relevo (dist/ is missing or older than its sources)')
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  process.exitCode = status ?? 1
}
