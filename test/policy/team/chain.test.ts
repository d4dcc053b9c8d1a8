import { describe, expect, test } from 'vitest'
import { membersOf } from '../../../src/policy/team/chain.ts'

const installed =
  (...names: string[]) =>
  (provider: string) =>
    names.includes(provider)
const ana = { id: 'ana', provider: 'claude', model: 'opus', failover: ['codex', 'claude:haiku', 'openai.work:org/model:v2'] }

describe('T6 T8 T10 the engines of a participant', () => {
  test('its own provider first, then its chain as written, each its own engine', () => {
    const [made] = membersOf([ana], () => true)
    expect(made?.entries.map(({ engine, provider, model, primary }) => [engine, provider, model, primary])).toEqual([
      ['claude', 'claude', 'opus', true],
      ['codex', 'codex', null, false],
      ['claude:haiku', 'claude', 'haiku', false],
      ['openai.work:org/model:v2', 'openai.work', 'org/model:v2', false],
    ])
  })

  test.each([
    [['claude'], ['claude', 'claude:haiku']],
    [['codex'], ['codex']],
    [['agy'], []],
  ])('this machine has %j: %j', (names, engines) => {
    const [made] = membersOf([ana], installed(...names))
    expect(made?.entries.map(({ engine }) => engine)).toEqual(engines)
  })

  test('T8 without a chain there is no other engine', () => {
    expect(membersOf([{ ...ana, failover: [] }], () => true)[0]?.entries).toHaveLength(1)
  })
})
