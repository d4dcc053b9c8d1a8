// The whole truth about the tree, in one command: each step with its time, and at the first failure that step's output.
//
// 1. A step that passes prints one line; nothing is written over, so a log and a terminal read the same.
// 2. Both package checks look at one packed archive, which is what a user gets; packing runs no scripts, the build was a step of its own.
// 3. Colour only on a terminal.
// 4. Steps run one after another, cheap ones first: the first failure comes soon, and nothing else disturbs the test run.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'relevo-check-'))
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const archive = join(scratch, `${name}-${version}.tgz`)

const steps = [
  ['types', 'tsc --project . --noEmit'],
  // What runs in a browser has the names of one, and no other file has.
  ['types of the page', 'tsc --project src/faces/page/client --noEmit'],
  ['format and lint', 'biome check --error-on-warnings .'],
  ['dead code', 'knip'],
  ['build', 'npm run --silent build'],
  ['pack', `npm pack --silent --ignore-scripts --pack-destination "${scratch}"`],
  ['package shape', `publint --strict "${archive}"`],
  ['package types', `attw --profile esm-only "${archive}"`],
  ['size', 'size-limit'],
  ['tests', 'vitest run --config test/vitest.config.ts'],
]

/** The surroundings of a step: the project's own tools first on the path, and one answer to whether to colour. */
function environment() {
  const { FORCE_COLOR, NO_COLOR, ...inherited } = process.env
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  return { ...inherited, PATH: path, ...(process.stdout.isTTY && NO_COLOR === undefined ? { FORCE_COLOR: FORCE_COLOR ?? '1' } : { NO_COLOR: '1' }) }
}

/** Runs one command line; resolves with its exit code and everything it printed. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, shell: true, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }))
  })
}

/** The last line of a test run's output that counts tests, so that a passing run still says how many. */
function summaryOf(output) {
  const line = stripVTControlCharacters(output)
    .split('\n')
    .findLast((candidate) => /^\s*Tests\s/.test(candidate))
  return line === undefined ? '' : `  ${line.trim()}`
}

async function check() {
  const began = Date.now()
  for (const [title, command] of steps) {
    const from = Date.now()
    const { code, output } = await run(command)
    const seconds = ((Date.now() - from) / 1000).toFixed(1).padStart(6)
    console.log(`${code === 0 ? 'ok    ' : 'failed'} ${seconds} s  ${title}${code === 0 ? summaryOf(output) : ''}`)
    if (code !== 0) {
      console.log(`\n$ ${command}\n${output.trimEnd()}`)
      return 1
    }
  }
  console.log(`ok     ${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  everything`)
  return 0
}

try {
  process.exitCode = await check()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
