import { expect, it } from 'vitest'
import { settingsReference } from '../../src/config/reference.ts'

it('docs/reference/settings.md is what the schemas say (npm run docs makes it anew)', async () => {
  await expect(settingsReference()).toMatchFileSnapshot('../../docs/reference/settings.md')
})
