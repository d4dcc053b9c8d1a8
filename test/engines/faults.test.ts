import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { Recording } from '../../src/engines/conformance/recording.ts'
import { CONFORMANCE_ENTRY, conformanceRequest } from '../../src/engines/conformance/request.ts'
import { HTTP_APIS, resolveHttpEngine } from '../../src/engines/http/registry.ts'
import type { Fault } from '../../src/engines/loopback/fault.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../../src/engines/loopback/server.ts'
import { LOOPBACK_PROTOCOLS, type LoopbackProtocol } from '../../src/engines/loopback/voices.ts'
import type { Clock } from '../../src/model/clock.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import type { Timeouts } from '../../src/model/settings.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'
import { collect, held as heldNow } from '../tools/memory.ts'

const engines = resolveHttpEngine()
afterAll(() => engines.close())
const running: LoopbackProvider[] = []
afterEach(async () => {
  for (const provider of running.splice(0)) await provider.close()
})

/** The deadline of every attempt here; one that is reached would be told as `timeout` with code `total`. */
const TOTAL_MS = 15_000
const LIMIT_MS = 60_000

type Mode = 'stream' | 'call'

interface Begun {
  readonly recording: Recording
  readonly provider: LoopbackProvider
}

async function begin(
  protocol: LoopbackProtocol,
  mode: Mode,
  fault: Fault,
  {
    clock = systemClock(),
    timeouts = { totalMs: TOTAL_MS },
    instead,
  }: { clock?: Clock; timeouts?: Partial<Timeouts>; instead?: (text: string) => void } = {},
): Promise<Begun> {
  const script = { [CONFORMANCE_ENTRY]: { [mode]: [{ fault }] } }
  const provider = await startLoopbackProvider({ script, protocol })
  running.push(provider)
  const at = { api: protocol, endpoint: provider.endpoint(CONFORMANCE_ENTRY), clock }
  const request = conformanceRequest({ mode, items: [], timeouts }, at)
  const engine = engines(request.profile)
  if (engine === undefined) throw new Error(`no engine for ${protocol}`)
  const recording = new Recording(engine, request, (event, one) => {
    if (instead === undefined || event.type !== 'text') return
    // Content is not kept where only its weight matters.
    one.events.pop()
    instead(event.text)
  })
  return { recording, provider }
}

/** One attempt to its end, in real time; its own deadline would be told as `timeout total`. */
async function attempt(protocol: LoopbackProtocol, mode: Mode, fault: Fault, instead?: (text: string) => void) {
  const { recording, provider } = await begin(protocol, mode, fault, instead === undefined ? {} : { instead })
  await recording.over
  recording.lawful()
  return { end: recording.events.at(-1), recording, request: provider.requests[0] }
}

/** `kind code` of a failure, `final` of an answer. */
function told(end: ProviderEvent | undefined): string {
  if (end?.type !== 'failed') return end?.type ?? 'nothing'
  const { kind, code } = end.failure
  return kind === 'timeout' ? `${kind} ${code}` : kind
}

interface Row {
  readonly fault: Fault
  readonly stream: string
  readonly call: string
}

/** What each fault of the wire means; the same for every protocol. */
const TABLE: readonly Row[] = [
  { fault: { kind: 'closeAtOnce' }, stream: 'network', call: 'network' },
  { fault: { kind: 'garbage', bytes: 5000 }, stream: 'protocol', call: 'protocol' },
  { fault: { kind: 'garbage', bytes: 3_000_000 }, stream: 'protocol', call: 'protocol' },
  { fault: { kind: 'html200' }, stream: 'protocol', call: 'protocol' },
  { fault: { kind: 'gzip' }, stream: 'protocol', call: 'protocol' },
  { fault: { kind: 'wrongContentType' }, stream: 'protocol', call: 'final' },
  { fault: { kind: 'wrongContentType', contentType: 'text/html' }, stream: 'protocol', call: 'protocol' },
  { fault: { kind: 'oversizeLine' }, stream: 'protocol', call: 'protocol' },
  { fault: { kind: 'cut', at: 60, by: 'end' }, stream: 'truncated', call: 'protocol' },
  { fault: { kind: 'cut', at: 60, by: 'fin' }, stream: 'truncated', call: 'truncated' },
  { fault: { kind: 'cut', at: 0, by: 'end' }, stream: 'truncated', call: 'protocol' },
  { fault: { kind: 'dribble', bytes: 7, everyMs: 0 }, stream: 'final', call: 'final' },
  { fault: { kind: 'slow', everyMs: 2 }, stream: 'final', call: 'final' },
]

const PROTOCOLS = LOOPBACK_PROTOCOLS.filter((protocol) => HTTP_APIS.includes(protocol))
const MODES = ['stream', 'call'] as const

/** Silence, the limit that ends it, and how that is told. The clock is moved by hand, so the limit can be as long as in production. */
const SILENCES: readonly (readonly [Fault, Partial<Timeouts>, string])[] = [
  [{ kind: 'silence' }, { firstByteMs: LIMIT_MS }, 'timeout first_byte'],
  [{ kind: 'stallBeforeHeaders' }, { firstByteMs: LIMIT_MS }, 'timeout first_byte'],
  [{ kind: 'stall', at: 60 }, { firstByteMs: LIMIT_MS / 2, idleMs: LIMIT_MS }, 'timeout idle'],
]

describe.each(PROTOCOLS)('issue 2, bad input: %s answers every fault with a typed failure within its deadline', (protocol) => {
  for (const mode of MODES) {
    for (const row of TABLE) {
      test(`${JSON.stringify(row.fault)} (${mode}): ${row[mode]}`, async () => {
        const { end } = await attempt(protocol, mode, row.fault)
        expect(told(end), JSON.stringify(end)).toBe(row[mode])
      })
    }

    test.each(SILENCES)(`%j (${mode}, limits %j): %s, exactly at the limit`, async (fault, timeouts, expected) => {
      const clock = virtualClock(0)
      const { recording, provider } = await begin(protocol, mode, fault, { clock, timeouts })
      const request = await provider.requested(1)
      await request.quiet
      await rounds()
      clock.moveTo(LIMIT_MS - 1)
      expect(recording.completions).toBe(0)
      clock.moveTo(LIMIT_MS)
      recording.lawful()
      expect(told(recording.events.at(-1))).toBe(expected)
      expect(await request.ended).toBe('client_gone')
    })
  }

  test.each(MODES)('a reset in the body (%s) is told with its code', async (mode) => {
    const { end } = await attempt(protocol, mode, { kind: 'cut', at: 60, by: 'rst' })
    if (end?.type !== 'failed') throw new Error(`ended in ${end?.type}`)
    expect(end.failure.kind).toBe('network')
    expect(end.failure.code).toBe('ECONNRESET')
  })

  test('a body dribbled byte by byte is the same answer', async () => {
    const { recording } = await attempt(protocol, 'stream', { kind: 'dribble', bytes: 1, everyMs: 0 })
    expect(recording.text).toBe('loopback answer')
  })
})

/** What is on the way between two sockets of this machine arrives within a few turns of the event loop. */
async function rounds(): Promise<void> {
  for (let round = 0; round < 40; round++) await new Promise((resolve) => void setImmediate(resolve))
}

const MEGABYTE = 2 ** 20
const BODY_MEGABYTES = 200
/** What the process may grow by while it is sent a body of 200 MiB: the bounds of the engine (16 MiB an answer, 1 MiB a line) and what the collector has not yet taken. */
const GROWTH_MEGABYTES = 96
/** What may be held once the collector has been: less than the content that has come by then. */
const HELD_MEGABYTES = 12
/** The last event of OpenAI Responses says the whole answer again, so one event may have as much as a whole answer. */
const LARGE_EVENT: Partial<Record<LoopbackProtocol, number>> = { 'openai-responses': 16 }
const LOOK_EVERY_BYTES = 24 * MEGABYTE

describe.each(PROTOCOLS)(`issue 2, bad input: %s stays within ${GROWTH_MEGABYTES} MiB`, (protocol) => {
  test.each([
    ['a 200 MB body', 'stream', { kind: 'hugeBody', megabytes: BODY_MEGABYTES }],
    ['a 200 MB body', 'call', { kind: 'hugeBody', megabytes: BODY_MEGABYTES }],
    ['an endless line', 'stream', { kind: 'oversizeLine', capBytes: BODY_MEGABYTES * MEGABYTE }],
    ['an endless line', 'call', { kind: 'oversizeLine', capBytes: BODY_MEGABYTES * MEGABYTE }],
  ] as const)('%s (%s) is a protocol failure, and the provider is left', async (_what, mode, fault) => {
    const growth = watchGrowth()
    const { end, request } = await attempt(protocol, mode, fault, growth.text)
    const { grown, held } = await growth.stop()
    expect(told(end), JSON.stringify(end)).toBe('protocol')
    expect(await request?.ended).toBe('client_gone')
    expect(request?.bytesSent).toBeLessThan(BODY_MEGABYTES * MEGABYTE * 0.6)
    expect(grown / MEGABYTE).toBeLessThan(GROWTH_MEGABYTES)
    expect(held / MEGABYTE).toBeLessThan(HELD_MEGABYTES + (LARGE_EVENT[protocol] ?? 0))
  })
})

const SAMPLE_EVERY_MS = 5

interface Growth {
  /** Takes what came and looks at what is held, every so often. */
  readonly text: (text: string) => void
  /** The largest growth of the resident set, and of what was held after a collection, in bytes since the start. */
  stop(): Promise<{ grown: number; held: number }>
}

function watchGrowth(): Growth {
  const before = { rss: 0, held: heldNow() }
  before.rss = process.memoryUsage.rss()
  let [grown, held, came] = [0, 0, 0]
  const timer = setInterval(() => {
    grown = Math.max(grown, process.memoryUsage.rss() - before.rss)
  }, SAMPLE_EVERY_MS)
  return {
    text(text) {
      const looks = Math.floor(came / LOOK_EVERY_BYTES)
      came += text.length
      if (Math.floor(came / LOOK_EVERY_BYTES) > looks) held = Math.max(held, heldNow() - before.held)
    },
    async stop() {
      clearInterval(timer)
      // The collector gives large buffers back in a second step.
      collect()
      await new Promise((resolve) => void setImmediate(resolve))
      return { grown: Math.max(grown, process.memoryUsage.rss() - before.rss), held: Math.max(held, heldNow() - before.held) }
    },
  }
}
