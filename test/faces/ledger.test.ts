import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ledger } from '../../src/faces/cli/ledger.ts'
import { jsonlLedger, type LedgerError } from '../../src/host.ts'
import type { LedgerRow, RowClose } from '../../src/index.ts'
import { UNKNOWN_BILL } from '../../src/model/usage.ts'
import { billOf } from '../tools/bills.ts'
import { Console, type ConsoleOptions, folderOf, GOOD } from './console.ts'

const AT = Date.UTC(2026, 2, 1, 12)
const refuse = (error: LedgerError): never => {
  throw error
}

interface Attempt extends Partial<LedgerRow> {
  readonly close?: Partial<RowClose>
}

function write(path: string, attempts: readonly Attempt[]): void {
  const keep = jsonlLedger(path, { onError: refuse })
  for (const [index, { close, ...more }] of attempts.entries()) {
    const row: LedgerRow = {
      turn: `t${index}`,
      n: 1,
      iteration: null,
      requested: { profile: 'a.x', model: 'm1' },
      profile: 'a.x',
      model: 'm1',
      mode: 'stream',
      startedAt: AT + index,
      endedAt: null,
      outcome: null,
      accepted: false,
      ...UNKNOWN_BILL,
      ...more,
    }
    keep.append(row)
    const usual: RowClose = { endedAt: AT + 9, outcome: 'ok', accepted: true, iteration: null, ...billOf({ input: 100, output: 20 }, 0.0125) }
    if (close !== undefined) keep.close(row.turn, row.n, { ...usual, ...close })
  }
}

const ATTEMPTS: readonly Attempt[] = [
  { close: {} },
  { turn: 't0', n: 2, profile: 'b.y#2', model: 'm2', participant: 'ana', close: billOf({ input: 7, cachedInput: 3, output: 1 }, null) },
  { close: { outcome: 'rate_limited', accepted: false, ...UNKNOWN_BILL } },
  { profile: 'b.y#2', model: 'm2' },
]

function stage(attempts: readonly Attempt[], options: ConsoleOptions = {}): Console {
  const cwd = folderOf({})
  write(join(cwd, 'ledger.jsonl'), attempts)
  return new Console({ cwd, ...options })
}

const UNKNOWN = 'note: the cost of 2 attempts is not known, shown as ?: no price, no tokens told, or no end. Set profiles.<id>.price for later ones.'

describe('relevo ledger', () => {
  it('R34 sums attempts, tokens and cost by profile, and says once that some cost is not known', async () => {
    const shell = stage(ATTEMPTS)
    expect(await shell.run('ledger', 'ledger.jsonl')).toBe(0)
    expect(shell.outLines).toEqual([
      'profile  attempts  accepted  open  input  cached  output           USD',
      'a.x             2         1     0    100              20      0.012500',
      'b.y#2           2         1     1      7       3       1             ?',
      'total           4         2     1    107       3      21  0.012500 + ?',
    ])
    expect(shell.errLines).toEqual([UNKNOWN])
  })

  it.each([
    ['model', ['m1', 'm2']],
    ['turn', ['t0', 't2', 't3']],
    ['participant', ['(none)', 'ana']],
    ['day', ['2026-03-01']],
  ])('--by %s', async (by, keys) => {
    const shell = stage(ATTEMPTS)
    expect(await shell.run('ledger', 'ledger.jsonl', '--by', by)).toBe(0)
    expect(shell.outLines.map((line) => line.split(' ', 1)[0])).toEqual([by, ...keys, 'total'])
  })

  it('--json has the same, with costs in whole pico-USD, and nothing else on either stream', async () => {
    const shell = stage(ATTEMPTS)
    expect(await shell.run('ledger', 'ledger.jsonl', '--json', '--since', '2026-03-01T12:00:00.001Z')).toBe(0)
    const plan = { subscription: 0, reportedPicoUsd: null }
    const group = { attempts: 2, accepted: 1, open: 1, input: 7, cachedInput: 3, output: 1, costPicoUsd: null, unknownCost: 2, ...plan }
    const failed = { attempts: 1, accepted: 0, open: 0, input: null, cachedInput: null, output: null, costPicoUsd: null, unknownCost: 0, ...plan }
    expect(shell.json).toEqual([
      {
        file: join(shell.io.cwd, 'ledger.jsonl'),
        since: '2026-03-01T12:00:00.001Z',
        by: 'profile',
        groups: [
          { key: 'b.y#2', ...group },
          { key: 'a.x', ...failed },
        ],
        total: { ...group, attempts: 3 },
        leftOut: 0,
        broken: 0,
        torn: false,
      },
    ])
    expect(shell.err).toBe('')
  })

  it('R34 an attempt on a plan is shown by that word, never as 0 or ?; what its program reports has a column where there is some', async () => {
    const plan = (reportedPicoUsd: number | null): Partial<RowClose> => ({
      ...UNKNOWN_BILL,
      costBasis: 'subscription',
      usage: { input: 9 },
      reportedPicoUsd,
    })
    const claude = { profile: 'claude.cli', costBasis: 'subscription' } as const
    const shell = stage([...ATTEMPTS, { ...claude, close: plan(1_230_000_000_000) }, { ...claude, close: plan(null) }, { ...claude }])
    expect(await shell.run('ledger', 'ledger.jsonl')).toBe(0)
    expect(shell.outLines).toEqual([
      'profile     attempts  accepted  open  input  cached  output                          USD  reported',
      'a.x                2         1     0    100              20                     0.012500',
      'claude.cli         3         2     1     18                                 subscription  1.230000',
      'b.y#2              2         1     1      7       3       1                            ?',
      'total              7         4     2    125       3      21  0.012500 + subscription + ?  1.230000',
    ])
    expect(shell.errLines).toEqual([UNKNOWN])
    const json = new Console({ cwd: shell.io.cwd })
    expect(await json.run('ledger', 'ledger.jsonl', '--json')).toBe(0)
    expect(json.json[0]?.['total']).toMatchObject({
      subscription: 3,
      reportedPicoUsd: 1_230_000_000_000,
      costPicoUsd: 12_500_000_000,
      unknownCost: 2,
    })
  })

  it('--by day --zone: days begin where it says, and the zone stands in the JSON', async () => {
    const shell = stage([{ close: { endedAt: Date.UTC(2026, 2, 1, 23, 30) } }])
    expect(await shell.run('ledger', 'ledger.jsonl', '--by', 'day', '--zone', 'Europe/Madrid', '--json')).toBe(0)
    expect(shell.json[0]).toMatchObject({ by: 'day', zone: 'Europe/Madrid', groups: [{ key: '2026-03-02', attempts: 1 }] })
    const usual = new Console({ cwd: shell.io.cwd })
    expect(await usual.run('ledger', 'ledger.jsonl', '--by', 'day', '--json')).toBe(0)
    expect(usual.json[0]).toMatchObject({ zone: 'UTC', groups: [{ key: '2026-03-01' }] })
  })

  it.each([
    [['--by', 'day', '--zone', 'Madrid'], 'error: --zone: `Madrid` is no time zone that is known here. Write one such as Europe/Madrid or UTC.'],
    [['--by', 'day', '--zone', ''], 'error: --zone: `` is no time zone that is known here. Write one such as Europe/Madrid or UTC.'],
    [['--zone', 'Europe/Madrid'], 'error: --zone: only days begin by a time zone. Leave it out, or ask with --by day.'],
  ])('%j exits 2 with one line that helps', async (args, line) => {
    const shell = stage(ATTEMPTS)
    expect(await shell.run('ledger', 'ledger.jsonl', ...args)).toBe(2)
    expect([shell.out, shell.errLines]).toEqual(['', [line]])
  })

  it.each([
    ['1d', 1],
    ['36h', 2],
    ['2160m', 2],
    ['4w', 3],
    ['999999999w', 3],
    ['2026-03-01', 2],
    ['2026-03-02T00:00:01Z', 1],
  ])('--since %s', async (since, attempts) => {
    const day = 86_400_000
    const shell = stage([-2, 0, 1].map((days) => ({ startedAt: Date.UTC(2026, 2, 1, 12) + days * day, close: {} })))
    const now = Date.UTC(2026, 2, 3)
    expect(await ledger(shell.io, 'ledger.jsonl', { by: 'turn', since, json: true }, () => now)).toBe(0)
    expect(shell.json[0]?.['total']).toMatchObject({ attempts })
  })

  it.each(['yesterday', '1y', '24', '-1h', '2026-13-01', ''])('--since %j exits 2 with one line that helps', async (since) => {
    const shell = stage(ATTEMPTS)
    expect(await shell.run('ledger', 'ledger.jsonl', '--since', since)).toBe(2)
    expect([shell.out, shell.errLines]).toEqual(['', [expect.stringMatching(/^error: --since: .*2026-03-01T12:00:00Z.*24h/)]])
  })

  it('costs: a millionth is rounded to, what is less is not shown as nothing, and a sum is exact', async () => {
    const cost = (usd: number): Attempt => ({ profile: `p.${usd}`, close: billOf({ input: 100, output: 20 }, usd) })
    const shell = stage([cost(1234.5), cost(0.0000015), cost(1e-12), cost(0)])
    await shell.run('ledger', 'ledger.jsonl')
    expect(shell.outLines.slice(1).map((line) => line.split(/ +/).at(-1))).toEqual([
      '1234.500000',
      '0.000002',
      '<0.000001',
      '0.000000',
      '1234.500002',
    ])
    const many = stage(Array.from({ length: 1_000 }, () => cost(0.1)))
    await many.run('ledger', 'ledger.jsonl', '--json')
    expect(many.json[0]?.['total']).toMatchObject({ costPicoUsd: 100e12 })
  })

  it('lines that are no attempts are told with the first of them, a torn one with what it means, and the rest is summed', async () => {
    const shell = stage(ATTEMPTS)
    const path = join(shell.io.cwd, 'ledger.jsonl')
    writeFileSync(path, 'nonsense\n{"v":2}\n', { flag: 'a' })
    write(path, [{ close: {} }])
    writeFileSync(path, '{"v":1,"ev', { flag: 'a' })
    expect(await shell.run('ledger', 'ledger.jsonl')).toBe(0)
    expect(shell.outLines.at(-1)).toMatch(/^total +5 +3 /)
    expect(shell.errLines).toEqual([
      UNKNOWN,
      `note: ${path}: the last line was torn, as by a process that was ended while it wrote, and does not count. Nothing is to be done.`,
      `warning: ${path}: 2 lines are no attempts and were passed over; the first is line 8: it is no object. Look whether this is the file that is meant.`,
    ])
  })

  it('an empty ledger has no attempts; names of others move no cursor', async () => {
    const empty = new Console({ cwd: folderOf({ 'ledger.jsonl': '' }) })
    expect([await empty.run('ledger', 'ledger.jsonl'), empty.both]).toEqual([0, 'no attempts\n'])
    const shell = stage([{ profile: 'a.\u001b[2J\nx', close: {} }])
    await shell.run('ledger', 'ledger.jsonl')
    expect(shell.outLines[1]).toMatch(/^a\.\[2J x /)
  })

  it('without a file: that of the settings, from their folder on, whatever else they say; else .relevo/ledger.jsonl here', async () => {
    const cwd = folderOf({ 'relevo.yaml': 'ledger: { jsonl: kept/all.jsonl }\nprofiles: 7\n' })
    mkdirSync(join(cwd, 'kept'))
    mkdirSync(join(cwd, 'inner', '.relevo'), { recursive: true })
    write(join(cwd, 'kept', 'all.jsonl'), ATTEMPTS)
    const shell = new Console({ cwd: join(cwd, 'inner') })
    expect(await shell.run('ledger', '--json')).toBe(0)
    expect(shell.json[0]).toMatchObject({ file: join(cwd, 'kept', 'all.jsonl'), total: { attempts: 4 } })
    writeFileSync(join(cwd, 'relevo.yaml'), GOOD)
    write(join(cwd, 'inner', '.relevo', 'ledger.jsonl'), [{ close: {} }])
    const usual = new Console({ cwd: join(cwd, 'inner') })
    expect(await usual.run('ledger', '--json')).toBe(0)
    expect(usual.json[0]).toMatchObject({ total: { attempts: 1 } })
  })

  it.each([
    [['gone.jsonl'], 'the ledger does not exist'],
    [['.'], 'the ledger is no regular file'],
    [[], 'the ledger does not exist'],
    [['a', '--by', 'provider'], 'profile, model, turn, participant, caller, day'],
  ])('%j exits 2 with one line that helps', async (args, words) => {
    const shell = new Console({ cwd: folderOf({}) })
    expect(await shell.run('ledger', ...args)).toBe(2)
    expect([shell.out, shell.errLines]).toEqual(['', [expect.stringContaining(words)]])
  })
})

describe('relevo ledger on a long file', () => {
  const LONG: readonly Attempt[] = Array.from({ length: 2_500 }, () => ({ close: {} }))

  it.each([true, false])('shows how far it is after a second, on a terminal only: %s', async (tty) => {
    const shell = stage(LONG, { tty })
    let now = AT
    expect(await ledger(shell.io, 'ledger.jsonl', { by: 'profile' }, () => (now += 900))).toBe(0)
    expect(shell.err.split('\r\u001b[2K').filter((drawn) => /^reading \S+: [1-9]\d %$/.test(drawn))).toHaveLength(tty ? 1 : 0)
    expect(shell.err.endsWith(tty ? '\r\u001b[2K' : '')).toBe(true)
    expect(shell.outLines).toHaveLength(3)
  })

  it('says nothing within a second, and ends at the interrupt', async () => {
    const shell = stage(LONG, { tty: true })
    await ledger(shell.io, 'ledger.jsonl', { by: 'profile' }, () => AT)
    expect(shell.err).toBe('')
    const interrupted = stage(LONG)
    interrupted.interrupt.abort()
    expect([await interrupted.run('ledger', 'ledger.jsonl'), interrupted.both]).toEqual([130, ''])
  })

  it('--by turn: of too many turns the oldest are only in the total, and that is said', async () => {
    const shell = new Console({ cwd: folderOf({}) })
    const line = { v: 1, event: 'attempt.ended', n: 1, requested: { profile: 'a', model: 'm' }, profile: 'a', model: 'm', mode: 'call' }
    const ended = { startedAt: '2026-03-01T12:00:00Z', endedAt: '2026-03-01T12:00:01Z', outcome: 'ok', accepted: true, usage: null, costPicoUsd: 1 }
    const lines = Array.from({ length: 10_001 }, (_, index) => JSON.stringify({ ...line, ...ended, attempt: `p-${index}`, turn: `t${index}` }))
    writeFileSync(join(shell.io.cwd, 'long.jsonl'), `${lines.join('\n')}\n`)
    expect(await shell.run('ledger', 'long.jsonl', '--by', 'turn')).toBe(0)
    expect(shell.outLines).toHaveLength(10_002)
    expect(shell.outLines[1]).toMatch(/^t1 /)
    expect(shell.outLines.at(-1)).toMatch(/^total +10001 /)
    expect(shell.errLines).toEqual(['note: one older group is only in the total. Ask for fewer with --since.'])
  })
})
