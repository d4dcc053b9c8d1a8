import { describe, expect, it, test } from 'vitest'
import { checkConfig } from '../../src/config/check.ts'
import type { PriceAsk, PriceBook, PriceQuote } from '../../src/model/price.ts'
import type { Profile } from '../../src/model/settings.ts'
import type { Bill, Usage } from '../../src/model/usage.ts'
import { Pricing } from '../../src/runtime/pricing.ts'

const AT = Date.UTC(2026, 2, 1)
const TABLE = { m1: { input: 1, output: 2, cachedInput: 0.1 }, dear: { input: 1e6, output: 1e6 }, free: { input: 0, output: 0 } }

const { settings } = checkConfig(
  {
    primary: 'openai.own',
    profiles: {
      'openai.own': { model: 'm1', apiKey: 'k-a', price: TABLE },
      'claude.plan': { model: 'm1' },
      'claude.metered': { model: 'm1', price: TABLE },
      'ollama.here': { model: 'm1' },
      'ollama.metered': { model: 'm1', price: TABLE },
    },
  },
  { secrets: { env: () => undefined, file: () => undefined } },
)

function profile(id: string): Profile {
  const found = settings?.profiles.get(id)
  if (found === undefined) throw new Error(`${id} is no profile of this test`)
  return found
}

/** Knows `known` at a fixed price, and every model of each profile it is asked about. */
const BOOK: PriceBook = {
  source: 'a-book',
  version: '7',
  quote: ({ model, usage }) => (model === 'unheard-of' ? null : { costPicoUsd: usage === null ? null : 42, model: `${model}-dated` }),
}
const BY_BOOK = { source: 'a-book', version: '7', model: 'm1-dated' }
const bySettings = (model: string) => ({ source: 'settings', version: null, model })

function billed(id: string, model: string, usage: Usage | null, { book, reported = null }: { book?: PriceBook; reported?: number | null } = {}) {
  const errors: unknown[] = []
  const { cost, usage: kept, ...bill } = new Pricing(book, (error) => errors.push(error)).bill(profile(id), model, usage, AT, reported)
  expect(kept).toBe(usage)
  expect(cost).toBe(bill.costPicoUsd === null ? null : bill.costPicoUsd / 1e12)
  return { bill, errors }
}

type Expected = Omit<Bill, 'cost' | 'usage'>
const metered = (costPicoUsd: number | null, price: Bill['price'] = bySettings('m1')): Expected => {
  return { costPicoUsd, costBasis: 'metered', price, reportedPicoUsd: null }
}
const unpriced = (costBasis: Bill['costBasis'], reportedPicoUsd: number | null = null): Expected => {
  return { costPicoUsd: null, costBasis, price: null, reportedPicoUsd }
}
const THREE: Usage = { input: 3, output: 1 }
const MOST = Number.MAX_SAFE_INTEGER

describe('R34 what an attempt is billed at', () => {
  test.each<[string, string, string, Usage | null, Expected]>([
    ['input and output by the table of the profile', 'openai.own', 'm1', THREE, metered(5_000_000)],
    ['cached input by its own rate', 'openai.own', 'm1', { input: 10, output: 0, cachedInput: 4 }, metered(6_400_000)],
    ['no more cached input than there was input', 'openai.own', 'm1', { input: 10, output: 0, cachedInput: 40 }, metered(1_000_000)],
    ['counts that nobody reaches, as whole pico-USD', 'openai.own', 'dear', { input: MOST, output: 0 }, metered(MOST * 1e12, bySettings('dear'))],
    ['a price of 0 as 0', 'openai.own', 'free', THREE, metered(0, bySettings('free'))],
    ['a count that was not told as unknown, at a price that is known', 'openai.own', 'm1', { input: 3 }, metered(null)],
    ['no tokens told as unknown, at a price that is known', 'openai.own', 'm1', null, metered(null)],
    ['a model that the table does not name as unknown', 'openai.own', 'm2', THREE, unpriced('unknown')],
    ['a model named as what every object has as unknown', 'openai.own', 'constructor', THREE, unpriced('unknown')],
    ['a program on its plan by no token', 'claude.plan', 'm1', THREE, unpriced('subscription')],
    ['a program with a table by that', 'claude.metered', 'm1', THREE, metered(5_000_000)],
    ['a program with a table of other models as on its plan', 'claude.metered', 'm2', THREE, unpriced('subscription')],
    ['a model on this machine with a table by that', 'ollama.metered', 'm1', THREE, metered(5_000_000)],
  ])('%s', (_, id, model, usage, expected) => {
    expect(billed(id, model, usage)).toEqual({ bill: expected, errors: [] })
  })

  test.each<[string, string, string, Expected]>([
    ['prices what the table leaves open, and says by which name', 'openai.own', 'm2', metered(42, { ...BY_BOOK, model: 'm2-dated' })],
    ['is not asked for what the table prices', 'openai.own', 'm1', metered(5_000_000)],
    ['knows no price of what it does not know', 'openai.own', 'unheard-of', unpriced('unknown')],
    ['prices no program on its plan', 'claude.plan', 'm1', unpriced('subscription')],
    ['prices no model on this machine', 'ollama.here', 'm1', unpriced('unknown')],
  ])('a price book %s', (_, id, model, expected) => {
    expect(billed(id, model, THREE, { book: BOOK })).toEqual({ bill: expected, errors: [] })
  })

  it('a price book is told what was sent, to whom and when', () => {
    const asked: PriceAsk[] = []
    const quote = (ask: PriceAsk): null => {
      asked.push(ask)
      return null
    }
    billed('openai.own', 'm2', THREE, { book: { ...BOOK, quote } })
    const { id, family, api, endpoint } = profile('openai.own')
    expect(asked).toEqual([{ profile: { id, family, api, endpoint }, model: 'm2', usage: THREE, at: AT }])
  })

  it.each([Number.NaN, -1, 0.5, '5', undefined, 5n])('a price book that says %s knows no price', (costPicoUsd) => {
    const quote = () => ({ costPicoUsd, model: 'm2' }) as unknown as PriceQuote
    expect(billed('openai.own', 'm2', THREE, { book: { ...BOOK, quote } }).bill).toEqual(unpriced('unknown'))
  })

  it.each<[string, object]>([
    [
      'whose source cannot be read',
      {
        get source() {
          throw new Error('closed')
        },
      },
    ],
    [
      'whose version cannot be read',
      {
        get version() {
          throw new Error('closed')
        },
      },
    ],
    ['without a source', { source: undefined }],
    ['that does not say by which name it knows the model', { quote: () => ({ costPicoUsd: 1 }) }],
    ['past all money', { quote: () => ({ costPicoUsd: 2 ** 63, model: 'm2' }) }],
  ])('a price book %s knows no price', (_, broken) => {
    const book = Object.create(BOOK, Object.getOwnPropertyDescriptors(broken)) as PriceBook
    expect(billed('openai.own', 'm2', THREE, { book }).bill).toEqual(unpriced('unknown'))
  })

  it('a price book that throws knows no price, and its error is told', () => {
    const broken = new Error('no data')
    const quote = (): never => {
      throw broken
    }
    expect(billed('openai.own', 'm2', THREE, { book: { ...BOOK, quote } })).toEqual({ bill: unpriced('unknown'), errors: [broken] })
  })

  it.each([
    [1.5, 1_500_000_000_000],
    [0, 0],
    [Number.NaN, null],
    [-1, null],
  ])('what a program reports, %d USD, stands beside its bill and is no cost', (reported, reportedPicoUsd) => {
    expect(billed('claude.plan', 'm1', THREE, { reported }).bill).toEqual(unpriced('subscription', reportedPicoUsd))
    expect(billed('claude.metered', 'm1', THREE, { reported }).bill).toEqual({ ...metered(5_000_000), reportedPicoUsd })
  })
})
