import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKernel } from '../../../src/index.ts'
import { scriptedEngine } from '../../../src/testing.ts'
import { AT, anyBill, close, HOSTILE, hostileBill, row } from '../../runtime/ledger-file/rig.ts'
import { billOf } from '../../tools/bills.ts'
import { absent, databaseFile, kept, raw, rowsIn } from './rig.ts'

describe.skipIf(absent !== null)('R34 a ledger in a database', () => {
  it('the tables are final: what was asked for at the turn, who was called at the attempt, what is unknown NULL', () => {
    const path = databaseFile()
    const ledger = kept(path)
    ledger.append(row({ participant: 'ana', caller: 'web', costBasis: 'metered', price: close.price }))
    const database = raw(path, { readonly: true })
    const all = (table: string) => database.prepare(`SELECT * FROM ${table}`).all()
    const turn = { id: 1, writer: expect.stringMatching(/^[0-9a-f-]{13}$/), turn: 't1', participant: 'ana', caller: 'web' }
    const asked = { requested_profile: 'a.x', requested_model: 'm1' }
    const called = { id: 1, attempt: expect.stringMatching(/^[0-9a-f-]{13}-1$/), turn_id: 1, n: 1, provider_ref: 'b.y', model: 'm2', mode: 'call' }
    const priced = { cost_basis: 'metered', price_source: 'settings', price_version: null, price_model: 'm1' }
    const open = {
      started_at: AT,
      ended_at: null,
      outcome: null,
      accepted: 0,
      cost_pico_usd: null,
      iteration: null,
      ...priced,
      reported_pico_usd: null,
    }
    expect([all('turn'), all('attempt'), all('usage'), all('limit_event')]).toEqual([[{ ...turn, ...asked }], [{ ...called, ...open }], [], []])
    ledger.close('t1', 1, close)
    const ended = { ...open, ended_at: AT + 9, outcome: 'ok', accepted: 1, cost_pico_usd: 12_500_000 }
    expect(all('attempt')).toEqual([{ ...called, ...ended }])
    expect(all('usage')).toEqual([{ attempt_id: 1, input: 3, cached_input: null, output: 2 }])
    const counts = { attempts: 1, accepted: 1, open: 0, input: 3, cached_input: null, output: 2 }
    const money = { cost_pico_usd: 12_500_000, unknown_cost: 0, subscription: 0, reported_pico_usd: null }
    expect(all('turn_cost')).toEqual([{ turn_id: 1, turn: 't1', participant: 'ana', caller: 'web', ...asked, started_at: AT, ...counts, ...money }])
    const pragmas = ['journal_mode', 'user_version', 'application_id'].map((name) => database.pragma(name, { simple: true }))
    expect(pragmas).toEqual(['wal', 3, 0x726c766f])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600)
  })

  it('a row is closed once, one that is not there is not closed, and rows() is what memory says', () => {
    const path = databaseFile()
    const ledger = kept(path)
    ledger.close('t1', 1, close)
    ledger.append(row())
    ledger.close('t1', 1, close)
    ledger.close('t1', 1, { ...close, outcome: 'empty' })
    ledger.append(row())
    expect(rowsIn(path)).toEqual([row(close), row()])
    expect(ledger.rows()).toEqual([row(close), row()])
  })

  it('the attempts of one turn are one turn, a name that is used again and one of another process are others', () => {
    const path = databaseFile()
    const [one, other] = [kept(path), kept(path)]
    for (const n of [1, 2, 3]) one.append(row({ n }))
    other.append(row())
    other.append(row({ n: 2 }))
    one.append(row())
    one.append(row({ n: 2 }))
    expect(raw(path).prepare('SELECT attempts FROM turn_cost ORDER BY turn_id').pluck().all()).toEqual([3, 2, 2])
  })

  it('several ledgers on one file, with the same turns, keep their rows apart', () => {
    const path = databaseFile()
    const [one, other] = [kept(path), kept(path)]
    one.append(row())
    other.append(row())
    other.close('t1', 1, { ...close, outcome: 'empty' })
    one.close('t1', 1, close)
    expect(rowsIn(path)).toEqual([row(close), row({ ...close, outcome: 'empty' })])
  })

  it('any row is read back as it was, its cost to the pico-USD', () => {
    const text = fc.string({ unit: 'binary' })
    const iteration = fc.option(fc.nat(), { nil: null })
    const path = databaseFile()
    const ledger = kept(path)
    fc.assert(
      fc.property(fc.record({ turn: text, profile: text, model: text, iteration, bill: anyBill }), ({ bill, iteration, ...named }) => {
        const { costBasis, price } = bill
        const whole = row({ ...named, requested: { profile: named.model, model: named.profile }, costBasis, price })
        ledger.append(whole)
        expect(rowsIn(path).at(-1)).toEqual(whole)
        ledger.close(whole.turn, 1, { ...close, ...bill, iteration })
        expect(rowsIn(path).at(-1)).toEqual({ ...whole, ...close, ...bill, iteration })
      }),
      { numRuns: 60 },
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e20, 1e20])('a clock that says %d costs no row', (at) => {
    const path = databaseFile()
    const ledger = kept(path)
    ledger.append(row({ startedAt: at }))
    ledger.close('t1', 1, { ...close, endedAt: at })
    expect(rowsIn(path)).toMatchObject([{ turn: 't1', outcome: 'ok' }])
  })

  it('counts, prices and amounts of money that are none cost no row, and are unknown', () => {
    const path = databaseFile()
    const ledger = kept(path)
    for (const [index, [, value]] of HOSTILE.entries()) {
      ledger.append(row({ n: index + 1, ...hostileBill(value, null) }))
      ledger.close('t1', index + 1, { ...close, ...hostileBill(value, { input: value, output: 1 }) })
    }
    const unknown = { iteration: null, costPicoUsd: null, cost: null, costBasis: 'unknown', price: null, reportedPicoUsd: null }
    expect(rowsIn(path)).toMatchObject(HOSTILE.map((_, index) => ({ n: index + 1, outcome: 'ok', ...unknown, usage: { output: 1 } })))
  })

  it('a cost that no whole number of SQLite can say is unknown, and no other amount', () => {
    const path = databaseFile()
    const ledger = kept(path)
    for (const [index, cost] of [9_000_000, 9_300_000].entries()) {
      ledger.append(row({ n: index + 1 }))
      ledger.close('t1', index + 1, { ...close, ...billOf(close.usage, cost) })
    }
    expect(rowsIn(path).map(({ cost }) => cost)).toEqual([9_000_000, null])
  })

  it('each of several models inside the first attempt is a row of its own, of one turn', () => {
    const path = databaseFile()
    const ledger = kept(path)
    ledger.append(row())
    ledger.close('t1', 1, { ...close, iteration: 1, outcome: 'unknown', accepted: false })
    ledger.append(row({ ...close, iteration: 2, model: 'm3' }))
    expect(rowsIn(path)).toEqual([row({ ...close, iteration: 1, outcome: 'unknown', accepted: false }), row({ ...close, iteration: 2, model: 'm3' })])
    expect(raw(path).prepare('SELECT attempts, accepted, cost_pico_usd FROM turn_cost').raw().all()).toEqual([[2, 1, 25_000_000]])
  })

  it('R33 a kernel enters what was asked for beside who was called, and its holds as limits', async () => {
    const path = databaseFile()
    const engine = scriptedEngine({
      'a.x/m1': { call: [{ http: 429 }] },
      'b.y/m2': { call: [{ ok: 'hello', usage: { input: 1, output: 1 } }] },
    })
    const config = {
      primary: 'a.x',
      profiles: { 'a.x': { model: 'm1', apiKey: 'k', fallback: ['b.y'] }, 'b.y': { model: 'm2', apiKey: 'k' } },
    }
    const ledger = kept(path)
    const kernel = createKernel(config, { engines: () => engine, ledger })
    const entering = kernel.holds$.subscribe((holds) => ledger.enterHolds(holds))
    onTestFinished(() => kernel.stop())
    expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('ok')
    entering.unsubscribe()
    expect(rowsIn(path)).toMatchObject([
      { n: 1, requested: { profile: 'a.x', model: 'm1' }, profile: 'a.x', model: 'm1', outcome: 'rate_limited', accepted: false },
      { n: 2, requested: { profile: 'a.x', model: 'm1' }, profile: 'b.y', model: 'm2', outcome: 'ok', accepted: true },
    ])
    expect(rowsIn(path)).toEqual(kernel.ledger.rows())
    const [hold] = kernel.holds()
    expect(raw(path).prepare('SELECT hold_key, reason, until_at FROM limit_event').all()).toEqual([
      { hold_key: 'a.x', reason: hold?.reason, until_at: hold?.untilAt },
    ])
  })

  it('T6 a hold is entered once as long as it stands, and again when it is longer', () => {
    const path = databaseFile()
    const ledger = kept(path)
    const hold = { key: 'a.x', untilAt: AT + 5, reason: 'limit' as const }
    ledger.enterHolds([], AT)
    ledger.enterHolds([hold], AT)
    ledger.enterHolds([hold, { key: 'b.y', untilAt: AT + 3, reason: 'cooldown' }], AT + 1)
    ledger.enterHolds([{ ...hold, untilAt: AT + 9 }], AT + 2)
    expect(raw(path).prepare('SELECT at, hold_key, reason, until_at FROM limit_event').raw().all()).toEqual([
      [AT, 'a.x', 'limit', AT + 5],
      [AT + 1, 'b.y', 'cooldown', AT + 3],
      [AT + 2, 'a.x', 'limit', AT + 9],
    ])
  })

  it('nothing is made before there is something to enter; released, it is one file, and goes on', () => {
    const path = databaseFile()
    const ledger = kept(path)
    ledger.enterHolds([])
    expect(existsSync(path)).toBe(false)
    ledger.append(row())
    ledger.release()
    expect(readdirSync(dirname(path))).toEqual(['ledger.db'])
    ledger.close('t1', 1, close)
    expect(rowsIn(path)).toEqual([row(close)])
  })
})
