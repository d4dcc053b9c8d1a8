import { expect, it } from 'vitest'
import { CHAT_DIALECT_TABLE } from '../../src/engines/http/openai-chat/dialects.ts'
import { providersPage } from './providers-page.ts'

it('docs/reference/providers.md is what the tables say (npm run docs makes it anew)', async () => {
  await expect(providersPage()).toMatchFileSnapshot('../../docs/reference/providers.md')
})

it('every dialect has its row there', () => {
  const [, table = ''] = providersPage().split('| dialect |')
  const rows = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(['compatible', ...rows]).toEqual(Object.keys(CHAT_DIALECT_TABLE))
})
