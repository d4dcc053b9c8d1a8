// Deletes each edge of each chart and turns each decision of each policy function round, one at a time, runs the scenarios against it and
// prints what nobody noticed. It informs and judges nothing: the exit code is 0 unless the sources as they stand are noticed.
//
//   npm run mutate -- [--only PATH_PART] [--json FILE]
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Order, readDocuments } from './documents.mjs'
import { chartMutations, isInChart } from './find-chart.mjs'
import { policyMutations } from './find-policy.mjs'
import { Passes } from './passes.mjs'
import { table, totals } from './report.mjs'
import { mutated, programOf, readSources } from './source.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CHARTS = ['machines/turn.ts', 'machines/stream.ts', 'machines/engine.ts', 'machines/supervisor.ts']
const DOCUMENT_LIMIT_MS = 5000

function findMutations(sources, only) {
  const policy = readdirSync(join(root, 'src/policy'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => `src/policy/${name}`)
  const files = [...CHARTS, ...policy]
  const program = programOf(root, files, sources)
  const checker = program.getTypeChecker()
  const all = files.flatMap((file) => {
    const source = program.getSourceFile(join(root, file))
    const isChart = CHARTS.includes(file)
    const found = [...(isChart ? chartMutations(root, source) : []), ...policyMutations(root, source, checker, isChart ? isInChart : undefined)]
    return found.map(({ edits, ...mutation }) => ({ ...mutation, text: mutated(source.text, edits) }))
  })
  return all.filter((each) => `${each.file}:${each.line}`.includes(only))
}

async function judgeAll(mutations, documents, passes) {
  const order = new Order(documents.length)
  const began = performance.now()
  const judged = []
  for (const mutation of mutations) {
    const path = join(root, mutation.file)
    const noticed = await passes.run({ path, text: mutation.text }, order.of(mutation.file))
    const place = documents.findIndex((each) => each.id === noticed?.id)
    if (place !== -1 && !noticed.ended) order.noticed(mutation.file, place)
    judged.push({ ...withoutText(mutation), noticed })
    if (judged.length % 25 === 0 || judged.length === mutations.length) {
      const unnoticed = judged.filter((each) => each.noticed === null).length
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      console.log(`${String(judged.length).padStart(4)} of ${mutations.length}  ${unnoticed} unnoticed  ${seconds} s  ${mutation.file}`)
    }
  }
  return judged
}

const withoutText = ({ text, ...mutation }) => mutation

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, json: { type: 'string' } } })
const documents = readDocuments(root)
const sources = readSources(root, ['machines', 'src', 'test/simulate'])
const mutations = findMutations(sources, values.only)
const passes = new Passes(root, sources, documents, DOCUMENT_LIMIT_MS)
try {
  const sound = await passes.run(null, [...documents.keys()])
  if (sound !== null) {
    console.error(`The sources as they stand are noticed by ${sound.id}, which ${sound.how}; mend that first.`)
    process.exitCode = 1
  } else {
    console.log(`${mutations.length} mutations, ${documents.length} documents`)
    const judged = await judgeAll(mutations, documents, passes)
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(judged, null, 2)}\n`)
    console.log(`\n${table(judged)}\n\n${totals(judged)}`)
  }
} finally {
  await passes.close()
}
