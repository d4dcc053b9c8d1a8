// Asks the other tests about one mutation: who notices it that no scenario can.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** The first test that fails over the mutated file, as `file > title`, or null. `places`: where tests are looked for. */
export async function noticingTest(root, { path, text }, places) {
  const scratch = mkdtempSync(join(tmpdir(), 'relevo-mutation-'))
  const [mutation, report] = [join(scratch, 'mutation.json'), join(scratch, 'report.json')]
  try {
    writeFileSync(mutation, JSON.stringify({ path, text }))
    const options = ['run', '--config', 'test/mutation/vitest.config.ts', '--bail', '1', '--reporter', 'json', '--outputFile', report]
    await ended(
      spawn(join(root, 'node_modules/.bin/vitest'), [...options, ...places], {
        cwd: root,
        stdio: 'ignore',
        env: { ...process.env, RELEVO_MUTATION: mutation },
      }),
    )
    return firstFailure(root, JSON.parse(readFileSync(report, 'utf8')))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function firstFailure(root, { testResults }) {
  for (const { name, status, assertionResults } of testResults) {
    const failed = assertionResults.find((each) => each.status === 'failed')
    if (failed !== undefined) return `${relative(root, name)} > ${failed.fullName}`
    if (status === 'failed') return `${relative(root, name)} > (does not load)`
  }
  return null
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
}
