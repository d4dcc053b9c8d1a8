import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Judged {
  readonly kind: string
  readonly what: string
  readonly noticed: { readonly id: string; readonly how: string } | null
}

function judgedOnly(only: string): Judged[] {
  const scratch = mkdtempSync(join(tmpdir(), 'relevo-mutate-'))
  try {
    const report = join(scratch, 'report.json')
    execFileSync(process.execPath, [join(import.meta.dirname, 'mutate.mjs'), '--only', only, '--json', report], { stdio: 'ignore' })
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

test('a mutation that no scenario can see is said to have survived: the bytes of an error that no trace shows', () => {
  const judged = judgedOnly('src/policy/aggregate.ts')
  expect(judged.find((each) => each.what.includes('MOST_BYTES = 2048'))?.noticed).toBeNull()
})
