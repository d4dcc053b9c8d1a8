// Runs documents against one mutation after another, in a thread that can be ended from outside when a mutation does not.
//
// 1. The place of the document in hand stands in shared memory, because a mutation that loops keeps this thread from saying anything.
// 2. A pass ends with the first document that notices.
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { linkerOf } from './linker.mjs'

const { root, sources, documents, progress } = workerData
const linked = linkerOf(sources)
let stray = null
process.on('uncaughtException', (error) => {
  stray = error
})

parentPort.on('message', async ({ changed, order }) => {
  stray = null
  parentPort.postMessage(await pass(changed, order))
})
load(null)
parentPort.postMessage('ready')

function load(changed) {
  const from = linked(changed)
  const room = (name) => from(join(root, 'src/simulate', `${name}.ts`))
  const test = (name) => from(join(root, 'test/simulate', `${name}.ts`))
  const calls = { ...room('simulate'), ...room('scenario'), ...test('watch') }
  const teams = { ...room('simulate-team'), ...room('team-scenario'), ...test('team-laws') }
  return { ...room('match'), ...calls, ...teams }
}

/** The first document that notices, as `{ id, how }`, or null. */
async function pass(changed, order) {
  let subject
  try {
    subject = load(changed)
  } catch (error) {
    return { id: '(load)', how: `does not load: ${error.message}` }
  }
  for (const place of order) {
    Atomics.store(progress, 1, place)
    Atomics.add(progress, 0, 1)
    const how = await noticed(subject, documents[place])
    if (how !== null) return { id: documents[place].id, how }
  }
  await new Promise((resolve) => setTimeout(resolve, 2))
  return stray === null ? null : { id: '(unhandled)', how: `threw unhandled: ${stray.message}` }
}

async function noticed(subject, document) {
  try {
    return await (document.kind === 'team' ? noticedByTeam(subject, document) : noticedByCalls(subject, document))
  } catch (error) {
    return `throws: ${error instanceof Error ? error.message : String(error)}`
  }
}

async function noticedByCalls({ readScenario, simulate, mismatches, Watch }, document) {
  const read = readScenario(document)
  if ('problems' in read) return `cannot be read: ${read.problems[0].path}`
  const watch = new Watch(read.scenario)
  const { trace, unscripted } = await simulate(read.scenario, watch.ports)
  const [first] = mismatches(document.expect, trace)
  if (first !== undefined) return `differs at ${first.path}`
  if (unscripted) return 'asks beyond the script'
  const [wrong] = watch.problems(trace)
  return wrong === undefined ? null : `does not agree with itself: ${wrong}`
}

async function noticedByTeam({ readTeamScenario, simulateTeam, mismatches, brokenLaws }, document) {
  const read = readTeamScenario(document)
  if ('problems' in read) return `cannot be read: ${read.problems[0].path}`
  const { trace, unscripted } = await simulateTeam(read.scenario)
  const [first] = mismatches(document.expect, trace)
  if (first !== undefined) return `differs at ${first.path}`
  if (unscripted) return 'asks beyond the script'
  if (trace.end.reason === 'cap') return 'comes to no end'
  const [wrong] = brokenLaws(read.scenario, trace)
  return wrong === undefined ? null : `breaks a law: ${wrong}`
}
