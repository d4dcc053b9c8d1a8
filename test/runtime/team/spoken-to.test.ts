import { NEVER, of, Subject } from 'rxjs'
import { describe, expect, test } from 'vitest'
import type { RunResult } from '../../../src/model/team.ts'
import { HOUR, POSTED, rig } from './running-rig.ts'

/** Each call comes to the next of these at once; the one after them stays in flight. */
function played(results: readonly RunResult[], providers: readonly string[]) {
  const made = rig(
    (_, number) => {
      const result = results[number - 1]
      return result === undefined ? NEVER : of(result)
    },
    {},
    providers,
  )
  made.team.start()
  return made
}

const THREE = ['claude', 'codex', 'agy']
const DONE: RunResult = { ...POSTED, done: true }

describe('whom the person asks for comes first', () => {
  test('said during a call: once it is over', () => {
    const call = new Subject<RunResult>()
    const { team, runs } = rig((_, number) => (number === 1 ? call : NEVER), {}, THREE)
    team.start()
    team.messagePosted('cy')
    call.next(POSTED)
    call.complete()
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'cy'])
  })

  test.each<[string, RunResult]>([
    ['T19 the wait after a failed call', { kind: 'failed', fault: { kind: 'timed_out' } }],
    ['T17 a wait play', { kind: 'waiting', minutes: 10 }],
  ])('said in %s: behind the one who looks again', (_, result) => {
    const calls = [new Subject<RunResult>(), new Subject<RunResult>()]
    const { team, runs } = rig((_run, number) => calls[number - 1] ?? NEVER, {}, THREE)
    team.start()
    const end = (index: number, how: RunResult): void => {
      calls[index]?.next(how)
      calls[index]?.complete()
    }
    end(0, result)
    team.messagePosted('cy')
    end(1, POSTED)
    expect(runs.map(({ participant, startedBy }) => [participant, startedBy])).toEqual([
      ['ana', 'pick'],
      ['ana', 'retry'],
      ['cy', 'pick'],
    ])
  })

  test('G03 of a turn that was limited it is not used up: they go on once they are free', () => {
    const limited: RunResult = { kind: 'limited', limit: { resetAt: 5_000 } }
    const script: Readonly<Record<number, RunResult>> = { 2: limited }
    const calls: Subject<RunResult>[] = []
    const { team, runs, pass } = rig(
      (_run, number) => {
        const known = script[number]
        if (known !== undefined) return of(known)
        const call = new Subject<RunResult>()
        calls.push(call)
        return call
      },
      {},
      THREE,
    )
    const post = (): void => {
      const call = calls.at(-1)
      call?.next(POSTED)
      call?.complete()
    }
    team.start()
    team.messagePosted('cy')
    post()
    post()
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'cy', 'bo', 'ana'])
    pass(5_000)
    post()
    expect(runs.at(-1)).toMatchObject({ participant: 'cy', startedBy: 'pick' })
    post()
    expect(runs.at(-1)).toMatchObject({ participant: 'bo', startedBy: 'pick' })
  })

  test('G03 what the person asks for during a limited turn comes before what it was asked for', () => {
    const calls = [new Subject<RunResult>(), new Subject<RunResult>()]
    const { team, runs } = rig((_run, number) => calls[number - 1] ?? NEVER, {}, THREE)
    const end = (index: number, how: RunResult): void => {
      calls[index]?.next(how)
      calls[index]?.complete()
    }
    team.start()
    team.messagePosted('cy')
    end(0, POSTED)
    team.messagePosted('ana')
    end(1, { kind: 'limited', limit: { resetAt: HOUR } })
    expect(runs.map(({ participant, startedBy }) => [participant, startedBy])).toEqual([
      ['ana', 'pick'],
      ['cy', 'pick'],
      ['ana', 'handoff'],
    ])
  })

  test('G03 nor is what a post asked for used up by a turn that was limited', () => {
    const limited: RunResult = { kind: 'limited', limit: { resetAt: HOUR } }
    const { runs, pass } = played([{ ...POSTED, asked: 'cy' }, limited, limited, limited], THREE)
    pass(HOUR)
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'cy', 'bo', 'ana', 'cy'])
  })

  test('said in a limit sleep: when it is over, and not before (T17)', () => {
    const limited: RunResult = { kind: 'limited', limit: { resetAt: HOUR } }
    const { team, runs, pass } = played([limited, limited, limited], THREE)
    team.messagePosted('cy')
    expect(runs).toHaveLength(3)
    pass(HOUR)
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'bo', 'cy', 'cy'])
  })

  test('said in a pause of the person: after the resume', () => {
    const call = new Subject<RunResult>()
    const { team, runs } = rig((_, number) => (number === 1 ? call : NEVER), {}, THREE)
    team.start()
    team.pause()
    call.next(POSTED)
    call.complete()
    team.messagePosted('cy')
    team.resume()
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'cy'])
  })

  test('said when everybody is done', () => {
    const { team, runs } = played([DONE, DONE, DONE], THREE)
    team.messagePosted('cy')
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'bo', 'cy', 'cy'])
  })
})

describe('a message to those who are all done goes on like a resume', () => {
  const limitedAndDone: RunResult = { kind: 'posted', limit: { resetAt: HOUR }, done: true }

  test('running is entered first, even when another state follows in the same instant', () => {
    const { team, states } = played([limitedAndDone], ['claude'])
    team.messagePosted()
    expect(states()).toEqual(['running', 'paused', 'running', 'rate_limited'])
  })

  test('T15 a limit whose reset has passed in the pause is lifted', () => {
    const { team, runs, clock, states } = played([limitedAndDone], ['claude'])
    clock.moveTo(HOUR)
    team.messagePosted()
    expect(runs.map(({ participant }) => participant)).toEqual(['ana', 'ana'])
    expect(states()).toEqual(['running', 'paused', 'running'])
  })
})
