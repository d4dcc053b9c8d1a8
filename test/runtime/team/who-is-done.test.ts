import { NEVER, of, Subject } from 'rxjs'
import { describe, expect, test } from 'vitest'
import type { Member, RunResult } from '../../../src/model/team.ts'
import { membersOf } from '../../../src/policy/team/chain.ts'
import type { TeamAsk } from '../../../src/runtime/team/running-team.ts'
import { HOUR, POSTED, rig } from './running-rig.ts'

const DONE: RunResult = { ...POSTED, done: true }
const LIMITED: RunResult = { kind: 'limited', limit: { resetAt: HOUR } }
const CRASHED: RunResult = { kind: 'failed', fault: { kind: 'exited', code: 1 } }

/** Each call comes to the next of these at once; an order is given while the call runs that comes to the result behind it. */
function played(script: readonly (RunResult | ((team: ReturnType<typeof rig>['team']) => void))[], ask: Partial<TeamAsk> = {}, size = 2) {
  const rest = [...script]
  const made = rig(
    () => {
      for (;;) {
        const next = rest.shift()
        if (typeof next !== 'function') return next === undefined ? NEVER : of(next)
        next(made.team)
      }
    },
    ask,
    ['claude', 'codex', 'agy'].slice(0, size),
  )
  made.team.start()
  const ids = () => made.runs.map(({ participant, startedBy }) => `${participant} ${startedBy}`)
  return { ...made, ids }
}

function membersAre(chains: Readonly<Record<string, string>>, missing = ''): Member[] {
  const participants = Object.entries(chains).map(([id, provider]) => ({ id, provider, model: null, failover: [] }))
  return membersOf(participants, (provider) => provider !== missing)
}

describe('everybody is done', () => {
  test('T12 but one was approved: they have the turn that is owed, and look again from then on', () => {
    const { ids, states } = played([(team) => team.openGate('ana'), DONE, (team) => team.approve('ana'), DONE, POSTED, POSTED])
    expect(ids()).toEqual(['ana pick', 'bo pick', 'ana gate', 'ana pick', 'ana pick'])
    expect(states()).toEqual(['running'])
  })

  test('T12 and one asks the person: the run is paused, and the approval alone goes on', () => {
    const { team, ids, states } = played([(running) => running.openGate('ana'), DONE, DONE, POSTED])
    expect(states()).toEqual(['running', 'paused'])
    team.approve('bo')
    expect(states()).toEqual(['running', 'paused'])
    team.approve('ana')
    // And everybody looks again.
    expect(ids()).toEqual(['ana pick', 'bo pick', 'ana gate', 'ana pick'])
    expect(states()).toEqual(['running', 'paused', 'running'])
  })

  test('T12 G08 and who asks is limited: the approval is told to have been heard before the sleep', () => {
    const { team, states } = played([(running) => running.openGate('ana'), { ...DONE, limit: { resetAt: HOUR } }, DONE])
    team.approve('ana')
    expect(states()).toEqual(['running', 'paused', 'running', 'rate_limited'])
  })

  test('T12 unless the person has paused on top of that: then it waits for the resume', () => {
    const { team, ids, states } = played([(running) => running.openGate('ana'), DONE, DONE])
    team.pause()
    team.approve('ana')
    expect(states()).toEqual(['running', 'paused'])
    team.resume()
    expect(ids()).toEqual(['ana pick', 'bo pick', 'ana gate'])
  })

  test('but one has a turn to repeat, which another process left: it is made', () => {
    const start = { done: new Set(['ana', 'bo']), repeated: { id: 'bo', position: 0 } }
    const { ids } = played([], { start })
    expect(ids()).toEqual(['bo retry'])
  })

  test('a resume lets them look again', () => {
    const { team, ids, states } = played([DONE, DONE])
    team.resume()
    expect(ids()).toEqual(['ana pick', 'bo pick', 'ana pick'])
    expect(states()).toEqual(['running', 'paused', 'running'])
  })

  test('G18 of whom this machine has an engine: that is everybody', () => {
    const { ids, states } = played([DONE], { members: membersAre({ ana: 'claude', bo: 'codex' }, 'codex') })
    expect(ids()).toEqual(['ana pick'])
    expect(states()).toEqual(['running', 'paused'])
  })
})

describe('some are done and the others are limited', () => {
  test('the engine of one who is done is free: a message ends the wait, for it may be for them', () => {
    const { team, ids, states } = played([DONE, LIMITED, LIMITED], {}, 3)
    expect(states()).toEqual(['running', 'waiting'])
    team.messagePosted()
    expect(ids()).toEqual(['ana pick', 'bo pick', 'cy handoff', 'ana pick'])
  })

  test('T17 nobody who is done has a free engine: it is a limit sleep, and a message ends it not', () => {
    const { team, ids, states } = played([{ ...DONE, limit: { resetAt: HOUR } }, LIMITED])
    expect(states()).toEqual(['running', 'rate_limited'])
    team.messagePosted()
    expect(ids()).toEqual(['ana pick', 'bo pick'])
  })

  test('T12 G08 the one who is limited keeps the turn: it is theirs alone, and a message ends the sleep not', () => {
    const { team, ids, states } = played([DONE, (running) => running.openGate('bo'), LIMITED])
    expect(states()).toEqual(['running', 'rate_limited'])
    team.messagePosted()
    expect(ids()).toEqual(['ana pick', 'bo pick'])
  })
})

test('G19 who is done is so still after a pause of the person', () => {
  const { team, ids } = played([DONE, (running) => running.pause(), POSTED])
  team.resume()
  expect(ids()).toEqual(['ana pick', 'bo pick', 'bo pick'])
})

describe('who was asked for has had the turn', () => {
  test('the person asked: once, and then the order goes on where it stood', () => {
    const { ids } = played([(team) => team.messagePosted('cy'), POSTED, POSTED, POSTED], {}, 3)
    expect(ids()).toEqual(['ana pick', 'cy pick', 'bo pick', 'cy pick'])
  })

  test('a post asked: a turn that came to nothing is repeated, and then the order goes on', () => {
    const calls = [new Subject<RunResult>(), new Subject<RunResult>(), new Subject<RunResult>()]
    const { team, runs, pass } = rig((_, number) => calls[number - 1] ?? NEVER, {}, ['claude', 'codex', 'agy'])
    team.start()
    const end = (index: number, result: RunResult): void => {
      calls[index]?.next(result)
      calls[index]?.complete()
    }
    end(0, { ...POSTED, asked: 'cy' })
    end(1, CRASHED)
    pass(1_000)
    end(2, POSTED)
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'cy', 'cy', 'bo'])
  })

  test('a post asked for one who could not: they come first once they can, when nobody has posted since', () => {
    const limited: RunResult = { kind: 'posted', limit: { resetAt: HOUR } }
    const { ids, pass } = played([POSTED, POSTED, limited, { ...POSTED, asked: 'cy' }, LIMITED, LIMITED], {}, 3)
    pass(HOUR)
    expect(ids().slice(3)).toEqual(['ana pick', 'bo pick', 'ana handoff', 'cy pick'])
  })
})
