// S6, S7, S10, S12: what a turn costs without provider work, how that grows with turns in flight, what a failed attempt adds, and what
// 100,000 turns leave behind.
import { Observable } from 'rxjs'
import { createKernel } from '../../dist/index.js'
import { compare, inParallel, median, print } from './measure.mjs'

const MESSAGES = [{ role: 'user', content: 'x' }]
const TEXT = { type: 'text', text: 'hi' }
const FINAL = { type: 'final', finish: 'stop', terminated: true }
const FAILED = {
  type: 'failed',
  failure: { kind: 'server_error', phase: 'call', message: 'down', status: 503, code: null, retryAfterMs: null, resetAt: null },
}

const answering = {
  attempt: () =>
    new Observable((subscriber) => {
      subscriber.next(TEXT)
      subscriber.next(FINAL)
      subscriber.complete()
    }),
}

const failing = {
  attempt: () =>
    new Observable((subscriber) => {
      subscriber.next(FAILED)
      subscriber.complete()
    }),
}

function kernelWith(failures) {
  const profiles = {}
  for (let at = 0; at < failures; at += 1) profiles[`a.p${at}`] = { model: 'm', apiKey: 'k', fallback: [] }
  profiles['a.last'] = { model: 'm', apiKey: 'k' }
  const ids = Object.keys(profiles)
  profiles[ids[0]].fallback = ids.slice(1)
  const engines = (profile) => (profile.id === 'a.last' ? answering : failing)
  return createKernel({ primary: ids[0], profiles, reliability: { providerRetries: 0 } }, { engines })
}

const turns = (kernel, count, width) => async () => {
  await inParallel(() => kernel.turn({ messages: MESSAGES }).outcome, count, width)
  return count
}

/** Holds `count` turns in flight, then answers them all; µs CPU a turn, or the bytes that each holds, which only a collection can tell. */
async function inFlight(count, weigh = false) {
  const waiting = []
  const held = { attempt: () => new Observable((subscriber) => void waiting.push(subscriber)) }
  const kernel = createKernel({ primary: 'a.last', profiles: { 'a.last': { model: 'm', apiKey: 'k' } } }, { engines: () => held })
  const outcomes = []
  const heap = weigh ? heapUsed() : 0
  const before = process.cpuUsage()
  for (let at = 0; at < count; at += 1) outcomes.push(kernel.turn({ messages: MESSAGES }).outcome)
  await Promise.resolve()
  const opened = process.cpuUsage(before)
  const bytes = weigh ? (heapUsed() - heap) / count : 0
  const again = process.cpuUsage()
  for (const subscriber of waiting) {
    subscriber.next(TEXT)
    subscriber.next(FINAL)
    subscriber.complete()
  }
  await Promise.all(outcomes)
  const closed = process.cpuUsage(again)
  await kernel.stop()
  return { us: (opened.user + opened.system + closed.user + closed.system) / count, bytes }
}

function heapUsed() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const plain = kernelWith(0)
await turns(plain, 20_000, 64)()
const rows = await compare([
  { name: 'one turn, 1 in flight', run: turns(plain, 2_000, 1) },
  { name: 'one turn, 256 in flight', run: turns(plain, 4_096, 256) },
  { name: 'one failed attempt before', run: turns(kernelWith(1), 2_000, 1) },
  { name: 'five failed attempts before', run: turns(kernelWith(5), 2_000, 1) },
])
print('orchestration, warm, µs CPU a turn', rows)
console.log(`    a further failed attempt adds ${((rows[3].us - rows[2].us) / 4 / rows[0].us).toFixed(2)} of a turn   goal ≤ 0.4`)

const growth = []
for (let round = 0; round < 7; round += 1) {
  const many = await inFlight(10_000)
  growth.push({ ratio: many.us / rows[0].us, us: many.us })
}
const weighed = []
for (let round = 0; round < 3; round += 1) weighed.push((await inFlight(10_000, true)).bytes)
const ratios = growth.map(({ ratio }) => ratio)
console.log(
  `  10,000 in flight against 1: ${median(growth.map(({ us }) => us)).toFixed(1)} µs a turn, ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})   goal ≤ 1.6`,
)
console.log(`  heap a turn in flight: ${(median(weighed) / 1024).toFixed(1)} KB   goal ≤ 8`)

const settled = async () => {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}
const mixed = kernelWith(1)
await turns(mixed, 5_000, 64)()
const before = await settled()
await turns(mixed, 100_000, 64)()
console.log(`  100,000 turns leave ${(((await settled()) - before) / 1024).toFixed(0)} KB   goal ≤ 1024`)
