import { expect, it } from 'vitest'
import { faultsPage } from '../faults/page.ts'

it('docs/faults.md is what the fault table says (npm run docs makes it anew)', async () => {
  await expect(faultsPage()).toMatchFileSnapshot('../../docs/faults.md')
})
