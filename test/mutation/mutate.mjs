// Deletes each edge of each chart and turns each decision of each policy function round, one at a time, runs the scenarios against it and
// prints what nobody noticed. It informs and judges nothing: the exit code is 0 unless the sources as they stand are noticed.
//
//   npm run mutate -- [--only PATH_PART] [--survivors FILE] [--json FILE] [--confirm TEST_DIRECTORY …]
//
// --only: of these files or places (`src/policy/judge.ts:80`). --survivors: of an earlier --json those alone that survived.
// --confirm: every survivor is shown to the tests of these directories, a second or so each.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Confirmation } from './confirm.mjs'
import { Order, readDocuments } from './documents.mjs'
import { chartMutations, isInChart } from './find-chart.mjs'
import { policyMutations } from './find-policy.mjs'
import { Passes } from './passes.mjs'
import { table, totals } from './report.mjs'
import { mutated, programOf, readSources } from './source.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CHARTS = ['machines/turn.ts', 'machines/stream.ts', 'machines/engine.ts', 'machines/supervisor.ts', 'machines/team.ts']
const DOCUMENT_LIMIT_MS = 5000
/** More threads than this would hold more than they win: the sources are compiled in each. */
const THREADS = Math.min(availableParallelism(), 4)

function findMutations(sources, only) {
  const policy = readdirSync(join(root, 'src/policy'), { recursive: true })
    .map(String)
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

/** Goes through the mutations with all threads at once; the result is in the order of the mutations. */
async function judgeAll(mutations, documents, threads) {
  const order = new Order(documents)
  const began = performance.now()
  const judged = new Array(mutations.length)
  let [next, done, unnoticed] = [0, 0, 0]
  const work = async (passes) => {
    while (next < mutations.length) {
      const at = next++
      const { text, ...mutation } = mutations[at]
      const noticed = await passes.run({ path: join(root, mutation.file), text }, order.of(mutation.file))
      const place = documents.findIndex((each) => each.id === noticed?.id)
      if (place !== -1 && !noticed.ended) order.noticed(mutation.file, place)
      judged[at] = { ...mutation, noticed }
      if (noticed === null) unnoticed++
      if (++done % 25 === 0 || done === mutations.length) {
        const seconds = ((performance.now() - began) / 1000).toFixed(0)
        console.log(`${String(done).padStart(4)} of ${mutations.length}  ${unnoticed} unnoticed  ${seconds} s  ${mutation.file}`)
      }
    }
  }
  await Promise.all(threads.map(work))
  return judged
}

/** Shows the survivors to the other tests. */
async function confirmAll(judged, mutations, confirmation) {
  for (const [at, each] of judged.entries()) {
    if (each.noticed !== null) continue
    const test = await confirmation.noticingTest({ path: join(root, each.file), text: mutations[at].text })
    judged[at] = { ...each, test }
    console.log(`${each.file}:${each.line} ${each.what}: ${test ?? 'noticed by no test'}`)
  }
}

/** Who notices the sources as they stand, as a sentence, or null. */
async function unsoundness(documents, passes, confirmation) {
  const scenario = await passes.run(null, [...documents.keys()])
  if (scenario !== null) return `${scenario.id}, which ${scenario.how}`
  return confirmation === null ? null : confirmation.unsoundness()
}

const placeOf = ({ kind, file, what }) => `${kind} ${file} ${what}`

function earlierSurvivors(path) {
  const earlier = JSON.parse(readFileSync(path, 'utf8'))
  return new Set(earlier.filter((each) => each.noticed === null).map(placeOf))
}

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    survivors: { type: 'string' },
    json: { type: 'string' },
    confirm: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const documents = readDocuments(root)
const sources = readSources(root, ['machines', 'src', 'test/simulate'])
const wanted = values.survivors === undefined ? null : earlierSurvivors(values.survivors)
const mutations = findMutations(sources, values.only).filter((each) => wanted === null || wanted.has(placeOf(each)))
const threads = Array.from({ length: THREADS }, () => new Passes(root, sources, documents, DOCUMENT_LIMIT_MS))
const confirmation = values.confirm ? new Confirmation(root, positionals) : null
try {
  const unsound = await unsoundness(documents, threads[0], confirmation)
  if (unsound !== null) {
    console.error(`The sources as they stand are noticed by ${unsound}; mend that first.`)
    process.exitCode = 1
  } else {
    console.log(`${mutations.length} mutations, ${documents.length} documents`)
    const judged = await judgeAll(mutations, documents, threads)
    if (confirmation !== null) await confirmAll(judged, mutations, confirmation)
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(judged, null, 2)}\n`)
    console.log(`\n${table(judged)}\n\n${totals(judged)}`)
  }
} finally {
  confirmation?.close()
  await Promise.all(threads.map((each) => each.close()))
}
