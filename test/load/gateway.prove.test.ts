import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * The gateway under load, as a process of its own before a provider in another: what it does for a minute with 200 streams at once, and what
 * clients that mean it no good cost it.
 */
const STREAMS = 200
const EVENTS = 500
const MINUTE_MS = 60_000
const UNREAD_MS = 30_000

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'relevo-load-'))
const children: ChildProcess[] = []
let address = ''
let gateway: ChildProcess
/** Mostly more than one answer of 500 events, so that a client that reads nothing cannot have it all in the buffers of its socket. */
const LONG_EVENTS = 200_000

function begun(argv: readonly string[], pattern: RegExp): Promise<[child: ChildProcess, said: string]> {
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const found = pattern.exec(text)
      if (found !== null) resolve([child, found[1] ?? ''])
    })
    child.once('exit', (code) => reject(new Error(`${argv[0]} ended with ${code}`)))
  })
}

beforeAll(async () => {
  const [, port] = await begun([here('../bench/provider.mjs')], /(\d+)\n/)
  const profile = (events: number) => ({ model: 'bench', apiKey: 'k', endpoint: `http://127.0.0.1:${port}/${events}` })
  const config = { primary: 'openai.load', profiles: { 'openai.load': profile(EVENTS), 'openai.long': profile(LONG_EVENTS) }, gateway: { port: 0 } }
  writeFileSync(join(folder, 'relevo.json'), JSON.stringify(config))
  const [child, url] = await begun([here('../../dist/cli.js'), 'serve', '--config', join(folder, 'relevo.json')], /(http:\/\/[\d.]+:\d+)/)
  gateway = child
  address = url
})

afterAll(() => {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true })
})

function rssMb(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024
}

const agent = new Agent({ connections: 256 })
afterAll(() => agent.close())

function body(model = ''): string {
  return JSON.stringify({ model, messages: [{ role: 'user', content: 'Count.' }], stream: true })
}

/** One whole stream; how many pieces of text came, and whether it ended as it should. */
async function streamed(): Promise<boolean> {
  const { statusCode, body: answer } = await request(`${address}/v1/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json' },
    body: body(),
  })
  const text = await answer.text()
  return statusCode === 200 && text.split('"content":"token').length - 1 === EVENTS && text.trimEnd().endsWith('data: [DONE]')
}

async function lane(until: number, counts: { whole: number; broken: number }): Promise<void> {
  while (Date.now() < until) {
    const isWhole = await streamed().catch(() => false)
    if (isWhole) counts.whole += 1
    else counts.broken += 1
  }
}

/** So many streams at once for a while; MB of the gateway once a second. */
async function loaded(lanes: number, ms: number) {
  const counts = { whole: 0, broken: 0 }
  const memory: number[] = []
  const sampling = setInterval(() => memory.push(rssMb()), 1000)
  const until = Date.now() + ms
  await Promise.all(Array.from({ length: lanes }, () => lane(until, counts)))
  clearInterval(sampling)
  return { counts, memory }
}

test(`${STREAMS} streams of ${EVENTS} events at once for a minute: no error, bounded memory`, async () => {
  const { counts, memory } = await loaded(STREAMS, MINUTE_MS)
  const [half, end] = [Math.max(...memory.slice(0, memory.length / 2)), Math.max(...memory.slice(memory.length / 2))]
  console.log(
    `${counts.whole} whole streams, ${counts.broken} broken; memory up to ${half.toFixed(0)} MB in the first half, ${end.toFixed(0)} MB in the second`,
  )
  expect(counts.broken).toBe(0)
  expect(counts.whole).toBeGreaterThan(STREAMS)
  expect(end).toBeLessThan(half * 1.25 + 16)
})

/** A socket that sends and does not read. */
function silent(text: string): ReturnType<typeof connect> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on('error', () => {})
  socket.write(text)
  return socket
}

function post(content: string, headers = ''): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: ${new URL(address).host}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(content)}\r\n\r\n${content}`
}

test('20 clients that read nothing for half a minute cost their buffers, and the others nothing', async () => {
  // What a heap comes to hold depends on how many are served: the same others alone are what it is compared with.
  const before = Math.max(...(await loaded(8, UNREAD_MS)).memory)
  const sockets = Array.from({ length: 20 }, () => silent(post(body('openai.long'))))
  const { counts, memory } = await loaded(8, UNREAD_MS)
  const after = Math.max(...memory)
  console.log(
    `up to ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB with 20 that do not read; ${counts.whole} whole streams beside them, ${counts.broken} broken`,
  )
  for (const socket of sockets) socket.destroy()
  expect(counts.broken).toBe(0)
  expect(after - before).toBeLessThan(20 * 2 + 32)
})

test('slow heads, bodies beyond the bound and pipelined garbage are refused, and the others are served', async () => {
  const slow = Array.from({ length: 50 }, () => silent('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: '))
  const garbage = Array.from({ length: 50 }, () => silent(`${post(body())}\u0000\u0001 GARBAGE\r\n\r\n`))
  const oversize = await fetch(`${address}/v1/chat/completions`, { method: 'POST', body: 'x'.repeat(11 * 1024 * 1024) }).then(
    ({ status }) => status,
    () => 'closed',
  )
  const closed = Promise.all(slow.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve))))
  const counts = { whole: 0, broken: 0 }
  await Promise.all(Array.from({ length: 8 }, () => lane(Date.now() + 3000, counts)))
  await closed
  for (const socket of garbage) socket.destroy()
  console.log(`slow heads closed: ${slow.length}; a body of 11 MiB: ${oversize}; ${counts.whole} whole streams beside them, ${counts.broken} broken`)
  expect([413, 'closed']).toContain(oversize)
  expect(counts.broken).toBe(0)
})
