import { afterEach, describe, expect, test } from 'vitest'
import { HTTP_APIS } from '../../src/engines/http/registry.ts'
import type { Fault } from '../../src/engines/loopback/fault.ts'
import type { LoopbackScript } from '../../src/engines/loopback/script.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../../src/engines/loopback/server.ts'
import { LOOPBACK_PROTOCOLS } from '../../src/engines/loopback/voices.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { Kernel, KernelPorts } from '../../src/runtime/kernel-door.ts'

const running: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

interface Setting {
  readonly provider: LoopbackProvider
  readonly kernel: Kernel
}

async function setting(api: string, script: LoopbackScript, ports: KernelPorts = {}): Promise<Setting> {
  const provider = await startLoopbackProvider({ script })
  const profiles = { 'first.a': { api, endpoint: provider.endpoint('first.a'), model: 'm', apiKey: 'k', timeouts: { connectMs: null } } }
  const kernel = createKernel({ primary: 'first.a', profiles, reliability: { providerRetries: 0 } }, ports)
  running.push({ stop: () => kernel.stop() }, { stop: () => provider.close() })
  return { provider, kernel }
}

const MEGABYTE = 2 ** 20
const BODY_MEGABYTES = 24
/** What may be under way between a provider and a reader that does not read: buffers of the sockets, and the events that are held here. */
const UNDER_WAY_BYTES = 16 * MEGABYTE

const spoken = LOOPBACK_PROTOCOLS.filter((protocol) => HTTP_APIS.includes(protocol))

describe.each(spoken)('issue 3, slow reader: a loop that stops reading stops the provider of %s, and nothing is lost', (api) => {
  test('for await', async () => {
    const { provider, kernel } = await setting(api, { 'first.a/m': { stream: [{ fault: { kind: 'hugeBody', megabytes: BODY_MEGABYTES } }] } })
    const turn = kernel.turn({ prompt: 'much' })
    let length = 0
    let held = -1
    for await (const event of turn) {
      if (event.type !== 'text') continue
      length += event.text.length
      if (held < 0) held = await standstill(() => provider.requests[0]?.bytesSent ?? 0)
    }
    expect(held).toBeGreaterThan(0)
    expect(held).toBeLessThan(UNDER_WAY_BYTES)
    expect((await turn.outcome).kind).toBe('ok')
    expect(length).toBe(BODY_MEGABYTES * MEGABYTE)
    expect(await provider.requests[0]?.ended).toBe('answered')
  })
})

/** The value once it has not moved for as many rounds of the event loop as a connection on this machine needs. */
async function standstill(value: () => number): Promise<number> {
  let seen = -1
  while (seen !== value()) {
    seen = value()
    for (let round = 0; round < 60; round++) await new Promise((resolve) => void setImmediate(resolve))
  }
  return seen
}

/** A `fetch` asks for compressed answers and undoes them; undici, which is ours, does neither. */
describe.each(spoken)('issue 3, gzip: over an injected fetch %s', (api) => {
  const told = async (stream: readonly Fault[], sink: 'event' | 'draft') => {
    const { kernel, provider } = await setting(api, { 'first.a/m': { stream: [{ fault: stream }], call: [] } }, { fetch: globalThis.fetch })
    const outcome = await kernel.turn({ prompt: 'x', sinks: [sink] }).outcome
    expect(provider.requests[0]?.headers['accept-encoding']).toContain('gzip')
    return { kind: outcome.kind, text: outcome.text, first: kernel.ledger.rows()[0]?.outcome }
  }

  test.each(['asked', 'always'] as const)('reads an answer that is compressed when %s', async (when) => {
    expect(await told([{ kind: 'gzip', when }], 'event')).toEqual({ kind: 'ok', text: 'loopback answer', first: 'ok' })
  })

  test('never takes a compressed answer whose second half is missing for whole', async () => {
    const { kind, first } = await told([{ kind: 'gzip' }, { kind: 'cut', at: 100, by: 'end' }], 'event')
    expect(['network', 'truncated']).toContain(first)
    expect(kind).not.toBe('ok')
  })
})
