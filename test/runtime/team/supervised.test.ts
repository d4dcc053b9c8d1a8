import { config as rxjs } from 'rxjs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TeamEvent } from '../../../src/model/team-event.ts'
import { memoryThread } from '../../../src/runtime/thread/thread.ts'
import { settle } from '../rig.ts'
import { ANA, BO, supervised } from './supervised-rig.ts'

afterEach(() => {
  rxjs.onUnhandledError = null
  vi.restoreAllMocks()
})

describe('a team that a kernel supervises', () => {
  test('begins at the end of the task in which it was made, and not before', async () => {
    const { attempts, team } = supervised()
    expect(attempts).toHaveLength(0)
    expect(team.status).toMatchObject({ state: 'running', paused: null, running: null, turns: 0 })
    await settle()
    expect(attempts).toHaveLength(1)
    expect(team.status.running).toEqual({ n: 1, participant: 'ana', engine: 'a.x', startedBy: 'pick', since: 0 })
  })

  test('a participant is told its own prompt first, then the rules, and the thread as its question', async () => {
    const { answer, team, last } = supervised()
    team.say('Fix line 7.')
    await answer('Fixed.')
    const [system, question] = last().request.messages
    expect(system).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/^You are bo\.\n\nYou are bo\. You work on one thread with ana and a person/),
    })
    expect(question?.content).toBe(
      'The thread so far:\n\n#1 the person, 1970-01-01T00:00:00.000Z\n  Fix line 7.\n\n#2 ana (a.x), 1970-01-01T00:00:00.000Z\n  Fixed.\n\nIt is your turn, bo.',
    )
  })

  test('of a thread of ten thousand posts a participant is handed what fits', async () => {
    const thread = memoryThread()
    for (let post = 0; post < 10_050; post++) thread.append({ at: post, participant: 'ana', engine: 'a.x', text: `Post of ${'words '.repeat(9)}` })
    const { current } = supervised({ team: { thread, settings: { contextCharacters: 5_000 } } })
    const { messages } = (await current()).request
    expect(String(messages[1]?.content).length).toBeLessThan(5_200)
    expect(messages[1]?.content).toMatch(/\(\d+ older posts are left out\.\)[\s\S]+#10050 ana/)
  })

  test('rows of the ledger say who was called, and each call has a name of its own', async () => {
    const { current, answer, called, kernel } = supervised({ team: { participants: [{ ...ANA, failover: ['b.y'] }, BO] } })
    ;(await current()).fail('rate_limited', { retryAfterMs: 3_600_000 })
    await settle()
    await answer('By the other one.')
    await answer('Mine.')
    expect(called()).toEqual(['ana night-1', 'ana night-1.2', 'bo night-2', 'ana night-3'])
    expect(new Set(kernel.ledger.rows().map(({ turn }) => turn)).size).toBe(4)
  })

  test('until and the budgets end it, and the result says which', async () => {
    const { answer, team, clock } = supervised({ team: { until: (turns) => turns >= 2 } })
    await answer('One.')
    await answer('Two.')
    expect(await team.done).toMatchObject({ reason: 'until', status: { state: 'stopped', end: 'until', turns: 2, running: null } })
    expect(clock.pending).toBe(0)
    const bounded = supervised({ team: { settings: { maxIterations: 1 } } })
    await bounded.answer('One.')
    expect((await bounded.team.done).reason).toBe('maxIterations')
  })

  test('T17 the host is told once a slice that the run lives', async () => {
    let beats = 0
    const { current, pass } = supervised({ team: { participants: [ANA], onHeartbeat: () => beats++ } })
    ;(await current()).fail('rate_limited', { retryAfterMs: 600_000 })
    await pass(600_000)
    expect(beats).toBe(10)
  })

  test('a choice rule of the host decides, and one that throws ends the run as a defect', async () => {
    const always = supervised({ team: { choice: ({ position }) => ({ id: 'bo', position }) } })
    await always.answer('Me.')
    await always.answer('Again.')
    expect(always.called()).toEqual(['bo night-1', 'bo night-2', 'bo night-3'])
    const nobody = supervised({ team: { choice: () => ({ id: 'zoe', position: Number.NaN }) } })
    await nobody.answer('By listed order.')
    expect(nobody.called()).toEqual(['ana night-1', 'ana night-2'])
    const fault = new Error('a rule of the host')
    const broken = supervised({
      team: {
        choice: () => {
          throw fault
        },
      },
    })
    expect(await broken.team.done).toMatchObject({ reason: 'defect', error: fault, status: { state: 'stopped', running: null } })
    expect(broken.types().at(-1)).toBe('team.failed')
    expect(broken.attempts).toHaveLength(0)
  })
})

describe('orders to a team', () => {
  test('before it begins are known when the first turn is chosen', async () => {
    const paused = supervised()
    paused.team.pause()
    await settle()
    expect(paused.attempts).toHaveLength(0)
    expect(paused.team.status).toMatchObject({ state: 'paused', paused: 'pause', ending: null })
    paused.team.resume()
    await settle()
    expect(paused.attempts).toHaveLength(1)
    const said = supervised()
    said.team.say('@bo first.')
    await settle()
    expect(said.called()).toEqual(['bo night-1'])
    const stopped = supervised()
    expect((await stopped.team.stop()).reason).toBe('stop')
    await settle()
    expect(stopped.attempts).toHaveLength(0)
    expect(stopped.types()).toEqual(['state.entered', 'team.ended'])
  })

  test.each(['resume', 'say'] as const)('to a run that another process left with everybody done: %s before it begins', async (order) => {
    const first = supervised({ team: { participants: [ANA] } })
    await first.answer('play: done')
    const second = supervised({ team: { participants: [ANA], standing: first.team.standing } })
    expect(second.team.status).toMatchObject({ state: 'paused', paused: 'done' })
    if (order === 'say') second.team.say('Go on.')
    else second.team.resume()
    await settle()
    expect(second.types().slice(-3)).toEqual(['state.entered', 'state.entered', 'run.started'])
    expect(second.team.status).toMatchObject({ state: 'running', paused: null, running: { participant: 'ana' } })
  })

  test('G22 a pause during a call lets it end, and is shown at once', async () => {
    const { answer, team, called } = supervised()
    await settle()
    team.pause()
    team.pause()
    expect(team.status).toMatchObject({ state: 'running', ending: 'pause' })
    expect(team.standing.paused).toBe('pause')
    await answer('The last for now.')
    expect(team.status).toMatchObject({ state: 'paused', paused: 'pause', ending: null })
    expect(called()).toHaveLength(1)
    team.resume()
    team.resume()
    await settle()
    expect(called()).toEqual(['ana night-1', 'bo night-2'])
  })

  test('G22 a stop lets the call end; an immediate one closes it, and the turn is there for the next process', async () => {
    const { team, current, answer, types, kernel } = supervised()
    const call = await current()
    const done = team.stop()
    expect(call.closed).toBe(false)
    expect(team.status.ending).toBe('stop')
    await answer('The last.')
    expect((await done).reason).toBe('stop')
    expect(types().slice(-3)).toEqual(['run.ended', 'state.entered', 'team.ended'])
    const at = supervised()
    const cut = await at.current()
    void at.team.stop()
    const result = await at.team.stop({ immediate: true })
    expect(cut.closed).toBe(true)
    expect(result.status.running).toBeNull()
    expect(at.team.standing.run).toMatchObject({ n: 1, participant: 'ana' })
    expect(await at.team.stop()).toBe(result)
    expect(kernel.ledger.rows()).toHaveLength(1)
  })

  test('at once leave nobody running: no event that says stopped has a status in which the call that was cut goes on', async () => {
    const { current, team } = supervised()
    await current()
    const running: unknown[] = []
    team.events$.subscribe(({ type }) => {
      if (team.status.state === 'stopped') running.push([type, team.status.running])
    })
    await team.stop({ immediate: true })
    expect(running).toEqual([
      ['state.entered', null],
      ['team.ended', null],
    ])
  })

  test('after the end do nothing, but what is said stands in the thread', async () => {
    const { team, attempts, posts, types } = supervised()
    await team.stop()
    const told = types().length
    team.pause()
    team.resume()
    expect(team.approve('ana')).toBe(false)
    expect(team.say('For the record.').id).toBe(1)
    await settle()
    expect(attempts).toHaveLength(0)
    expect(posts).toEqual([])
    expect(types()).toHaveLength(told)
    expect(team.thread.posts()).toHaveLength(1)
  })

  test('the stop of the kernel ends its teams, and no further one is taken', async () => {
    const { team, kernel, current, clock } = supervised()
    const call = await current()
    await kernel.stop()
    expect(call.closed).toBe(true)
    expect((await team.done).reason).toBe('stop')
    expect(clock.pending).toBe(0)
    expect(() => kernel.supervise({ participants: [ANA] })).toThrow(/kernel was stopped/)
  })
})

describe('who listens to a team', () => {
  test('hears the same in the same order, whatever another one orders meanwhile', async () => {
    const orders: Record<string, (team: { say(text: string): unknown; pause(): void }) => unknown> = {
      'run.started': (team) => team.say('Early.'),
      'post.appended': (team) => team.pause(),
    }
    const given = new Set<string>()
    const first: TeamEvent[] = []
    const { team, events, posts, answer } = supervised({
      onEvent: (event, told) => {
        first.push(event)
        if (given.has(event.type)) return
        given.add(event.type)
        orders[event.type]?.(told)
      },
    })
    const second: TeamEvent[] = []
    const texts: string[] = []
    team.events$.subscribe((event) => second.push(event))
    team.thread$.subscribe(({ text }) => texts.push(text))
    await answer('Later.')
    expect(second).toEqual(first)
    expect(events).toEqual(first)
    expect(texts).toEqual(posts.map(({ text }) => text))
    expect(texts).toEqual(['Early.', 'Later.'])
    expect(team.status.state).toBe('paused')
  })

  test('and throws harms nobody: the run goes on, others hear it, and rxjs is told', async () => {
    const unhandled: unknown[] = []
    rxjs.onUnhandledError = (error) => unhandled.push(error)
    const fault = new Error('a listener of the host')
    const { answer, types, team } = supervised({
      onEvent: () => {
        throw fault
      },
    })
    await answer('One.')
    await answer('Two.')
    expect(team.status.turns).toBe(3)
    await team.stop({ immediate: true })
    await vi.waitFor(() => expect(unhandled).toHaveLength(types().length))
    expect(new Set(unhandled)).toEqual(new Set([fault]))
    expect(types().filter((type) => type === 'post.appended')).toHaveLength(2)
  })

  test('late hears the state as it is, also of a run that is over, and nothing of what was', async () => {
    const { team, answer } = supervised()
    await answer('One.')
    const states: string[] = []
    const events: TeamEvent[] = []
    team.state$.subscribe(({ state, lastPost }) => states.push(`${state} ${lastPost}`))
    team.events$.subscribe((event) => events.push(event))
    expect(states).toEqual(['running 1'])
    expect(events).toEqual([])
    await team.stop({ immediate: true })
    let isComplete = false
    const after: string[] = []
    team.state$.subscribe({ next: ({ state }) => after.push(state), complete: () => (isComplete = true) })
    expect(after).toEqual(['stopped'])
    expect(isComplete).toBe(true)
  })

  test('reads the lines of the log with their instants', async () => {
    const { team, current, clock } = supervised({ team: { participants: [ANA] } })
    const lines: unknown[] = []
    team.log$.subscribe((line) => lines.push(line))
    const call = await current()
    clock.setTo(60_000)
    call.fail('rate_limited', { retryAfterMs: 3_600_000 })
    await settle()
    expect(lines).toEqual([{ at: 60_000, line: 'every participant limited — waiting for a.x, back first at 01:01' }])
  })
})
