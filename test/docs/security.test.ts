import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../architecture/source.ts'
import { COPY, keepersOf, securityChecks, titlesIn, withIds } from './security-checks.ts'
import { securityPage } from './security-page.ts'

const SHARED = join(ROOT, '../shared/corpus/security/checks.json')
const checks = securityChecks()
/** Parts of the product that are there, and have no excuse. */
const BUILT: ReadonlySet<string> = new Set(['core', 'gateway and page'])

describe('the security checks', () => {
  it('docs/security.md is what the checks and the titles of the tests say (npm run docs makes it anew)', async () => {
    await expect(securityPage()).toMatchFileSnapshot('../../docs/security.md')
  })

  it('every check has its row there', () => {
    const rows = [...securityPage().matchAll(/^\| ([A-Z]+-\d+) \|/gm)].map(([, id]) => id)
    expect(rows.sort()).toEqual(checks.map(({ id }) => id).sort())
  })

  it('every check that the core, the gateway or the page must keep is kept by a test whose title begins with its id', () => {
    const must = checks.filter(({ owner, priority }) => BUILT.has(owner) && priority === 'must').map(({ id }) => id)
    const keepers = keepersOf(must)
    expect(must.length).toBeGreaterThan(55)
    expect(must.filter((id) => (keepers.get(id) ?? []).every(({ file }) => !file.endsWith('.test.ts') || file.endsWith('.prove.test.ts')))).toEqual(
      [],
    )
  })

  it('the copy is that of ../shared/corpus', (context) => {
    if (!existsSync(SHARED)) context.skip('../shared/corpus is absent: nothing to compare the copy with')
    expect(readFileSync(COPY, 'utf8') === readFileSync(SHARED, 'utf8'), 'test/corpus/security is older than ../shared/corpus: copy it again').toBe(
      true,
    )
  })
})

describe('the reader of titles', () => {
  it('finds the title of whatever form of test there is, and no other text', () => {
    const text = `
      it('SEC-01 plain', () => it.each(['SEC-02 a row'])('SEC-03 %s', () => expect('SEC-04 text')))
      describe.skipIf(x)(\`SEC-05 put \${y} together\`, f)
      test.each\`SEC-06\`('SEC-07 tagged', f); describe.each([1])('SEC-08', f); it.only('SEC-09 only', f)
      console.log('SEC-10'); other.it('SEC-11 of somebody else', f); it.todo('SEC-12')
    `
    expect(titlesIn('x.test.ts', text).map((title) => title.text)).toEqual([
      'SEC-01 plain',
      'SEC-03 …',
      'SEC-05 put … together',
      'SEC-07 tagged',
      'SEC-08',
      'SEC-09 only',
      'SEC-12',
    ])
  })

  it('knows what a test stands below, and what of its title is fixed', () => {
    const text = "describe('a', () => describe.each([1])('b $n', () => it.each([1])('SEC-01 %i of $each.name', f)))"
    expect(titlesIn('x.test.ts', text).at(-1)).toEqual({ text: 'SEC-01 … of …', below: ['a', 'b …'] })
  })

  it('takes ids at the beginning of a title, one or several, and none within', () => {
    expect(withIds('FS-01 FS-02, AG-01: no more than SEC-01')).toEqual({ ids: ['FS-01', 'FS-02', 'AG-01'], title: 'no more than SEC-01' })
    expect([withIds('R21 SEC-01 x').ids, withIds('SEC-01').ids, withIds('SEC-011 x').ids]).toEqual([[], ['SEC-01'], []])
  })
})
