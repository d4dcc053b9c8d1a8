import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'

/** Every request as it was signed: whose address it went to, and the key that it carried. */
let asked: { readonly to: string; readonly key: string }[] = []
let statuses: readonly number[] = []
let server: Server

beforeAll(async () => {
  server = createServer((request, response) => {
    const to = (request.url ?? '').split('/')[1] ?? ''
    asked.push({ to, key: request.headers.authorization?.replace('Bearer ', '') ?? '' })
    const status = statuses[asked.length % statuses.length] ?? 200
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const isStream = JSON.parse(body).stream === true
      response.writeHead(status, { 'content-type': isStream && status === 200 ? 'text/event-stream' : 'application/json' })
      const choice = isStream ? { delta: { content: 'hi' } } : { message: { role: 'assistant', content: 'hi' } }
      const text = JSON.stringify(status === 200 ? { choices: [{ index: 0, ...choice, finish_reason: 'stop' }] } : { error: { message: 'no' } })
      response.end(isStream && status === 200 ? `data: ${text}\n\ndata: [DONE]\n\n` : text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const PROFILES = ['openai.a', 'openai.b', 'openai.c']

/** How many keys each profile has, and whether its route brings one of its own. */
const settings = fc.record({
  keys: fc.array(fc.nat({ max: 3 }), { minLength: 3, maxLength: 3 }),
  routed: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  chains: fc.array(fc.shuffledSubarray(PROFILES), { minLength: 3, maxLength: 3 }),
})

type Made = typeof settings extends fc.Arbitrary<infer Value> ? Value : never

/** Of a pool, alone, and of a route: refused one after the other, all of them are tried. */
const EVERY_KEY: Made = { keys: [3, 0, 1], routed: [false, true, false], chains: [PROFILES, PROFILES, PROFILES] }

/** A key says whose it is: `openai.a:2-of-1`. */
function configOf({ keys, routed, chains }: Made, n: number): KernelConfig {
  const { port } = server.address() as AddressInfo
  const key = (id: string, name: string): string => `${id}:${name}-of-${n}`
  const profiles = PROFILES.map((id, at) => {
    const pool = Array.from({ length: keys[at] ?? 0 }, (_, index) => key(id, String(index + 1)))
    const credentials = pool.length === 0 ? { apiKey: key(id, 'own') } : { apiKeys: pool }
    return [id, { model: 'm', endpoint: `http://127.0.0.1:${port}/${id}/v1`, ...credentials, fallback: chains[at]?.filter((other) => other !== id) }]
  })
  return {
    primary: 'openai.a',
    profiles: Object.fromEntries(profiles),
    modelRoutes: PROFILES.map((id, at) => ({
      hint: id,
      modelProvider: id,
      model: 'm',
      ...(routed[at] === true ? { apiKey: key(id, 'route') } : {}),
    })),
    reliability: { providerRetries: 0, onAllHeld: 'fail' },
  }
}

it('R1 R10 R11 no attempt carries a key of another profile, whatever fails, streamed or not, before and after a reload', async () => {
  const turns = fc.array(fc.record({ model: fc.constantFrom('m', 'hint:openai.a', 'hint:openai.b', 'hint:openai.c'), stream: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  })
  const answers = fc.array(fc.constantFrom(200, 401, 429, 503), { minLength: 1, maxLength: 7 })
  const keysSeen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(settings, settings, turns, answers, async (before, after, each, status) => {
      asked = []
      statuses = status
      const kernel = createKernel(configOf(before, 1))
      const run = () => each.map(({ model, stream }) => kernel.turn({ prompt: 'hello', model, sinks: stream ? ['draft'] : [] }).outcome)
      const early = run()
      await Promise.resolve()
      kernel.reload(configOf(after, 2))
      await Promise.all([...early, ...run()])
      await kernel.stop()
      expect(asked.filter(({ to, key }) => !key.startsWith(`${to}:`))).toEqual([])
      for (const { key } of asked) keysSeen.add(key.replace(/^.*:/, ''))
    }),
    {
      numRuns: 15,
      examples: [
        [
          EVERY_KEY,
          EVERY_KEY,
          [
            { model: 'm', stream: false },
            { model: 'hint:openai.b', stream: true },
          ],
          [401],
        ],
      ],
    },
  )
  expect([...keysSeen].sort()).toEqual(['1', '2', '3', 'own', 'route'].flatMap((name) => [`${name}-of-1`, `${name}-of-2`]).sort())
})
