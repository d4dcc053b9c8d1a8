import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LEDGER_GROUPS } from '../../src/host.ts'
import { type LoopbackScript, startLoopbackProvider } from '../../src/testing.ts'
import { absent, kept, raw } from '../adapters/sqlite/rig.ts'
import { close, row } from '../runtime/ledger-file/rig.ts'
import { billOf } from '../tools/bills.ts'
import { Console, folderOf } from './console.ts'

const SERVED = [{ events: [{ text: 'Hello.' }, { usage: { input: 3, output: 2 } }, { final: 'stop' }] }] as const
const SCRIPT: LoopbackScript = { 'a.x/m1': { stream: SERVED } }

async function turnIn(keeping: string, script = SCRIPT): Promise<Console> {
  const provider = await startLoopbackProvider({ script })
  onTestFinished(() => provider.close())
  const profile = (id: string) =>
    `{ model: m1, apiKey: "env:KEY", api: openai-chat, endpoint: "${provider.endpoint(id)}", price: { m1: { input: 1, output: 2 } } }`
  const profiles = `profiles:\n  a.x: ${profile('a.x').replace('{', '{ fallback: [b.y],')}\n  b.y: ${profile('b.y')}\n`
  const cwd = folderOf({ 'relevo.yaml': `primary: a.x\n${profiles}ledger: ${keeping}\n` })
  return new Console({ cwd, env: { KEY: 'sk-CANARY-1234' } })
}

const next = ({ io: { cwd } }: Console): Console => new Console({ cwd })

describe.skipIf(absent !== null)('relevo turn with `ledger.sqlite`', () => {
  it('R34 enters its attempts, which `relevo ledger` then sums, and leaves one file', async () => {
    const shell = await turnIn('{ sqlite: ledger.db }')
    expect([await shell.run('turn', 'hi'), shell.out]).toEqual([0, 'Hello.\n'])
    const after = next(shell)
    expect(await after.run('ledger', '--json')).toBe(0)
    expect(after.json[0]).toMatchObject({ file: join(shell.io.cwd, 'ledger.db'), broken: 0, torn: false })
    expect(after.json[0]?.['groups']).toMatchObject([{ key: 'a.x', attempts: 1, accepted: 1, open: 0, input: 3, output: 2, costPicoUsd: 7_000_000 }])
    expect(readdirSync(shell.io.cwd).sort()).toEqual(['ledger.db', 'relevo.yaml'])
  })

  it('R34 has an attempt before it is answered, so that one that never is stands there as open', async () => {
    const shell = await turnIn('{ sqlite: ledger.db }', { 'a.x/m1': { stream: [{ events: [{ text: 'Hel' }, { stall: true }] }] } })
    const running = shell.run('turn', 'hi')
    await shell.shown('Hel')
    const meanwhile = next(shell)
    expect(await meanwhile.run('ledger')).toBe(0)
    expect(meanwhile.outLines.at(-1)).toMatch(/^total +1 +0 +1 +\?$/)
    shell.interrupt.abort()
    expect(await running).toBe(130)
    const after = next(shell)
    expect(await after.run('ledger', '--json')).toBe(0)
    expect(after.json[0]?.['total']).toMatchObject({ attempts: 1, accepted: 0, open: 0 })
  })

  it('enters a limit that it met, with when it ends', async () => {
    const limited: LoopbackScript = {
      'a.x/m1': { stream: [{ http: 429 }], call: [{ http: 429 }] },
      'b.y/m1': { stream: SERVED, call: [{ ok: 'Hello.' }] },
    }
    const shell = await turnIn('{ sqlite: ledger.db }', limited)
    expect([await shell.run('turn', 'hi'), shell.out.endsWith('Hello.\n')]).toEqual([0, true])
    const events = raw(join(shell.io.cwd, 'ledger.db')).prepare('SELECT hold_key, until_at - at AS ms FROM limit_event').all()
    expect(events).toEqual([{ hold_key: 'a.x', ms: expect.any(Number) }])
    expect((events[0] as { ms: number }).ms).toBeGreaterThan(0)
  })

  it('R34 answers all the same where it cannot be written, and says why behind the answer and in the log', async () => {
    const shell = await turnIn('{ sqlite: theirs.db }')
    const path = join(shell.io.cwd, 'theirs.db')
    raw(path).exec('CREATE TABLE theirs (a)')
    expect([await shell.run('turn', 'hi', '--log-level', 'error'), shell.out]).toEqual([0, 'Hello.\n'])
    expect(shell.errLines.at(-1)).toBe(`warning: ${path}: the file is no ledger. Name another file, or take this one away. (ledger_not_a_ledger)`)
    expect(shell.errLines.filter((line) => line.includes('"msg":"ledger.failed"'))).toHaveLength(1)
  })
})

describe('two ledgers in the settings', () => {
  it('are refused, as attempts are kept in one place', async () => {
    const shell = await turnIn('{ sqlite: ledger.db, jsonl: ledger.jsonl }')
    expect(await shell.run('turn', 'hi')).toBe(2)
    expect(shell.errLines.join()).toContain('`ledger.sqlite` must not stand beside `ledger.jsonl`: attempts are kept in one place.')
    expect(existsSync(join(shell.io.cwd, 'ledger.db'))).toBe(false)
  })
})

describe.skipIf(absent !== null)('relevo ledger on a database', () => {
  function stage(name: string): Console {
    const cwd = folderOf({})
    const ledger = kept(join(cwd, name))
    ledger.append(row())
    ledger.close('t1', 1, close)
    ledger.append(row({ n: 2, participant: 'ana', profile: 'b.y#2' }))
    ledger.close('t1', 2, { ...close, ...billOf({ input: 7, cachedInput: 3, output: 1 }, null) })
    ledger.append(row({ turn: 't2', caller: 'web' }))
    return new Console({ cwd })
  }

  it('R34 sums it whatever it is called, by what is asked, in the words of a file of lines', async () => {
    const shell = stage('any.jsonl')
    expect(await shell.run('ledger', 'any.jsonl')).toBe(0)
    const cells = shell.outLines.map((line) => line.split(/ {2,}/))
    expect(cells).toEqual([
      ['profile', 'attempts', 'accepted', 'open', 'input', 'cached', 'output', 'USD'],
      ['b.y', '2', '1', '1', '3', '2', '0.000013 + ?'],
      ['b.y#2', '1', '1', '0', '7', '3', '1', '?'],
      ['total', '3', '2', '1', '10', '3', '3', '0.000013 + ?'],
    ])
  })

  it.each(LEDGER_GROUPS)('--by %s', async (by) => {
    const shell = stage('ledger.db')
    expect(await shell.run('ledger', 'ledger.db', '--by', by, '--json')).toBe(0)
    const keys = {
      profile: ['b.y', 'b.y#2'],
      model: ['m2'],
      turn: ['t1', 't2'],
      participant: [null, 'ana'],
      caller: [null, 'web'],
      day: ['2026-03-01'],
    }
    expect(shell.json[0]?.['groups']).toMatchObject(keys[by].map((key) => ({ key })))
    expect(shell.json[0]?.['total']).toMatchObject({ attempts: 3, accepted: 2, open: 1, costPicoUsd: 12_500_000, unknownCost: 2 })
  })

  it.each([
    ['2026-03-01T12:00:00Z', 3],
    ['2026-03-01T12:00:01Z', 0],
  ])('--since %s', async (since, attempts) => {
    const shell = stage('ledger.db')
    expect(await shell.run('ledger', 'ledger.db', '--since', since, '--json')).toBe(0)
    expect(shell.json[0]?.['total']).toMatchObject({ attempts })
  })

  it('GW-03 --caller: what one of them asked for alone', async () => {
    const shell = stage('ledger.db')
    expect(await shell.run('ledger', 'ledger.db', '--caller', 'web', '--by', 'turn', '--json')).toBe(0)
    expect(shell.json[0]).toMatchObject({ caller: 'web', groups: [{ key: 't2', attempts: 1 }], total: { attempts: 1, costPicoUsd: null } })
    expect(await shell.run('ledger', 'ledger.db', '--caller', 'nobody')).toBe(0)
    expect(shell.outLines.at(-1)).toBe('no attempts')
  })

  it('without a file: that of the settings, from their folder on', async () => {
    const cwd = folderOf({ 'relevo.yaml': 'ledger: { sqlite: kept/all.db }\nprofiles: 7\n' })
    for (const name of ['kept', 'inner']) mkdirSync(join(cwd, name))
    kept(join(cwd, 'kept', 'all.db')).append(row())
    const shell = new Console({ cwd: join(cwd, 'inner') })
    expect(await shell.run('ledger', '--json')).toBe(0)
    expect(shell.json[0]).toMatchObject({ file: join(cwd, 'kept', 'all.db'), total: { attempts: 1, open: 1 } })
  })

  it('a damaged one, and one of another program, exit 2 with one line', async () => {
    const cwd = folderOf({})
    writeFileSync(join(cwd, 'damaged.db'), Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5_000, 7)]))
    raw(join(cwd, 'theirs.db')).exec('CREATE TABLE theirs (a)')
    for (const name of ['damaged.db', 'theirs.db']) {
      const shell = new Console({ cwd })
      expect(await shell.run('ledger', name)).toBe(2)
      expect([shell.out, shell.errLines]).toEqual(['', [expect.stringMatching(/^error: \/\S+\.db: the file is no ledger\. /)]])
    }
  })
})
