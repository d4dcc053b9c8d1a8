// Runs every test/bench/*.bench.mjs, or those whose name contains an argument, each in a process of its own:
// a benchmark that shares a heap and warm code with another measures the other too.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../bench', import.meta.url))
const wanted = process.argv.slice(2)
const found = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.bench.mjs')) : []
const chosen = found.filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part))).sort()

if (chosen.length === 0) {
  console.error(`no benchmark in test/bench matches ${wanted.join(', ') || '*.bench.mjs'}; there are: ${found.join(', ') || 'none'}`)
  process.exitCode = 2
}
for (const name of chosen) {
  console.log(`\n${name}`)
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(folder, name)], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
