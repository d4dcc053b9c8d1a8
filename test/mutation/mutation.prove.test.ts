import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Judged {
  readonly kind: string
  readonly what: string
  readonly noticed: { readonly id: string; readonly how: string } | null
  /** With `confirm`, of one that no scenario noticed: the test that does. */
  readonly test?: string | null
}

/** `confirm`: where the tests are that are shown what no scenario notices. */
function judgedOnly(only: string, confirm: readonly string[] = []): Judged[] {
  const scratch = mkdtempSync(join(tmpdir(), 'relevo-mutate-'))
  try {
    const report = join(scratch, 'report.json')
    const asked = ['--only', only, '--json', report, ...(confirm.length === 0 ? [] : ['--confirm', ...confirm])]
    execFileSync(process.execPath, [join(import.meta.dirname, 'mutate.mjs'), ...asked], { stdio: 'ignore' })
    return JSON.parse(readFileSync(report, 'utf8')) as Judged[]
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

test('every edge of the stream chart that is deleted and every guard that is negated is noticed', () => {
  const judged = judgedOnly('machines/stream.ts')
  expect(judged.filter((each) => each.kind === 'edge').length).toBeGreaterThanOrEqual(10)
  expect(judged.filter((each) => each.noticed === null).map((each) => each.what)).toEqual([])
})

test('every edge, guard and action of the chart of a team is noticed: by a scenario, or by a test where the scenario language has no word for it', () => {
  const judged = judgedOnly('machines/team.ts', [
    'test/machines/team.test.ts',
    'test/runtime/team/running-team.test.ts',
    'test/runtime/team/spoken-to.test.ts',
    'test/runtime/team/who-is-done.test.ts',
  ])
  expect(judged.filter((each) => each.kind === 'edge').length).toBeGreaterThanOrEqual(40)
  expect(judged.filter((each) => each.noticed === null && each.test === null).map((each) => each.what)).toEqual([])
  // What the person says to whom and when everybody is done are no part of a scenario; that a call is broken off is not either.
  expect(judged.filter((each) => each.kind === 'edge' && each.noticed === null).map((each) => each.what)).toEqual([
    'team on message.posted → (stays) deleted',
    'team.running on team.stop → stopped [isImmediate] deleted',
    'team.paused on gate.approved → choosing [isAwaitedApproval] deleted',
    'team.paused on message.posted → choosing [isAllDone] deleted',
  ])
})

test('a mutation that no scenario can see is said to have survived: the bytes of an error that no trace shows', () => {
  const judged = judgedOnly('src/policy/aggregate.ts')
  expect(judged.find((each) => each.what.includes('MOST_BYTES = 2048'))?.noticed).toBeNull()
})
