import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { reduced } from '../../../src/faces/page/client/reduce.ts'
import { EMPTY, type PageState } from '../../../src/faces/page/client/state.ts'
import { EventStream, MOST_WAITING_BYTES } from '../../../src/faces/page/event-stream.ts'
import type { PageEvent } from '../../../src/faces/page/page-event.ts'
import { HISTORY_BOUNDS, PageHistory } from '../../../src/faces/page/page-history.ts'
import { PageSources } from '../../../src/faces/page/page-sources.ts'
import { MOST_VIEWERS, PageViewers } from '../../../src/faces/page/page-viewers.ts'
import { settle, watch } from '../../runtime/rig.ts'
import { fact, pageRig } from './page-rig.ts'

/** What a page shows, without what differs by when one came: how often an actor was told of, and where it was before. */
function shown(events: readonly PageEvent[]): unknown {
  const { turns, attempts, rows, sums, chains, holds, team, posts, log, actors, opened }: PageState = reduced(EMPTY, events)
  const stands = [...actors.values()].map(({ key, machine, name, state, status, parent }) => ({ key, machine, name, state, status, parent }))
  const byKey = (one: { key: string }, other: { key: string }): number => one.key.localeCompare(other.key)
  const planned = [...chains].map(([key, { plan }]) => [key, plan])
  return { turns, attempts, rows, sums, chains: planned, holds, team, posts, log, actors: stands.sort(byKey), opened }
}

describe('whoever comes late', () => {
  it('sees what one sees that was there: turns, rows, chains, holds, actors', async () => {
    const rig = await pageRig()
    const early = await rig.look()
    watch(rig.kernel, { id: 't1' })
    await settle()
    rig.last().fail('rate_limited', { retryAfterMs: 60_000 })
    await settle()
    rig.last().opened().text('SECRET-ANSWER').final()
    await early.told(fact('turn.ended'))
    watch(rig.kernel, { id: 't2', prompt: 'SECRET-PROMPT' })
    await settle()
    rig.last().opened().text('half')
    await early.told((event) => event.type === 'actor.stepped' && event.machine === 'stream' && event.name === 't2')
    const late = await rig.look()
    await late.told((event) => event.type === 'actor.stepped' && event.machine === 'stream' && event.name === 't2')
    rig.last().final()
    const isOver = (event: PageEvent): boolean =>
      event.type === 'actor.stepped' && event.machine === 'turn' && event.name === 't2' && event.status === 'done'
    await Promise.all([early.told(isOver), late.told(isOver)])
    await Promise.all([early, late].map((each) => each.told((event) => event.type === 'row.closed' && event.row.turn === 't2')))
    expect(late.events[0]).toMatchObject({ type: 'page.opened', version: 1, title: 'a test', showsText: false, takesOrders: true, team: null })
    expect(shown(late.events)).toEqual(shown(early.events))
    const state = reduced(EMPTY, late.events)
    expect([...state.turns.values()].map(({ turn, kind }) => [turn, kind])).toEqual([
      ['t1', 'ok'],
      ['t2', 'ok'],
    ])
    expect(state.rows).toHaveLength(3)
    expect([...state.holds.values()].flat()).toMatchObject([{ key: 'a.x', reason: 'cooldown' }])
    expect([...state.chains.values()][0]?.plan.entries.map(({ profile, skip }) => [profile, skip])).toEqual([
      ['a.x', 'held'],
      ['b.y', null],
    ])
    expect(early.raw + late.raw).not.toMatch(/SECRET/)
  })

  it('is told each message with a number that only grows', async () => {
    const rig = await pageRig()
    watch(rig.kernel, { id: 't1' })
    await settle()
    const looker = await rig.look()
    rig.last().opened().text('x').final()
    await looker.told(fact('turn.ended'))
    const live = [...looker.raw.matchAll(/^id: (\d+)\ndata: .*"turn.ended"/gm)].map(([, id]) => Number(id))
    const past = [...looker.raw.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    expect(live).toHaveLength(1)
    expect(Math.max(...past.slice(0, 3))).toBeLessThan(live[0] as number)
  })
})

describe('while much happens', () => {
  it('an actor is told once a frame, and no fact is left out', async () => {
    const rig = await pageRig()
    const looker = await rig.look()
    await looker.told(({ type }) => type === 'holds.changed')
    const before = looker.events.length
    for (let n = 0; n < 60; n++) {
      watch(rig.kernel, { id: `t${n}` })
      await Promise.resolve()
    }
    await settle()
    for (const attempt of rig.attempts) attempt.opened().text('x').final()
    await looker.told((event) => fact('turn.ended')(event) && event.type === 'turn.told' && event.fact.turn === 't59')
    await looker.told((event) => event.type === 'actor.stepped' && event.name === 't59' && event.machine === 'turn' && event.status === 'done')
    const events = looker.events.slice(before)
    expect(events.filter(fact('turn.started'))).toHaveLength(60)
    expect(events.filter(fact('attempt.ended'))).toHaveLength(60)
    const steps = events.filter((event) => event.type === 'actor.stepped' && event.machine === 'stream')
    expect(steps.length).toBeLessThanOrEqual(180)
  })
})

describe('the history', () => {
  const textOf = ({ type, at }: PageEvent): string => `${type} ${at}`
  const started = (n: number): PageEvent => ({
    type: 'turn.told',
    at: n,
    kernel: 'k',
    participant: null,
    fact: { type: 'attempt.started', turn: `t${n}`, at: n, n: 1, entry: 'a/b', profile: 'a', model: 'b', mode: 'call' },
  })

  it('keeps the latest 10 000 attempts, and what replaces itself once', () => {
    const history = new PageHistory()
    const most = HISTORY_BOUNDS.attempts
    for (let n = 0; n < most + 2_000; n++) history.take(started(n))
    for (let n = 0; n < 5; n++) history.take({ type: 'holds.changed', at: n, kernel: 'k', holds: [] })
    const messages = history.messages(textOf)
    expect(messages).toHaveLength(most + 1)
    expect(messages.slice(0, 2)).toEqual(['holds.changed 4', 'turn.told 2000'])
  })

  it('keeps so many lines and posts', () => {
    const history = new PageHistory()
    for (let n = 0; n < 3_000; n++) history.take({ type: 'team.logged', at: n, line: 'x' })
    const messages = history.messages(textOf)
    expect(messages).toHaveLength(HISTORY_BOUNDS.lines)
    expect(messages.at(-1)).toBe('team.logged 2999')
  })

  it('makes a text once, and none while nobody asks', () => {
    const history = new PageHistory()
    const made: number[] = []
    const noting = (event: PageEvent): string => {
      made.push(event.at)
      return textOf(event)
    }
    history.take(started(1))
    history.take(started(2))
    expect(made).toEqual([])
    history.messages(noting)
    history.take(started(3))
    expect(history.messages(noting)).toEqual(['turn.told 1', 'turn.told 2', 'turn.told 3'])
    expect(made).toEqual([1, 2, 3])
  })
})

/** A response whose reader takes nothing until it is told to. */
class Stuck {
  written: string[] = []
  takes = false
  writableLength = 0
  ended: string | null = null
  readonly #listeners = new Map<string, (() => void)[]>()

  on(event: string, listener: () => void): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener])
    return this
  }

  write(text: string): boolean {
    this.written.push(text)
    if (!this.takes) this.writableLength += text.length
    return this.takes
  }

  end(last: string): void {
    this.ended = last
  }

  destroy(): void {}

  emit(event: string): void {
    for (const listener of this.#listeners.get(event) ?? []) listener()
  }
}

describe('one who reads slowly', () => {
  it('costs a piece of the past and a bounded rest, then is told why and let go', () => {
    const stuck = new Stuck()
    const past = Array.from({ length: 10_000 }, (_, n) => `past ${n} ${'x'.repeat(90)}\n`)
    const stream = new EventStream(stuck as never, past)
    stream.begin()
    expect(stuck.writableLength).toBeLessThan(128 * 1024)
    const message = 'y'.repeat(1_000)
    let pushed = 0
    while (stream.push(message)) pushed++
    expect(pushed * message.length).toBeLessThanOrEqual(MOST_WAITING_BYTES + message.length)
    expect(pushed).toBeGreaterThan(1_000)
    stream.end('last')
    stuck.emit('close')
    expect(stuck.ended).toBe('last')
    expect(stuck.writableLength).toBeLessThan(128 * 1024)
  })

  it('reads the past first and then what came meanwhile, in order', () => {
    const stuck = new Stuck()
    const past = Array.from({ length: 5_000 }, (_, n) => `p${n} ${'x'.repeat(90)}\n`)
    const stream = new EventStream(stuck as never, past)
    stream.begin()
    expect(stream.push('meanwhile\n')).toBe(true)
    stuck.takes = true
    stuck.emit('drain')
    expect(stream.push('live\n')).toBe(true)
    expect(stuck.written.join('')).toBe(`${past.join('')}meanwhile\nlive\n`)
  })

  it('is told that it was slow, and the others go on', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const sources = new PageSources(() => 0)
    const viewers = new PageViewers(sources, { title: 'a test', team: null, takesOrders: true }, false)
    const [slow, quick] = [new Stuck(), new Stuck()]
    quick.takes = true
    for (const each of [slow, quick]) viewers.add(each as never)
    slow.emit('drain')
    for (let at = 0; at < 9; at++) {
      sources.add({ type: 'team.logged', at, line: 'x'.repeat(1_000_000) })
      vi.advanceTimersByTime(50)
    }
    expect(slow.ended).toContain('"type":"page.closed","at":0,"why":"slow"')
    expect(slow.writableLength).toBeLessThan(MOST_WAITING_BYTES + 1_200_000)
    expect(quick.ended).toBeNull()
    expect(quick.written.join('').match(/team\.logged/g)).toHaveLength(9)
    viewers.close()
    sources.close()
  })
})

describe('as many as may look on', () => {
  it('and the next one is told why it does not, until one of them leaves', async () => {
    const rig = await pageRig()
    const lookers = await Promise.all(Array.from({ length: MOST_VIEWERS }, () => rig.look()))
    const refused = await rig.ask('/api/events')
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('As many pages look on as may.')])
    lookers[0]?.response.destroy()
    await vi.waitFor(async () => {
      const next = await rig.look()
      expect(next.response.statusCode).toBe(200)
    })
  })
})

describe('the end', () => {
  it('is told to everybody, and the port is free', async () => {
    const rig = await pageRig()
    const looker = await rig.look()
    await looker.told(({ type }) => type === 'holds.changed')
    await Promise.all([rig.close(), looker.ended()])
    expect(looker.events.at(-1)).toMatchObject({ type: 'page.closed', why: 'over' })
    await expect(rig.ask('/')).rejects.toThrow('ECONNREFUSED')
  })
})
