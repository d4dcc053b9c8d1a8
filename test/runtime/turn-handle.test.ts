import { describe, expect, test } from 'vitest'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { LONE, rig, settle, TWO, typesOf, watch } from './rig.ts'

describe('every listener of a turn hears the same events in the same order', () => {
  test('R30 also when one of them cancels in the middle', async () => {
    const { kernel, last } = rig()
    const first: TurnEvent[] = []
    const second: TurnEvent[] = []
    const sink: TurnEvent[] = []
    const drafts: string[] = []
    const turn = kernel.turn({ prompt: 'hi', sinks: { event: (event) => sink.push(event), draft: (text) => drafts.push(text) } })
    turn.events$.subscribe((event) => {
      first.push(event)
      if (event.type === 'text') turn.cancel()
    })
    turn.events$.subscribe((event) => second.push(event))
    const read = (async () => {
      const events: TurnEvent[] = []
      for await (const event of turn) events.push(event)
      return events
    })()
    await settle()
    last().opened().text('par', 'tial')
    const queued = await read
    expect(typesOf(first)).toEqual(['turn.started', 'attempt.started', 'output.committed', 'text', 'attempt.ended', 'turn.ended'])
    expect(second).toEqual(first)
    expect(sink).toEqual(first)
    expect(queued).toEqual(first)
    expect(drafts).toEqual([])
    expect((await turn.outcome).partialText).toBe('par')
  })

  test('facts come before what follows from them: why before what', async () => {
    const { kernel } = rig({
      onAttempt: (attempt, number) => {
        if (number === 1) attempt.opened().fail('rate_limited')
        else attempt.text('x').final()
      },
    })
    const { turn, events } = watch(kernel, { sinks: ['event'] })
    await turn.outcome
    expect(typesOf(events)).toEqual([
      'turn.started',
      'attempt.started',
      'attempt.ended',
      'attempt.failed',
      'hold.set',
      'recovery.started',
      'attempt.started',
      'attempt.ended',
      'answer',
      'notice',
      'turn.ended',
    ])
  })

  test('R9 a turn has begun when it is warned about', async () => {
    const { kernel, last } = rig()
    const { turn, events } = watch(kernel, { model: 'hint:nope' })
    await settle()
    last().opened().text('all').final()
    await turn.outcome
    expect(typesOf(events).slice(0, 3)).toEqual(['turn.started', 'warning.raised', 'attempt.started'])
  })

  test('R9 a cancel at the warning comes before any attempt', async () => {
    const { kernel, attempts } = rig()
    const { turn, events } = watch(kernel, {
      model: 'hint:nope',
      sinks: { event: (event) => (event.type === 'warning.raised' ? turn.cancel() : undefined) },
    })
    expect(await turn.outcome).toMatchObject({ kind: 'cancelled', attempts: [] })
    expect(typesOf(events)).toEqual(['turn.started', 'warning.raised', 'turn.ended'])
    expect(attempts).toEqual([])
  })

  test('a sink whose promise rejects is reported, and the process goes on', async () => {
    const warned: unknown[] = []
    const log = { debug() {}, info() {}, error() {}, warn: (fields: object, message: string) => warned.push([message, fields]) }
    const { kernel } = rig({ ports: { logger: log }, onAttempt: (attempt) => attempt.text('all').final() })
    const boom = new Error('boom')
    const failing = async (): Promise<void> => {
      throw boom
    }
    const turn = kernel.turn({ prompt: 'hi', sinks: { event: failing } })
    expect(await turn.outcome).toMatchObject({ kind: 'ok', text: 'all' })
    await settle()
    expect(warned).toContainEqual(['listener.threw', { err: boom }])
  })

  test('a sink that throws is reported and harms nobody else', async () => {
    const warned: unknown[] = []
    const log = { debug() {}, info() {}, error() {}, warn: (fields: object, message: string) => warned.push([message, fields]) }
    const { kernel, last } = rig({ ports: { logger: log } })
    const boom = new Error('boom')
    const seen: TurnEvent[] = []
    const turn = kernel.turn({
      prompt: 'hi',
      sinks: {
        event: () => {
          throw boom
        },
        draft: () => {
          throw boom
        },
      },
    })
    turn.events$.subscribe((event) => seen.push(event))
    await settle()
    last().opened().text('all').final()
    expect(await turn.outcome).toMatchObject({ kind: 'ok', text: 'all' })
    expect(typesOf(seen).at(-1)).toBe('turn.ended')
    expect(warned).toContainEqual(['listener.threw', { err: boom }])
  })
})

describe('events$', () => {
  test('replays nothing and completes with the turn', async () => {
    const { kernel, last } = rig()
    const { turn } = watch(kernel)
    await settle()
    last().opened().text('a')
    const late: TurnEvent[] = []
    let completed = false
    turn.events$.subscribe({
      next: (event) => late.push(event),
      complete: () => {
        completed = true
      },
    })
    last().text('b').final()
    expect(typesOf(late)).toEqual(['text', 'attempt.ended', 'turn.ended'])
    expect(completed).toBe(true)
    const after: TurnEvent[] = []
    let completedAtOnce = false
    turn.events$.subscribe({
      next: (event) => after.push(event),
      complete: () => {
        completedAtOnce = true
      },
    })
    expect(after).toEqual([])
    expect(completedAtOnce).toBe(true)
  })

  test('shares one run among its subscribers', async () => {
    const { kernel, attempts, last } = rig()
    const { turn, events } = watch(kernel)
    const other: TurnEvent[] = []
    turn.events$.subscribe((event) => other.push(event))
    await settle()
    last().opened().text('a').final()
    expect(attempts).toHaveLength(1)
    expect(other).toEqual(events)
  })

  test('leaving it early ends nothing', async () => {
    const { kernel, last } = rig()
    const turn = kernel.turn({ prompt: 'hi' })
    const subscription = turn.events$.subscribe()
    await settle()
    subscription.unsubscribe()
    last().opened().text('a').final()
    expect((await turn.outcome).kind).toBe('ok')
  })

  test('a subscriber that comes in the middle of an event hears from the next one on', async () => {
    const { kernel, last } = rig()
    const turn = kernel.turn({ prompt: 'hi' })
    const late: TurnEvent[] = []
    let joined = false
    turn.events$.subscribe((event) => {
      if (event.type !== 'text' || joined) return
      joined = true
      turn.events$.subscribe((each) => late.push(each))
    })
    await settle()
    last().opened().text('a', 'b').final()
    expect(late[0]).toEqual({ type: 'text', text: 'b' })
  })
})

describe('R27 who reads decides about streaming when the request does not say', () => {
  const modeOf = async (read: (turn: ReturnType<ReturnType<typeof rig>['kernel']['turn']>) => unknown): Promise<string> => {
    const { kernel, last } = rig({ config: LONE })
    void read(kernel.turn({ prompt: 'hi' }))
    await settle()
    const { mode } = last().request
    await kernel.stop()
    return mode
  }

  test('nobody: a call, with every recovery open', async () => {
    expect(await modeOf(() => {})).toBe('call')
  })
  test('a subscriber: a stream', async () => {
    expect(await modeOf((turn) => turn.events$.subscribe())).toBe('stream')
  })
  test('a loop: a stream', async () => {
    const loop = async (turn: AsyncIterable<unknown>): Promise<void> => {
      for await (const _ of turn);
    }
    expect(await modeOf(loop)).toBe('stream')
  })
  test('only its text: a call', async () => {
    expect(await modeOf((turn) => turn.text.catch(() => {}))).toBe('call')
  })
})

describe('a `for await` loop', () => {
  test('that is slow makes the flow full, and loses nothing', async () => {
    const { kernel, last } = rig({ config: LONE })
    const turn = kernel.turn({ prompt: 'hi' })
    const iterator = turn[Symbol.asyncIterator]()
    await settle()
    const attempt = last()
    const { flow } = attempt.request
    attempt.opened()
    let said = 0
    const pump = (): void => {
      while (!flow.full && said < 2_000) attempt.text(`${said++},`)
      if (said < 2_000) flow.onDrain(pump)
      else if (!attempt.closed) attempt.final()
    }
    pump()
    expect(flow.full).toBe(true)
    expect(said).toBeLessThan(300)
    const texts: string[] = []
    for (;;) {
      const { done, value } = await iterator.next()
      if (done === true) break
      if (value.type === 'text') texts.push(value.text)
    }
    expect(texts.join('')).toBe(Array.from({ length: 2_000 }, (_, index) => `${index},`).join(''))
    expect((await turn.outcome).text).toBe(texts.join(''))
  })

  test('that is left early frees its queue, and the engine goes on', async () => {
    const { kernel, last } = rig({ config: LONE })
    const turn = kernel.turn({ prompt: 'hi' })
    const left = (async () => {
      for await (const event of turn) if (event.type === 'text') break
    })()
    await settle()
    const attempt = last()
    const { flow } = attempt.request
    attempt.opened().text(...Array.from({ length: 300 }, () => 'x'))
    expect(flow.full).toBe(true)
    let drained = 0
    flow.onDrain(() => drained++)
    await left
    expect(flow.full).toBe(false)
    expect(drained).toBe(1)
    attempt.final()
    expect((await turn.outcome).kind).toBe('ok')
  })

  test('of two, the slowest counts', async () => {
    const { kernel, last } = rig({ config: LONE })
    const turn = kernel.turn({ prompt: 'hi' })
    const slow = turn[Symbol.asyncIterator]()
    const fast = turn[Symbol.asyncIterator]()
    await settle()
    const attempt = last()
    const { flow } = attempt.request
    attempt.opened().text(...Array.from({ length: 300 }, () => 'x'))
    let drained = 0
    flow.onDrain(() => drained++)
    for (let read = 0; read < 300; read++) await fast.next()
    expect(flow.full).toBe(true)
    expect(drained).toBe(0)
    for (let read = 0; read < 300; read++) await slow.next()
    expect(drained).toBe(1)
    turn.cancel()
  })

  test('answers several reads that were asked for at once, in order', async () => {
    const { kernel, last } = rig({ config: LONE })
    const turn = kernel.turn({ prompt: 'hi' })
    const iterator = turn[Symbol.asyncIterator]()
    const reads = Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next(), iterator.next()])
    await settle()
    last().opened().text('a')
    turn.cancel()
    const results = await reads
    expect(results.map((result) => result.value?.type)).toEqual(['turn.started', 'attempt.started', 'output.committed', 'text', 'attempt.ended'])
    expect((await iterator.next()).value?.type).toBe('turn.ended')
    expect((await iterator.next()).done).toBe(true)
    expect((await iterator.next()).done).toBe(true)
  })

  test('begun after the end is over at once', async () => {
    const { kernel, last } = rig({ config: TWO })
    const { turn } = watch(kernel)
    await settle()
    last().text('a').final()
    await turn.outcome
    const events: TurnEvent[] = []
    for await (const event of turn) events.push(event)
    expect(events).toEqual([])
  })
})
