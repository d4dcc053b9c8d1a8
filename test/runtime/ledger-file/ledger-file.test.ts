import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createKernel } from '../../../src/index.ts'
import { RelevoError } from '../../../src/runtime/errors.ts'
import { type LedgerError, LedgerError as LedgerErrorClass } from '../../../src/runtime/ledger-error.ts'
import { jsonlLedger } from '../../../src/runtime/ledger-file.ts'
import { scriptedEngine } from '../../../src/testing.ts'
import { AT, anyBill, close, folder, HOSTILE, hostileBill, ledgerFile, linesIn, row, rowsIn } from './rig.ts'

const refuse = (error: LedgerError): never => {
  throw error
}

describe('R34 a ledger in a file', () => {
  it('has a line when an attempt starts and one that says all of it when it ends; the format is final', () => {
    const path = ledgerFile()
    const ledger = jsonlLedger(path, { onError: refuse })
    ledger.append(row({ participant: 'ana', caller: 'web', costBasis: 'metered', price: close.price }))
    const started = {
      v: 1,
      event: 'attempt.started',
      attempt: expect.stringMatching(/^[0-9a-f-]{13}-1$/),
      turn: 't1',
      n: 1,
      iteration: null,
      participant: 'ana',
      caller: 'web',
      requested: { profile: 'a.x', model: 'm1' },
      profile: 'b.y',
      model: 'm2',
      mode: 'call',
      startedAt: '2026-03-01T12:00:00.000Z',
      costBasis: 'metered',
      price: { source: 'settings', version: null, model: 'm1' },
    }
    const written = (): object[] =>
      readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    expect(written()).toEqual([started])
    ledger.close('t1', 1, close)
    const ended = { endedAt: '2026-03-01T12:00:00.009Z', outcome: 'ok', accepted: true, usage: { input: 3, output: 2 } }
    const money = { costPicoUsd: 12_500_000, reportedPicoUsd: null }
    expect(written()).toEqual([started, { ...started, event: 'attempt.ended', ...ended, ...money }])
  })

  it('a row is closed once, one that is not there is not closed, and rows() is what memory says', () => {
    const path = ledgerFile()
    const ledger = jsonlLedger(path, { onError: refuse })
    ledger.close('t1', 1, close)
    ledger.append(row())
    ledger.close('t1', 1, close)
    ledger.close('t1', 1, { ...close, outcome: 'empty' })
    ledger.append(row())
    expect(rowsIn(path)).toEqual([row(close), row()])
    expect(ledger.rows()).toEqual([row(close), row()])
    expect(linesIn(path)).toHaveLength(3)
  })

  it('several ledgers on one file, with the same turns, keep their rows apart', () => {
    const path = ledgerFile()
    const [one, other] = [jsonlLedger(path, { onError: refuse }), jsonlLedger(path, { onError: refuse })]
    one.append(row())
    other.append(row())
    other.close('t1', 1, { ...close, outcome: 'empty' })
    one.close('t1', 1, close)
    expect(rowsIn(path)).toEqual([row(close), row({ ...close, outcome: 'empty' })])
  })

  it('any row is read back as it was, its cost to the pico-USD', () => {
    const text = fc.string({ unit: 'binary' })
    const iteration = fc.option(fc.nat(), { nil: null })
    const path = ledgerFile()
    fc.assert(
      fc.property(fc.record({ turn: text, profile: text, model: text, iteration, bill: anyBill }), ({ bill, iteration, ...named }) => {
        rmSync(path, { force: true })
        const ledger = jsonlLedger(path, { onError: refuse })
        const { costBasis, price } = bill
        const whole = row({ ...named, requested: { profile: named.model, model: named.profile }, costBasis, price })
        ledger.append(whole)
        expect(rowsIn(path)).toEqual([whole])
        ledger.close(whole.turn, 1, { ...close, ...bill, iteration })
        expect(rowsIn(path)).toEqual([{ ...whole, ...close, ...bill, iteration }])
      }),
      { numRuns: 100 },
    )
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e20, 1e20])('a clock that says %d costs no row', (at) => {
    const path = ledgerFile()
    const ledger = jsonlLedger(path, { onError: refuse })
    ledger.append(row({ startedAt: at }))
    ledger.close('t1', 1, { ...close, endedAt: at })
    expect(rowsIn(path)).toMatchObject([{ turn: 't1', outcome: 'ok' }])
  })

  it.each(HOSTILE)('a count, a price or an amount of money that is %s costs no row, and is unknown', (_, value) => {
    const path = ledgerFile()
    const ledger = jsonlLedger(path, { onError: refuse })
    ledger.append(row(hostileBill(value, { input: value, output: 1 })))
    ledger.close('t1', 1, { ...close, ...hostileBill(value, { input: value, output: 1 }) })
    ledger.append(row({ n: 2, ...close, ...hostileBill(value, value) }))
    const unknown = { outcome: 'ok', iteration: null, costPicoUsd: null, cost: null, costBasis: 'unknown', price: null, reportedPicoUsd: null }
    expect(rowsIn(path)).toMatchObject([
      { ...unknown, usage: { output: 1 } },
      { ...unknown, usage: typeof value === 'object' ? {} : null },
    ])
  })

  it('R34 each of several models inside one attempt has its line, whole, with the number and under a name of its own', () => {
    const path = ledgerFile()
    const ledger = jsonlLedger(path, { onError: refuse })
    ledger.append(row())
    ledger.close('t1', 1, { ...close, iteration: 1, outcome: 'unknown', accepted: false })
    ledger.append(row({ ...close, iteration: 2, model: 'm3' }))
    const rows = [
      { n: 1, iteration: 1, model: 'm2', accepted: false },
      { n: 1, iteration: 2, model: 'm3', accepted: true },
    ]
    expect(rowsIn(path)).toMatchObject(rows)
    expect(ledger.rows()).toMatchObject(rows)
  })

  it('R33 a kernel enters what was asked for beside who was called', async () => {
    const path = ledgerFile()
    const engine = scriptedEngine({
      'a.x/m1': { call: [{ http: 401 }] },
      'b.y/m2': { call: [{ ok: 'hello', usage: { input: 1, output: 1 } }] },
    })
    const config = {
      primary: 'a.x',
      profiles: { 'a.x': { model: 'm1', apiKey: 'k', fallback: ['b.y'] }, 'b.y': { model: 'm2', apiKey: 'k' } },
    }
    const kernel = createKernel(config, { engines: () => engine, ledger: jsonlLedger(path, { onError: refuse }) })
    onTestFinished(() => kernel.stop())
    expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('ok')
    expect(rowsIn(path)).toMatchObject([
      { n: 1, requested: { profile: 'a.x', model: 'm1' }, profile: 'a.x', model: 'm1', outcome: 'auth', accepted: false },
      { n: 2, requested: { profile: 'a.x', model: 'm1' }, profile: 'b.y', model: 'm2', outcome: 'ok', accepted: true },
    ])
    expect(rowsIn(path)).toEqual(kernel.ledger.rows())
  })
})

describe('R34 a ledger that cannot be written', () => {
  /** Errors that appending a row tells. */
  function told(path: string): LedgerError[] {
    const errors: LedgerError[] = []
    const ledger = jsonlLedger(path, { onError: (error) => errors.push(error) })
    ledger.append(row())
    ledger.close('t1', 1, close)
    expect(ledger.rows()).toEqual([row(close)])
    return errors
  }

  it.each([
    ['ledger_no_folder', (path: string) => join(path, 'gone', 'ledger.jsonl')],
    ['ledger_not_a_file', (path: string) => path],
    [
      'ledger_not_a_file',
      (path: string) => {
        symlinkSync(join(path, 'a'), join(path, 'a'))
        return join(path, 'a')
      },
    ],
  ])('%s is told once, in one line, and nothing is thrown', (code, make) => {
    const errors = told(make(folder()))
    expect(errors.map((error) => error.code)).toEqual([code])
    expect(errors[0]?.message).toMatch(/^\/\S*: the .*\. [A-Z].*\.$/)
    expect(LedgerErrorClass.isInstance(errors[0]) && RelevoError.isInstance(errors[0])).toBe(true)
  })

  it('goes on where it can be written again, and tells the next fault anew; the end says what the start could not', () => {
    const place = join(folder(), 'place')
    const path = join(place, 'ledger.jsonl')
    const codes: string[] = []
    const ledger = jsonlLedger(path, { onError: (error) => codes.push(error.code) })
    ledger.append(row())
    ledger.append(row({ n: 2 }))
    mkdirSync(place)
    ledger.close('t1', 1, close)
    expect(rowsIn(path)).toEqual([row(close)])
    renameSync(place, `${place}.old`)
    ledger.close('t1', 2, close)
    expect(codes).toEqual(['ledger_no_folder', 'ledger_no_folder'])
  })

  it('a listener that throws costs nothing either; without one the process is warned', () => {
    const path = join(folder(), 'gone', 'ledger.jsonl')
    jsonlLedger(path, { onError: refuse }).append(row())
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    onTestFinished(() => warning.mockRestore())
    jsonlLedger(path).append(row())
    expect(warning.mock.calls.map(([error]) => (error as LedgerError).code)).toEqual(['ledger_no_folder'])
  })
})

describe('R34 a ledger that others touch', () => {
  it('a torn last line is given its end, and stays', () => {
    const path = ledgerFile()
    writeFileSync(path, '{"v":1,"event":"attempt.sta', { mode: 0o600 })
    const ledger = jsonlLedger(path, { onError: refuse })
    ledger.append(row())
    expect(linesIn(path).map(({ kind }) => kind)).toEqual(['broken', 'attempt'])
    // Another process is ended while this one goes on.
    appendFileSync(path, '{"v"')
    ledger.close('t1', 1, close)
    expect(linesIn(path).map(({ kind }) => kind)).toEqual(['broken', 'attempt', 'broken', 'attempt'])
  })

  it('a file that was moved away is begun anew', () => {
    const path = ledgerFile()
    const ledger = jsonlLedger(path, { onError: refuse })
    ledger.append(row())
    renameSync(path, `${path}.1`)
    ledger.close('t1', 1, close)
    expect([rowsIn(`${path}.1`), rowsIn(path)]).toEqual([[row()], [row(close)]])
    expect(linesIn(path)[0]).toMatchObject({ row: { startedAt: AT } })
  })
})
