// Holds a vitest that is asked about one mutation after another, in a process of its own, which can be ended when a mutation does not.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'

const root = process.cwd()
const scratch = mkdtempSync(join(tmpdir(), 'relevo-mutation-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
// The configuration reads it again for every module that it loads.
process.env.RELEVO_MUTATION = join(scratch, 'mutation.json')
writeFileSync(process.env.RELEVO_MUTATION, 'null')

const silent = { onInit() {} }
const vitest = await createVitest('test', { config: 'test/mutation/vitest.config.ts', watch: false, bail: 1, reporters: [silent] })
await vitest.standalone()
const tests = await vitest.globTestSpecifications(process.argv.slice(2))
let last = null

process.on('message', async (mutation) => {
  writeFileSync(process.env.RELEVO_MUTATION, JSON.stringify(mutation))
  for (const each of [last, mutation]) if (each !== null) vitest.invalidateFile(each.path)
  last = mutation
  process.send(firstFailure(await vitest.runTestSpecifications(tests)))
})
process.send('ready')

function firstFailure({ testModules, unhandledErrors }) {
  for (const module of testModules) {
    const name = relative(root, module.moduleId)
    for (const test of module.children.allTests('failed')) return `${name} > ${test.fullName}`
    if (module.errors().length > 0) return `${name} > (does not load)`
  }
  return unhandledErrors.length > 0 ? '(an error that no test caught)' : null
}
