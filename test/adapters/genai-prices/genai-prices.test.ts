import { createRequire } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { bookOn, genaiPrices } from '../../../src/adapters/genai-prices/genai-prices.ts'
import type { PriceAsk } from '../../../src/model/price.ts'
import type { Usage } from '../../../src/model/usage.ts'
import { createKernel } from '../../../src/runtime/kernel.ts'
import type { Kernel } from '../../../src/runtime/kernel-door.ts'
import { httpServer, type Loopback, SSE } from '../../engines/http/server.ts'

/** With the package itself: what it says of these models is history, and does not change with its next version. */
const book = genaiPrices()

const OPENAI = 'https://api.openai.com/v1'
const GEMINI = 'https://generativelanguage.googleapis.com'
const ANTHROPIC = 'https://api.anthropic.com'
const OPENROUTER = 'https://openrouter.ai/api/v1'

function ask(endpoint: string | null, model: string, usage: Usage | null, on = '2026-01-01'): PriceAsk {
  return { profile: { id: 'a.x', family: 'a', api: 'openai-chat', endpoint }, model, usage, at: Date.parse(on) }
}

const usd = (amount: number) => Math.round(amount * 1e12)

describe('R34 prices of the package genai-prices', () => {
  it('say where they come from, and of which version', () => {
    const installed = createRequire(import.meta.url)('../../../package-lock.json').packages['node_modules/@pydantic/genai-prices'].version
    expect(book).toMatchObject({ source: 'genai-prices', version: installed })
  })

  it('are not there without the package, which the error names with how to get it', () => {
    expect(() => bookOn(null, {})).toThrow(expect.objectContaining({ code: 'no_price_package', message: expect.stringContaining('npm install') }))
  })

  it('are not looked up for a profile that `providers` says nothing of, nor for a provider that nobody knows', () => {
    const named = genaiPrices({ providers: { 'a.x': 'nobody', 'b.y': 'openai' } })
    expect(named.quote(ask(OPENAI, 'gpt-5', null))).toBeNull()
    expect(named.quote({ ...ask(null, 'gpt-5', null), profile: { id: 'b.y', family: 'b', api: null, endpoint: null } })?.model).toBe('gpt-5')
    expect(named.quote({ ...ask(OPENAI, 'gpt-5', null), profile: { id: '__proto__', family: '', api: null, endpoint: null } })).toBeNull()
  })

  it('reckon input, cached input and output, each at its rate, in whole pico-USD', () => {
    expect(book.quote(ask(ANTHROPIC, 'claude-sonnet-4-20250514', { input: 1000, cachedInput: 400, output: 10 }))).toEqual({
      costPicoUsd: usd((600 * 3 + 400 * 0.3 + 10 * 15) / 1e6),
      model: 'claude-sonnet-4-0',
    })
  })

  it.each([
    [100_000, 0.125],
    [300_000, 0.75],
  ])('reckon %i tokens of a long context at the rate of such a length', (input, cost) => {
    expect(book.quote(ask(GEMINI, 'gemini-2.5-pro', { input, output: 0 }))?.costPicoUsd).toBe(usd(cost))
  })

  it.each([
    ['2025-06-01', 10],
    ['2025-06-11', 2],
  ])('are those of the day of the attempt: o3 on %s', (on, cost) => {
    expect(book.quote(ask(OPENAI, 'o3', { input: 1_000_000, output: 0 }, on))?.costPicoUsd).toBe(usd(cost))
  })

  it('give the name that they were found under: it may be that of a near relative', () => {
    expect(book.quote(ask(OPENAI, 'gpt-5.2-codex', null))).toEqual({ costPicoUsd: null, model: 'gpt-5.2' })
  })

  it.each(['gpt-99', '', '__proto__', 'claude-sonnet-4-20250514'])('there are none of the model %j at OpenAI', (model) => {
    expect(book.quote(ask(OPENAI, model, { input: 1, output: 1 }))).toBeNull()
  })

  it.each([
    ['counts that are not told', { input: 5 }],
    ['counts that are not told', { output: 5 }],
    ['more cached input than input', { input: 10, cachedInput: 20, output: 1 }],
    ['counts that are none', { input: Number.NaN, output: 1 }],
  ])('%s: the model is known and the cost is not', (_, usage) => {
    expect(book.quote(ask(OPENAI, 'gpt-5', usage))).toEqual({ costPicoUsd: null, model: 'gpt-5' })
  })

  it('a model with an empty table, or without a rate for its answers, is not free', () => {
    expect(book.quote(ask(OPENROUTER, 'allenai/molmo-7b-d:free', { input: 10, output: 10 }))).toBeNull()
    expect(book.quote(ask(OPENAI, 'text-embedding-3-small', { input: 10, output: 10 }))?.costPicoUsd).toBeNull()
    expect(book.quote(ask(OPENAI, 'text-embedding-3-small', { input: 1_000_000, output: 0 }))?.costPicoUsd).toBe(usd(0.02))
  })

  it('answer an instant that has no date', () => {
    for (const at of [Number.NaN, -1, 1e300]) expect(book.quote({ ...ask(OPENAI, 'gpt-5', { input: 8, output: 0 }), at })?.model).toBe('gpt-5')
  })

  it('know a model also behind a thousand that they do not know', () => {
    for (let n = 0; n < 1_100; n++) book.quote(ask(OPENAI, `no-such-${n}`, null))
    expect(book.quote(ask(OPENAI, 'gpt-5', null))?.model).toBe('gpt-5')
  })
})

async function turnOf(kernel: Kernel) {
  const turn = kernel.turn({ prompt: 'hi' })
  const warned: string[] = []
  for await (const event of turn) if (event.type === 'warning.raised') warned.push(`${event.warning.code} ${event.warning.path}`)
  await kernel.stop()
  return { outcome: await turn.outcome, warned }
}

describe('R34 a turn at the price of a book', () => {
  let server: Loopback
  afterEach(() => server.close())

  const config = (more: object) => ({
    primary: 'openai.proxy',
    profiles: { 'openai.proxy': { model: 'gpt-5.2-codex', apiKey: 'no-key-needed', endpoint: server.endpoint, zone: 'cloud' as const, ...more } },
  })
  const answer = {
    choices: [{ index: 0, delta: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1000, completion_tokens: 10 },
  }
  const answering = () => httpServer((response) => response.writeHead(200, SSE).end(`data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n`))

  it('has the source, the version of its data and the name of the model on its row', async () => {
    server = await answering()
    const kernel = createKernel(config({}), { prices: genaiPrices({ providers: { 'openai.proxy': 'openai' } }) })
    const { outcome, warned } = await turnOf(kernel)
    expect(outcome).toMatchObject({ kind: 'ok', cost: 0.00189 })
    expect(warned).toEqual([])
    expect(kernel.ledger.rows()).toMatchObject([
      {
        model: 'gpt-5.2-codex',
        costBasis: 'metered',
        costPicoUsd: 1_890_000_000,
        price: { source: 'genai-prices', version: book.version, model: 'gpt-5.2' },
      },
    ])
  })

  it('has the price of the settings where they give one', async () => {
    server = await answering()
    const prices = genaiPrices({ providers: { 'openai.proxy': 'openai' } })
    const kernel = createKernel(config({ price: { 'gpt-5.2-codex': { input: 1, output: 1 } } }), { prices })
    await turnOf(kernel)
    expect(kernel.ledger.rows()).toMatchObject([{ cost: 0.00101, price: { source: 'settings' } }])
  })

  it('has none at an address that is nobody’s, whatever the family is called, and says so', async () => {
    server = await answering()
    const kernel = createKernel(config({}), { prices: book })
    const { warned } = await turnOf(kernel)
    expect(warned).toEqual(['price_unknown profiles.openai.proxy.price.gpt-5.2-codex'])
    expect(kernel.ledger.rows()).toMatchObject([{ costBasis: 'unknown', costPicoUsd: null, price: null }])
  })
})
