// Holds a vitest that is asked about one mutation after another, in a process of its own, which can be ended when a mutation does not.
//
//   confirm-worker.mjs FILE TEST_PLACE …     FILE: where the configuration looks up the mutation for every module that it loads.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { createVitest } from 'vitest/node'

const root = process.cwd()
const [file, ...places] = process.argv.slice(2)
process.env.RELEVO_MUTATION = file
writeFileSync(file, 'null')
// Whoever asked is gone, and a test may be in a loop.
process.on('disconnect', () => process.exit())

const silent = { onInit() {} }
const vitest = await createVitest('test', { config: 'test/mutation/vitest.config.ts', watch: false, bail: 1, reporters: [silent] })
await vitest.standalone()
const tests = await vitest.globTestSpecifications(places)
let last = null

process.on('message', async (mutation) => {
  writeFileSync(file, JSON.stringify(mutation))
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
