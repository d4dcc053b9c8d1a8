import { NEVER, Observable, of, throwError } from 'rxjs'
import { describe, expect, test } from 'vitest'
import type { RunResult } from '../../../src/model/team.ts'
import { membersOf } from '../../../src/policy/team/chain.ts'
import type { ChoiceRule } from '../../../src/policy/team/order.ts'
import { RunningTeam } from '../../../src/runtime/team/running-team.ts'
import { VirtualTeamClock } from '../../../src/simulate/team-clock.ts'
import { type Call, HOUR, POSTED, rig, UNBOUND } from './running-rig.ts'

/** Takes a second, like a call. */
const after =
  (clock: () => VirtualTeamClock, result: RunResult): Call =>
  () =>
    new Observable((subscriber) =>
      clock().after(1_000, () => {
        subscriber.next(result)
        subscriber.complete()
      }),
    )

describe('a run of a team', () => {
  test('T17 the heartbeat is told once a slice of a sleep, and nothing is left once it is over', () => {
    const limited = (resetAt: number): RunResult => ({ kind: 'limited', limit: { resetAt } })
    const { team, heartbeats, pass, clock, states } = rig((_, number) => (number === 1 ? of(limited(HOUR)) : NEVER), {}, ['claude'])
    team.start()
    expect(states()).toEqual(['running', 'rate_limited'])
    pass(HOUR - 1)
    expect(heartbeats()).toBe(59)
    pass(1)
    expect(heartbeats()).toBe(60)
    expect(states()).toEqual(['running', 'rate_limited', 'running'])
    expect(clock.nextMs).toBeNull()
  })

  test('nothing happens before the start, and orders of that time are known by then', () => {
    const { team, runs, states, kinds } = rig(() => NEVER)
    team.openGate('bo')
    team.approve('bo')
    team.resume()
    expect(kinds()).toEqual([])
    team.start()
    team.start()
    expect(runs).toMatchObject([{ n: 1, participant: 'bo', startedBy: 'gate' }])
    expect(states()).toEqual(['running'])
  })

  test('G23 a gate of nobody is none, and its approval starts nothing', () => {
    const { team, runs } = rig(() => NEVER)
    team.openGate('zoe')
    team.approve('zoe')
    team.start()
    expect(runs).toMatchObject([{ participant: 'ana', startedBy: 'pick' }])
  })

  test('the first turn is chosen by the time of the start, not of the making', () => {
    const { team, clock, runs, last } = rig(() => NEVER, { until: (_, now) => now >= 5_000 })
    clock.moveTo(5_000)
    team.start()
    expect(runs).toEqual([])
    expect(last()).toMatchObject({ type: 'team.ended', reason: 'until' })
  })

  test('G22 an immediate stop breaks the call off, once, and nothing comes of what it says afterwards', () => {
    let broken = 0
    const { team, last, runs } = rig(() => new Observable(() => () => broken++))
    team.start()
    team.stop({ immediate: true })
    team.stop({ immediate: true })
    expect(broken).toBe(1)
    expect(last()).toMatchObject({ type: 'team.ended', reason: 'stop' })
    expect(runs).toHaveLength(1)
  })

  test('G12 a call that was broken off is charged up to then, and nothing after', () => {
    const { team, clock } = rig(() => NEVER)
    team.start()
    clock.moveTo(400)
    team.stop({ immediate: true })
    clock.moveTo(9_000)
    expect(team.progress.chargedMs).toBe(400)
  })

  test('a run that was stopped before its start has no start', () => {
    const { team, states, runs } = rig(() => NEVER)
    team.stop()
    team.start()
    expect(states()).toEqual(['stopped'])
    expect(runs).toEqual([])
  })

  test('a pause before the start is taken back by a resume', () => {
    const { team, states } = rig(() => NEVER)
    team.pause()
    team.resume()
    expect(states()).toEqual([])
    team.start()
    expect(states()).toEqual(['running'])
  })

  test('who is done looks again once a teammate asks for them, and nobody by asking for themselves', () => {
    const results: RunResult[] = [
      { ...POSTED, done: true },
      { ...POSTED, asked: 'ana' },
      { ...POSTED, done: true, asked: 'ana' },
      { ...POSTED, done: true },
    ]
    const { team, runs, states } = rig((_, number) => of(results[number - 1] ?? POSTED))
    team.start()
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'bo', 'ana', 'bo'])
    expect(states()).toEqual(['running', 'paused'])
  })

  test('a message wakes those who were all done, but not over a pause by the person, which it takes a resume to end', () => {
    const all = rig((_, number) => (number < 3 ? of({ ...POSTED, done: true }) : NEVER))
    all.team.start()
    all.team.messagePosted()
    expect(all.states()).toEqual(['running', 'paused', 'running'])
    const held = rig((_, number) => (number < 3 ? of({ ...POSTED, done: true }) : NEVER))
    held.team.start()
    held.team.pause()
    held.team.messagePosted()
    expect(held.states()).toEqual(['running', 'paused'])
    held.team.resume()
    expect(held.states()).toEqual(['running', 'paused', 'running'])
  })

  test('an order that a listener gives while it is told of a run reaches that run', () => {
    const clock = new VirtualTeamClock(0)
    const seen: string[] = []
    const team: RunningTeam = new RunningTeam(
      { members: membersOf([{ id: 'ana', provider: 'claude', model: null, failover: [] }], () => true), settings: UNBOUND, zone: 'UTC' },
      {
        clock,
        run: () =>
          new Observable(() => {
            seen.push('begun')
            return () => seen.push('broken off')
          }),
        onFact: (fact) => {
          seen.push(fact.type)
          if (fact.type === 'run.started') team.stop({ immediate: true })
        },
      },
    )
    team.start()
    expect(seen.filter((each) => each === 'begun').length).toBe(seen.filter((each) => each === 'broken off').length)
    expect(seen.at(-1)).toBe('team.ended')
  })

  test.each<[string, Call]>([
    ['throws', () => throwError(() => new Error('no'))],
    ['says nothing', () => new Observable((subscriber) => subscriber.complete())],
    [
      'cannot even be asked',
      () => {
        throw new Error('no')
      },
    ],
  ])('T19 a run that %s is a failed call', (_, call) => {
    const { team, states, pass, kinds } = rig(call)
    team.start()
    expect(states()).toEqual(['running', 'backing_off'])
    pass(1_000)
    expect(kinds().filter((type) => type === 'run.started')).toHaveLength(2)
    expect(kinds()).not.toContain('team.failed')
  })

  test('a run that answers at once is as good as any, also a thousand in a row', () => {
    const { team, runs, last } = rig(() => of(POSTED), { until: (turns) => turns >= 1_000 })
    team.start()
    expect(runs).toHaveLength(1_000)
    expect(runs.at(-1)).toMatchObject({ n: 1_000, participant: 'bo' })
    expect(last()).toMatchObject({ type: 'team.ended', reason: 'until' })
  })

  test('of a run that says two things the last one counts, and one that ends twice ended once', () => {
    const { team, runs, kinds } = rig((_, number) => (number === 1 ? of(POSTED, { kind: 'silent' } as const) : NEVER))
    team.start()
    expect(runs).toHaveLength(1)
    expect(kinds()).toContain('wait.started')
  })

  test('a choice rule that throws is a defect that is told, and nothing runs on', () => {
    const choice: ChoiceRule = () => {
      throw new Error('a host rule')
    }
    const { team, last, runs, clock } = rig(() => of(POSTED), { choice })
    team.start()
    expect(last()).toMatchObject({ type: 'team.failed', error: new Error('a host rule') })
    expect(runs).toEqual([])
    expect(clock.nextMs).toBeNull()
    team.resume()
    team.stop()
  })

  test('G18 a team without an engine is refused, in one line', () => {
    const ask = { members: [{ id: 'ana', entries: [] }], settings: UNBOUND, zone: 'UTC' }
    const ports = { clock: new VirtualTeamClock(0), run: () => NEVER, onFact() {} }
    expect(() => new RunningTeam(ask, ports)).toThrow(/^No participant has an engine on this machine; install .+\.$/)
  })

  test('G12 progress tells what is charged so far, a call that runs included', () => {
    const { team, clock } = rig((...asked) => after(() => clock, POSTED)(...asked))
    team.start()
    clock.moveTo(400)
    expect(team.progress).toMatchObject({ iterations: 0, chargedMs: 400, paused: null })
    clock.suspend(5_000)
    expect(team.progress.chargedMs).toBe(400)
  })

  test('T7 a new run of a team knows of no limit', () => {
    const first = rig(() => of({ kind: 'limited', limit: { resetAt: HOUR } } as const), {}, ['claude'])
    first.team.start()
    expect([...first.team.progress.limits]).toEqual([['claude', HOUR]])
    expect(rig(() => NEVER, {}, ['claude']).team.progress.limits.size).toBe(0)
  })
})
