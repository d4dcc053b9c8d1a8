import { describe, expect, it } from 'vitest'
import { Console, folderOf } from './console.ts'

/** A plan sends nothing, and says who is over a budget: an entry without a price is (R34). */
async function skipOf(profile: string, model: string, more = ''): Promise<unknown> {
  const settings = `primary: ${profile}\nprofiles:\n  ${profile}: { model: ${model}, apiKey: no-key-needed${more} }\nbudgets: { perTurn: 1 }\n`
  const shell = new Console({ cwd: folderOf({ 'relevo.yaml': settings }) })
  expect(await shell.run('plan', '--json')).toBe(0)
  const [{ entries }] = shell.json as [{ entries: { skip: unknown }[] }]
  return entries[0]?.skip
}

describe('R34 commands price what the settings leave open by the package of prices, where it is installed', () => {
  it.each([
    ['openai.main', 'gpt-5', null],
    ['anthropic.main', 'claude-sonnet-4-5', null],
    ['openai.main', 'gpt-99', 'over_budget'],
  ])('%s/%s', async (profile, model, skip) => {
    expect(await skipOf(profile, model)).toBe(skip)
  })

  it('another address has no price of it, whatever its family is called', async () => {
    expect(await skipOf('openai.proxy', 'gpt-5', ', endpoint: "https://llm.example/v1"')).toBe('over_budget')
  })
})
