import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type LoopbackScript, startLoopbackProvider } from '../../src/testing.ts'
import { absent, raw } from '../adapters/sqlite/rig.ts'
import { Console, folderOf } from './console.ts'

/** Every turn costs 7 millionths of a dollar. */
const USAGE = { input: 3, output: 2 }
const SCRIPT: LoopbackScript = {
  'a.x/m1': {
    stream: Array.from({ length: 3 }, () => ({ events: [{ text: 'Hello.' }, { usage: USAGE }, { final: 'stop' }] })),
    call: Array.from({ length: 3 }, () => ({ ok: 'Hello.', usage: USAGE })),
  },
}

/** A folder of settings, in which each call is a process of its own. */
async function shells(
  settings: string,
  files: Readonly<Record<string, string>> = {},
): Promise<(...line: readonly string[]) => Promise<Console & { readonly code: number }>> {
  const provider = await startLoopbackProvider({ script: SCRIPT })
  onTestFinished(() => provider.close())
  const profile = `{ model: m1, apiKey: "env:KEY", api: openai-chat, endpoint: "${provider.endpoint('a.x')}", price: { m1: { input: 1, output: 2 } } }`
  const cwd = folderOf({ 'relevo.yaml': `primary: a.x\nprofiles:\n  a.x: ${profile}\n${settings}\n`, ...files })
  return async (...line) => {
    const shell = new Console({ cwd, env: { KEY: 'sk-CANARY-1234' } })
    return Object.assign(shell, { code: await shell.run(...line) })
  }
}

const NOON = Date.UTC(2026, 2, 1, 12)

/** The wall clock goes on from there: a test that midnight falls into would have two days. */
function goOnFrom(at: number): void {
  const begun = performance.now()
  vi.spyOn(Date, 'now').mockImplementation(() => at + Math.floor(performance.now() - begun))
}
beforeEach(() => goOnFrom(NOON))
afterEach(() => void vi.restoreAllMocks())

const warnings = (lines: readonly string[]) => lines.filter((line) => line.startsWith('warning: '))

const LEDGERS = ['{ jsonl: ledger.jsonl }', ...(absent === null ? ['{ sqlite: ledger.db }'] : [])]

describe.each(LEDGERS)('R34 budgets with `ledger: %s`', (ledger) => {
  it.each(['{ perDay: 0.00001 }', '{ perProfile: 0.00001 }', '{ perProfile: { a.x: 0.00001 }, zone: Pacific/Kiritimati }'])(
    '%s holds over the processes of a day',
    async (budgets) => {
      const relevo = await shells(`ledger: ${ledger}\nbudgets: ${budgets}`)
      expect([await relevo('turn', 'hi'), await relevo('turn', 'hi')].map(({ code, out }) => [code, out])).toEqual([
        [0, 'Hello.\n'],
        [0, 'Hello.\n'],
      ])
      const third = await relevo('turn', 'hi')
      expect([third.code, third.out, third.errLines.at(-1)]).toEqual([4, '', expect.stringMatching(/^error: .*\(budget\)/)])
      expect((await relevo('ledger', '--json')).json[0]?.['total']).toMatchObject({ attempts: 2, costPicoUsd: 14_000_000 })
      expect((await relevo('plan', '--json')).json[0]?.['entries']).toMatchObject([{ profile: 'a.x', skip: 'over_budget' }])
      goOnFrom(NOON + 86_400_000)
      expect((await relevo('turn', 'hi')).code).toBe(0)
    },
  )

  it('a bound of a turn or a run is that of one process', async () => {
    const relevo = await shells(`ledger: ${ledger}\nbudgets: { perTurn: 0.00001, perRun: 0.00001 }`)
    for (let turn = 1; turn <= 3; turn++) expect((await relevo('turn', 'hi')).code).toBe(0)
  })
})

it('R34 a plan makes no ledger, and says what of one it could not read', async () => {
  const relevo = await shells('ledger: { jsonl: ledger.jsonl }\nbudgets: { perDay: 0.00001 }')
  const { code, err, io } = await relevo('plan')
  expect([code, err, existsSync(join(io.cwd, 'ledger.jsonl'))]).toEqual([0, '', false])
  mkdirSync(join(io.cwd, 'ledger.jsonl'))
  const unread = await relevo('plan')
  expect([unread.code, unread.errLines]).toEqual([0, [expect.stringMatching(/^warning: .*against the budgets: .*\(ledger_not_a_file\)$/)]])
})

describe('R34 budgets of a team', () => {
  it('hold over its runs by the ledger in its folder, where the settings name none', async () => {
    const participants = {
      'participants/ana.md': '---\nprovider: a.x\n---\nYou are ana.\n',
      'participants/bo.md': '---\nprovider: a.x\n---\nYou are bo.\n',
    }
    const relevo = await shells('team: {}\nbudgets: { perDay: 0.00001 }', participants)
    expect([(await relevo('run', '--once')).code, (await relevo('run', '--once')).code]).toEqual([0, 0])
    const third = await relevo('run', '--once')
    expect([third.code, third.out]).toEqual([4, expect.stringContaining('every participant limited')])
    const kept = await relevo('ledger', join('.relevo', 'ledger.jsonl'), '--by', 'participant', '--json')
    expect(kept.json[0]?.['groups']).toMatchObject([
      { key: 'ana', costPicoUsd: 7_000_000 },
      { key: 'bo', costPicoUsd: 7_000_000 },
    ])
  })
})

describe('R34 a ledger that cannot be read', () => {
  it('bars no turn, and is told with what follows from it', async () => {
    const relevo = await shells('ledger: { jsonl: place }\nbudgets: { perDay: 0.00001 }')
    const { io } = await relevo('check')
    mkdirSync(join(io.cwd, 'place'))
    const { code, errLines } = await relevo('turn', 'hi')
    const fault = `${join(io.cwd, 'place')}: the ledger is no regular file. Name a file, or take away what stands in its place. (ledger_not_a_file)`
    expect([code, warnings(errLines)]).toEqual([
      0,
      [`warning: what was spent before does not count against the budgets: ${fault}`, `warning: ${fault}`],
    ])
  })

  it.skipIf(absent !== null)('nor does a database of another program', async () => {
    const relevo = await shells('ledger: { sqlite: theirs.db }\nbudgets: { perDay: 0.00001 }')
    const { io } = await relevo('check')
    raw(join(io.cwd, 'theirs.db')).exec('CREATE TABLE theirs (a)')
    const { code, errLines } = await relevo('turn', 'hi')
    expect([code, warnings(errLines)]).toEqual([
      0,
      [expect.stringContaining('against the budgets: '), expect.stringContaining('(ledger_not_a_ledger)')],
    ])
  })
})
