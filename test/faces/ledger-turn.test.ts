import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type LoopbackScript, startLoopbackProvider } from '../../src/testing.ts'
import { Console, folderOf } from './console.ts'

describe('relevo turn with `ledger.jsonl`', () => {
  const SCRIPT: LoopbackScript = {
    'a.x/m1': { stream: [{ events: [{ text: 'Hello.' }, { usage: { input: 3, output: 2 } }, { final: 'stop' }] }] },
  }

  async function turnIn(jsonl: string, script = SCRIPT): Promise<Console> {
    const provider = await startLoopbackProvider({ script })
    onTestFinished(() => provider.close())
    const profile = `{ model: m1, apiKey: "env:KEY", api: openai-chat, endpoint: "${provider.endpoint('a.x')}", price: { m1: { input: 1, output: 2 } } }`
    const cwd = folderOf({ 'relevo.yaml': `primary: a.x\nprofiles:\n  a.x: ${profile}\nledger: { jsonl: ${jsonl} }\n` })
    return new Console({ cwd, env: { KEY: 'sk-CANARY-1234' } })
  }

  it('R34 enters its attempts, which `relevo ledger` then sums', async () => {
    const shell = await turnIn('ledger.jsonl')
    expect([await shell.run('turn', 'hi'), shell.out]).toEqual([0, 'Hello.\n'])
    const next = new Console({ cwd: shell.io.cwd })
    expect(await next.run('ledger', '--json')).toBe(0)
    expect(next.json[0]?.['groups']).toMatchObject([{ key: 'a.x', attempts: 1, accepted: 1, open: 0, input: 3, output: 2, costPicoUsd: 7_000_000 }])
  })

  it('R34 has an attempt before it is answered, so that one that never is stands there as open', async () => {
    const shell = await turnIn('ledger.jsonl', { 'a.x/m1': { stream: [{ events: [{ text: 'Hel' }, { stall: true }] }] } })
    const running = shell.run('turn', 'hi')
    await shell.shown('Hel')
    const meanwhile = new Console({ cwd: shell.io.cwd })
    expect(await meanwhile.run('ledger')).toBe(0)
    expect(meanwhile.outLines.at(-1)).toMatch(/^total +1 +0 +1 +\?$/)
    shell.interrupt.abort()
    expect(await running).toBe(130)
    const after = new Console({ cwd: shell.io.cwd })
    expect(await after.run('ledger', '--json')).toBe(0)
    expect(after.json[0]?.['total']).toMatchObject({ attempts: 1, accepted: 0, open: 0 })
  })

  it('R34 answers all the same where the ledger cannot be written, and says why behind the answer and in the log', async () => {
    const shell = await turnIn('gone/ledger.jsonl')
    expect([await shell.run('turn', 'hi', '--log-level', 'error'), shell.out]).toEqual([0, 'Hello.\n'])
    const path = join(shell.io.cwd, 'gone', 'ledger.jsonl')
    expect(shell.errLines.at(-1)).toBe(
      `warning: ${path}: the folder of the ledger does not exist. Create it, or name another one. (ledger_no_folder)`,
    )
    expect(shell.errLines.filter((line) => line.includes('"msg":"ledger.failed"'))).toHaveLength(1)
  })
})
