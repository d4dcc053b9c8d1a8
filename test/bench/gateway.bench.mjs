// S13–S15, S17: the gateway beside a `node:http` proxy that only pipes, and beside @portkey-ai/gateway, each in a process of its own before the
// same provider. CPU is that of their processes, by /proc; ratios are taken round by round.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { inParallel, median, startProvider } from './measure.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const peers = here('peers/')
if (!existsSync(join(peers, 'node_modules/@portkey-ai/gateway'))) {
  console.log('  installing the peers in test/bench/peers …')
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: peers, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

const TICK_US = 1e6 / Number(spawnSync('getconf', ['CLK_TCK']).stdout.toString())
const ROUNDS = 7
const scratch = mkdtempSync(join(tmpdir(), 'relevo-bench-'))
const provider = await startProvider()
const children = []

function begun(argv, env = {}) {
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } })
  children.push(child)
  return child
}

/** Resolves with the first line of a child that matches. */
function said(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const found = pattern.exec(text)
      if (found !== null) resolve(found[1])
    })
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${text}`)))
  })
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function startRelevo(work) {
  const file = join(scratch, `${work}.json`)
  const profile = { model: 'bench', apiKey: 'k', endpoint: `${provider.address}/${work}` }
  writeFileSync(file, JSON.stringify({ primary: 'openai.bench', profiles: { 'openai.bench': profile }, gateway: { port: 0 } }))
  const child = begun([here('../../dist/cli.js'), 'serve', '--config', file])
  return said(child, /(http:\/\/[\d.]+:\d+)/).then((address) => ({ name: 'relevo', child, url: `${address}/v1/chat/completions`, headers: {} }))
}

/** The same pipe on Hono, which is what the gateway does not stand on. */
function startHono(work) {
  const child = begun([join(peers, 'hono-proxy.mjs'), `${provider.address}/${work}`])
  return said(child, /(\d+)\n/).then((port) => ({ name: 'pipe on Hono', child, url: `http://127.0.0.1:${port}/v1/chat/completions`, headers: {} }))
}

function startPipe(work) {
  const child = begun([fileURLToPath(new URL('pipe-proxy.mjs', import.meta.url)), `${provider.address}/${work}`])
  return said(child, /(\d+)\n/).then((port) => ({ name: 'pipe proxy', child, url: `http://127.0.0.1:${port}/v1/chat/completions`, headers: {} }))
}

async function startPortkey(work) {
  const port = await freePort()
  const child = begun([join(peers, 'node_modules/@portkey-ai/gateway/build/start-server.js'), '--headless', `--port=${port}`], {
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost',
  })
  await said(child, /(Ready for connections)/)
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${provider.address}/${work}` }
  return { name: '@portkey-ai/gateway', child, url: `http://127.0.0.1:${port}/v1/chat/completions`, headers }
}

const agent = new Agent({ connections: 256 })

/** One request, read to its end; the bytes of the answer and the ms to the first of them. */
function ask(gateway, streams) {
  return answered(gateway, streams).catch((error) => {
    throw new Error(`${gateway.name} did not answer: ${error.message}`, { cause: error })
  })
}

async function answered({ url, headers }, streams) {
  const from = performance.now()
  const { statusCode, body } = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', authorization: 'Bearer k', ...headers },
    body: JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'count' }], ...(streams ? { stream: true } : {}) }),
  })
  let [bytes, firstMs, tail] = [0, null, '']
  for await (const chunk of body) {
    firstMs ??= performance.now() - from
    bytes += chunk.length
    tail = chunk.subarray(-64).toString()
  }
  if (statusCode !== 200 || (streams && !tail.includes('[DONE]'))) throw new Error(`${url}: HTTP ${statusCode} …${tail}`)
  return { bytes, firstMs }
}

function cpuUs({ pid }) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

function rssMb({ pid }) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

/** Median µs CPU a request of each, and the median and range of the ratio of the first to each of the others. `warmUp`: requests before the first round. */
async function measured(gateways, { count, warmUp, width, streams }) {
  const used = gateways.map(() => [])
  for (const gateway of gateways) await inParallel(() => ask(gateway, streams), warmUp, width)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let place = 0; place < gateways.length; place += 1) {
      const index = (round + place) % gateways.length
      const before = cpuUs(gateways[index].child)
      await inParallel(() => ask(gateways[index], streams), count, width)
      used[index].push((cpuUs(gateways[index].child) - before) / count)
    }
  }
  return gateways.map(({ name }, index) => {
    const ratios = used[0].map((us, round) => us / used[index][round])
    return { name, us: median(used[index]), ratio: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) }
  })
}

function print(title, rows, goals) {
  console.log(`  ${title}`)
  for (const { name, us, ratio, low, high } of rows) {
    const beside = name === 'relevo' ? '' : `   relevo is ${ratio.toFixed(2)} of it (${low.toFixed(2)}–${high.toFixed(2)})`
    const goal = goals[name] === undefined ? '' : `   goal ≤ ${goals[name]}`
    console.log(`    ${name.padEnd(22)} ${us.toFixed(0).padStart(6)} µs${beside}${goal}`)
  }
}

/** Ms from the start of a process to its first whole answer, and its memory then. */
async function coldStart(start) {
  const from = performance.now()
  const gateway = await start('json')
  await ask(gateway, false)
  const ms = performance.now() - from
  const mb = rssMb(gateway.child)
  gateway.child.kill()
  return { ms, mb }
}

try {
  const GOALS = { 'pipe proxy': 2.5, '@portkey-ai/gateway': 0.3 }
  // Warm is what a process is that has served thousands (S16): the first thousand requests of any of them cost several times as much.
  for (const [work, count, warmUp, title, goals] of [
    ['json', 1500, 8000, 'a JSON answer', GOALS],
    ['20', 1000, 6000, '20 events', GOALS],
    ['500', 300, 3000, '500 events', { 'pipe proxy': 1 }],
  ]) {
    const streams = work !== 'json'
    const gateways = [await startRelevo(work), await startPipe(work), await startPortkey(work), await startHono(work)]
    const rows = await measured(gateways, { count, warmUp, width: 32, streams })
    print(`${title}, 32 at a time, after ${warmUp} requests, µs CPU a request (${ROUNDS} rounds of ${count})`, rows, goals)
    if (work === '20') {
      const firsts = []
      for (const gateway of gateways) {
        const ms = []
        for (let at = 0; at < 60; at += 1) ms.push((await ask(gateway, true)).firstMs)
        firsts.push(median(ms))
      }
      const direct = []
      for (let at = 0; at < 60; at += 1) direct.push((await ask({ url: `${provider.address}/20/chat/completions`, headers: {} }, true)).firstMs)
      const added = firsts.map((ms) => ms - median(direct))
      console.log(`  first byte added, one at a time, ms: ${gateways.map(({ name }, index) => `${name} ${added[index].toFixed(2)}`).join(', ')}`)
      console.log(`    relevo is ${(added[0] / added[2]).toFixed(3)} of @portkey-ai/gateway   goal ≤ 0.1`)
    }
    for (const { child } of gateways) child.kill()
  }
  const [ours, theirs] = [[], []]
  for (let round = 0; round < 5; round += 1) {
    ours.push(await coldStart(startRelevo))
    theirs.push(await coldStart(startPortkey))
  }
  const ratio = (field) => median(ours.map((each, index) => each[field] / theirs[index][field])).toFixed(2)
  const middle = (list, field) => median(list.map((each) => each[field])).toFixed(0)
  console.log(
    `  from start to the first answer: relevo ${middle(ours, 'ms')} ms, @portkey-ai/gateway ${middle(theirs, 'ms')} ms, ratio ${ratio('ms')}   goal ≤ 0.85`,
  )
  console.log(`  memory then: relevo ${middle(ours, 'mb')} MB, @portkey-ai/gateway ${middle(theirs, 'mb')} MB, ratio ${ratio('mb')}   goal ≤ 0.8`)
} finally {
  for (const child of children) child.kill()
  await agent.close()
  provider.end()
  rmSync(scratch, { recursive: true, force: true })
}
