// relevo beside the libraries that people use for this: what each makes of a cut stream, of a failure in mid-stream and of a limited
// provider, and what an answer costs. The peers are packages of test/bench/peers, installed there when they are not.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compare, inParallel, startProvider } from './measure.mjs'

const folder = new URL('peers/', import.meta.url)
const installed = () => existsSync(new URL('node_modules/.package-lock.json', folder))

if (!installed()) {
  console.log('  installing the peers in test/bench/peers …')
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fileURLToPath(folder), stdio: 'inherit' })
  if (status !== 0) {
    console.error('  the peers cannot be installed, so nothing is measured; `npm ci` in test/bench/peers says why')
    process.exit(1)
  }
}

const { asked, subjects } = await import(new URL('subjects.mjs', folder).href)

/** Starts the provider that fails on purpose; resolves to its address and an end. */
async function startFaultyProvider() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('faulty-provider.mjs', folder))], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
  return { address: `http://127.0.0.1:${port}`, end: () => child.kill() }
}

/** Asks a subject that was opened on these addresses `times` at once. */
async function ask(subject, addresses, times = 1) {
  const opened = subject.open(addresses)
  const answers = await Promise.all(Array.from({ length: times }, () => asked(subject, opened)))
  await subject.close?.(opened)
  return answers
}

const CUTS = 40

/** Clean ends all over the text, between events and inside them. */
function cutsOf({ starts }) {
  const places = []
  for (let cut = 0; cut < CUTS; cut += 1) {
    const event = Math.floor((cut * (starts.length - 1)) / CUTS)
    places.push(cut % 2 === 0 ? starts[event] : Math.floor((starts[event] + starts[event + 1]) / 2))
  }
  return places
}

/** (a) The share of cut streams that pass for an answer: nothing told of a failure, and text is missing. `stop`: the finish reason said so too. */
async function truncations(subject, { address, facts }) {
  const places = cutsOf(facts)
  let [silent, stop] = [0, 0]
  for (const at of places) {
    const [answer] = await ask(subject, [`${address}/cut-${at}`])
    if (answer.failed || answer.text === facts.text) continue
    silent += 1
    if (['stop', 'ok'].includes(answer.finish)) stop += 1
  }
  return { silent: silent / places.length, stop: stop / places.length }
}

/** (b) Half of the text, then a failure, and a healthy provider beside it: does a reader get the beginning twice? */
async function duplicates(subject, { address, facts }) {
  const half = Math.floor(facts.starts.length / 2)
  const told = []
  for (const fault of [`reset-${facts.starts[half]}`, `error-${half}`, `cut-${facts.starts[half]}`]) {
    const [answer] = await ask(subject, [`${address}/${fault}`, `${address}/whole`])
    told.push(answer.text.split('token 0 ').length > 2)
  }
  return told
}

/** (c) Five at once, the first provider limited, the second healthy. */
async function limited(subject, { address, facts }) {
  const answers = await ask(subject, [`${address}/limited`, `${address}/whole`], 5)
  return answers.filter((answer) => !answer.failed && answer.text === facts.text).length
}

const percent = (share) => `${Math.round(share * 100)} %`

async function behaviour() {
  const provider = await startFaultyProvider()
  const facts = await (await fetch(`${provider.address}/facts`)).json()
  const setting = { ...provider, facts }
  const rows = []
  for (const subject of subjects) {
    const cut = await truncations(subject, setting)
    const twice = subject.falls ? await duplicates(subject, setting) : null
    const served = subject.falls ? await limited(subject, setting) : null
    rows.push({ name: subject.name, ours: subject.ours === true, cut, twice, served })
  }
  provider.end()
  return rows
}

const WIDTH = 32
const ANSWERS = 64
const ROUNDS = 5
/** Laps before the first round. */
const WARM = 2

/** (d) CPU of an answer of 500 events by name, as a multiple of ours. */
async function costs() {
  const provider = await startProvider()
  const opened = subjects.flatMap((subject) => (subject.costsAsAnother ? [] : [{ subject, model: subject.open([`${provider.address}/500`]) }]))
  const contenders = opened.map(({ subject, model }) => {
    const once = async () => {
      const { failed, text } = await asked(subject, model)
      if (failed || !text.endsWith('token 499 ')) throw new Error(`${subject.name} gave no whole answer`)
    }
    return { name: subject.name, run: () => inParallel(once, ANSWERS, WIDTH).then(() => ANSWERS) }
  })
  const rows = await compare(contenders, ROUNDS, WARM)
  for (const { subject, model } of opened) await subject.close?.(model)
  provider.end()
  return new Map(rows.map((row) => [row.name, row]))
}

/** Goal of (d): how many times our CPU a peer takes at the least. */
const GOALS = { 'ai streamText': 6, 'ai-fallback doStream': 3, 'openai SDK': 1 / 0.6, 'LangChain withFallbacks': 5 }

function print(rows, costed) {
  const titles = ['', '(a) cut, no error', 'and says stop', '(b) reset/error/cut', '(c) served', '(d) µs CPU', 'times ours', 'goal']
  const lines = rows.map(({ name, cut, twice, served }) => [
    name,
    percent(cut.silent),
    percent(cut.stop),
    twice === null ? '–' : twice.map((each) => (each ? 'twice' : 'once')).join('/'),
    served === null ? '–' : `${served} of 5`,
    ...costCells(name, costed.get(name)),
  ])
  const widths = titles.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)))
  for (const line of [titles, ...lines])
    console.log(
      `  ${line
        .map((each, column) => each.padEnd(widths[column]))
        .join('  ')
        .trimEnd()}`,
    )
}

function costCells(name, cost) {
  if (cost === undefined) return ['–', '–', '']
  const { us, ratio, low, high } = cost
  const goal = GOALS[name] === undefined ? '' : `≥ ${GOALS[name].toFixed(2)}${ratio < GOALS[name] ? ', missed' : ''}`
  return [us.toFixed(0), `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`, goal]
}

const rows = await behaviour()
const costed = await costs()
print(rows, costed)
console.log('  goals of ours: (a) 0 %, (b) never twice, (c) 5 of 5; (d) is a figure of this machine at this moment')
const broken = rows.filter(({ ours, cut, twice, served }) => ours && (cut.silent > 0 || twice.includes(true) || served !== 5))
for (const { name } of broken) console.error(`  ${name} misses a goal of (a), (b) or (c)`)
if (broken.length > 0) process.exitCode = 1
