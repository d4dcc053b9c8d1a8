import { describe, expect, test } from 'vitest'
import { sleepOf } from '../../../src/policy/team/sleep.ts'
import { known, member } from './team.ts'

const ana = member('ana', 'claude', 'claude:haiku')
const bo = member('bo', 'codex')
const members = [ana, bo]
const keptAna = { id: 'ana', entries: ana.entries }

const nobody: ReadonlySet<string> = new Set()

describe('T12 T16 T18 G08 G09 how long nobody can take the turn', () => {
  test.each([
    [
      'everybody limited: the earliest of all',
      { limits: { claude: 90, 'claude:haiku': 50, codex: 70 } },
      null,
      [50, 'claude:haiku', 'rateLimited', 'every'],
    ],
    [
      'G17 of equal ones the first in listed order',
      { limits: { claude: 50, 'claude:haiku': 50, codex: 50 } },
      null,
      [50, 'claude', 'rateLimited', 'every'],
    ],
    ['some only out of reach', { limits: { claude: 90, 'claude:haiku': 90 }, outages: { codex: 70 } }, null, [70, 'codex', 'rateLimited', 'nobody']],
    ['no provider can be reached', { outages: { claude: 60, codex: 70 } }, null, [60, 'claude', 'unreachable', 'unreachable']],
    [
      'no provider can be reached, and one entry is limited beyond it',
      { limits: { claude: 90 }, outages: { claude: 60, codex: 70 } },
      null,
      [60, 'claude:haiku', 'unreachable', 'unreachable'],
    ],
    [
      'a kept turn waits for its own, though another is back first, so the line is not of everybody',
      { limits: { claude: 90, 'claude:haiku': 80, codex: 10 } },
      keptAna,
      [80, 'claude:haiku', 'rateLimited', 'kept'],
    ],
    [
      'a kept turn though somebody else could run',
      { limits: { claude: 90, 'claude:haiku': 80 } },
      keptAna,
      [80, 'claude:haiku', 'rateLimited', 'kept'],
    ],
    [
      'a kept turn whose provider is out while another could be reached: no line',
      { outages: { claude: 60 } },
      keptAna,
      [60, 'claude', 'unreachable', null],
    ],
    [
      'an approved turn waits for one entry, though the chain is free',
      { limits: { claude: 90 } },
      { id: 'ana', entries: ana.entries.slice(0, 1) },
      [90, 'claude', 'rateLimited', 'kept'],
    ],
  ])('%s', (_, what, kept, [untilAt, engine, state, says]) => {
    expect(sleepOf({ members, register: known(what), kept, done: nobody })).toMatchObject({ untilAt, engine, state, says })
  })

  test('nobody waits for an engine that only those need who are done, and the line is true', () => {
    const sleep = sleepOf({
      members: [member('ana', 'claude'), member('bo', 'codex')],
      register: known({ limits: { claude: 90 } }),
      kept: null,
      done: new Set(['bo']),
    })
    expect(sleep).toMatchObject({ untilAt: 90, engine: 'claude', state: 'rateLimited', says: 'nobody' })
  })

  test('an engine of one who is done is back first: the one that is waited for is not', () => {
    const register = known({ limits: { claude: 90, codex: 50 } })
    const sleep = sleepOf({ members: [member('ana', 'claude'), member('bo', 'codex')], register, kept: null, done: new Set(['bo']) })
    expect(sleep).toMatchObject({ untilAt: 90, engine: 'claude', state: 'rateLimited', says: 'nobody' })
  })

  test('nothing to wait for', () => {
    expect(sleepOf({ members: [], register: known({}), kept: null, done: nobody })).toBeNull()
  })
})
