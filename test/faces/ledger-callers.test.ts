import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keptLedgerOf } from '../../src/faces/cli/ledger-file.ts'
import { checkConfig, type Settings } from '../../src/index.ts'
import { absent } from '../adapters/sqlite/rig.ts'
import { close, row } from '../runtime/ledger-file/rig.ts'
import { folderOf } from './console.ts'

function settingsOf(ledger: object, keys: readonly object[]): Settings {
  const config = {
    primary: 'a.x',
    profiles: { 'a.x': { apiKey: 'k', api: 'openai-chat', endpoint: 'https://a.example' } },
    ledger,
    gateway: { keys },
  }
  const { settings } = checkConfig(config, { secrets: { env: () => undefined, file: () => undefined } })
  if (settings === null) throw new Error('the settings of this test are not sound')
  return settings
}

const LEDGERS = [{ jsonl: 'ledger.jsonl' }, ...(absent === null ? [{ sqlite: 'ledger.db' }] : [])]
const BOUND = { id: 'web', key: 'a-key-of-a-test', perDay: 1 }

describe.each(LEDGERS)('GW-06 what keys of the gateway spent today, with `ledger: %j`', (ledger) => {
  const lines: string[] = []
  const open = (cwd: string, keys: readonly object[]) =>
    keptLedgerOf(settingsOf(ledger, keys), {
      path: join(cwd, 'relevo.yaml'),
      onError: (error) => lines.push(error.message),
      onUnread: (line) => lines.push(line),
    })

  it('is known after a restart, and is not read for where no key is bounded', () => {
    const cwd = folderOf({})
    const first = open(cwd, [BOUND])
    expect(first?.callers).toEqual(new Map())
    const endedAt = Date.now()
    for (const [n, caller] of ['web', 'cron', 'web'].entries()) first?.ledger.append(row({ ...close, n: n + 1, caller, startedAt: endedAt, endedAt }))
    first?.release()
    const second = open(cwd, [BOUND])
    second?.release()
    expect(second?.callers).toEqual(
      new Map([
        ['web', 25_000_000],
        ['cron', 12_500_000],
      ]),
    )
    const third = open(cwd, [{ id: 'web', key: 'a-key-of-a-test' }])
    third?.release()
    expect([third?.callers, lines]).toEqual([new Map(), []])
  })

  it('is nothing where the ledger cannot be read, which is told', () => {
    const cwd = folderOf({})
    writeFileSync(join(cwd, Object.values(ledger)[0] ?? ''), 'no ledger', { mode: 0o600 })
    const kept = open(cwd, [BOUND])
    kept?.release()
    expect(kept?.callers).toEqual(new Map())
    if ('sqlite' in ledger) expect(lines.join()).toContain('what keys of the gateway spent before does not count against their bounds')
  })
})
