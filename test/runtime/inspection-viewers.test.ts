import { describe, expect, test } from 'vitest'
import { createActor, setup } from 'xstate'
import type { InspectionMessage } from '../../src/runtime/inspection-message.ts'
import { type InspectionRelay, inspectionRelay } from '../../src/runtime/inspection-relay.ts'
import type { Kernel } from '../../src/runtime/kernel-door.ts'
import { LONE, type Rig, rig, settle } from './rig.ts'

function inspected(): Rig & { relay: InspectionRelay } {
  const relay = inspectionRelay()
  return { ...rig({ config: LONE, ports: { inspect: relay.inspect } }), relay }
}

async function served({ kernel, last }: Rig, id: string): Promise<void> {
  const turn = kernel.turn({ id, prompt: 'hi', sinks: ['event'] })
  await settle()
  last().text('hello').final()
  await turn.outcome
  await settle()
}

async function waiting(kernel: Kernel, id: string): Promise<void> {
  kernel.turn({ id, prompt: 'hi', sinks: ['event'] })
  await settle()
}

/** Name, status and state of each actor, as a viewer that has these messages knows them. */
function known(messages: readonly InspectionMessage[]): string[] {
  const actors = new Map<string, { name: string; snapshot: string }>()
  for (const message of messages) {
    if (message.type === '@xstate.event') continue
    const snapshot = `${message.snapshot.status} ${message.snapshot.value}`
    const name = message.type === '@xstate.actor' ? message.name : (actors.get(message.sessionId)?.name ?? 'unknown')
    actors.set(message.sessionId, { name, snapshot })
  }
  return [...actors.values()].map(({ name, snapshot }) => `${name}: ${snapshot}`).sort()
}

/** Keeps what it is given, and has room for so many. */
class Viewer {
  readonly seen: InspectionMessage[] = []
  readonly gaps: number[] = []
  room: number

  constructor(room = Number.POSITIVE_INFINITY) {
    this.room = room
  }

  readonly take = (message: InspectionMessage): boolean => {
    this.seen.push(message)
    return this.seen.length < this.room
  }

  readonly missed = (count: number): void => void this.gaps.push(count)
}

describe('WEB-06 a viewer that comes late', () => {
  test('knows every live actor and its last state, as one does that was there from the first', async () => {
    const stage = inspected()
    const early = new Viewer()
    stage.relay.attach(early)
    await served(stage, 'one')
    await waiting(stage.kernel, 'two')
    // The relay of the package keeps two hundred messages: what happens often would drive out who is there.
    for (let n = 0; n < 60; n++) await served(stage, `more-${n}`)
    expect(early.seen.length).toBeGreaterThan(500)
    const late = new Viewer()
    stage.relay.attach(late)
    expect(known(late.seen)).toContain('turn two: active streaming')
    expect(known(late.seen).filter((line) => line.includes('active'))).toEqual(known(early.seen).filter((line) => line.includes('active')))
    await served(stage, 'last')
    expect(known(late.seen)).toContain('turn last: done served')
    await stage.kernel.stop()
    expect(known(late.seen).filter((line) => line.includes('active'))).toEqual([])
  })

  test('is told of the last hundred that are over, and of parents before children', async () => {
    const stage = inspected()
    for (let n = 0; n < 120; n++) await served(stage, `turn-${n}`)
    const messages = stage.relay.messages()
    // Each has one actor for the turn and one for its stream; the supervisor and the engine live.
    expect(known(messages)).toHaveLength(102)
    expect(known(messages)).toContain('turn turn-119: done served')
    expect(known(messages).join()).not.toContain('turn turn-0:')
    const told = new Set<string>()
    for (const message of messages) {
      if (message.type !== '@xstate.actor') continue
      if (message.name.startsWith('turn')) expect(told.has(message.parentId ?? '')).toBe(true)
      told.add(message.sessionId)
    }
    await stage.kernel.stop()
  })

  test('has the charts unless it has them itself', async () => {
    const stage = inspected()
    await served(stage, 'one')
    const definitions = (options?: { definitions: boolean }) => {
      const viewer = new Viewer()
      stage.relay.attach(viewer, options).detach()
      return viewer.seen.flatMap((message) => (message.type === '@xstate.actor' ? [message.definition === undefined] : []))
    }
    expect(definitions()).toEqual([false, false, false, false])
    expect(definitions({ definitions: false })).toEqual([true, true, true, true])
    await stage.kernel.stop()
  })
})

describe('WEB-06 what a viewer does', () => {
  test('costs the run nothing: no message is made while nobody watches', async () => {
    const stage = inspected()
    await served(stage, 'one')
    const viewer = new Viewer()
    stage.relay.attach(viewer)
    expect(viewer.seen[0]?.id).toBe('1')
    await stage.kernel.stop()
  })

  test('is all that a kernel tells steps for: of what came before a viewer has the state, and nobody is told of what comes behind', async () => {
    const relay = inspectionRelay()
    const steps: string[] = []
    const inspect = Object.assign(
      (event: Parameters<typeof relay.inspect>[0]) => {
        steps.push(event.type)
        relay.inspect(event)
      },
      { made: relay.inspect.made, onWatch: relay.inspect.onWatch },
    )
    const stage = rig({ config: LONE, ports: { inspect } })
    await served(stage, 'one')
    await waiting(stage.kernel, 'two')
    expect(steps).toEqual([])
    const viewer = new Viewer()
    const view = relay.attach(viewer)
    expect(known(viewer.seen)).toEqual([
      'engine-a.x: active available',
      'stream: active opening',
      'stream: done finished',
      'supervisor: active running',
      'turn one: done served',
      'turn two: active streaming',
    ])
    stage.last().text('hello').final()
    await settle()
    expect(known(viewer.seen)).toContain('turn two: done served')
    const told = steps.length
    expect(told).toBeGreaterThan(5)
    view.detach()
    await served(stage, 'three')
    expect(steps).toHaveLength(told)
    await stage.kernel.stop()
    relay.attach(viewer)
    expect(known(viewer.seen)).toContain('supervisor: done stopped')
  })

  test('that has no room leaves it out, and it is given every actor afresh', async () => {
    const stage = inspected()
    const slow = new Viewer(8)
    const view = stage.relay.attach(slow)
    await served(stage, 'one')
    expect(slow.seen).toHaveLength(8)
    await waiting(stage.kernel, 'two')
    expect(slow.seen).toHaveLength(8)
    slow.room = Number.POSITIVE_INFINITY
    view.resume()
    expect(slow.gaps).toEqual([expect.any(Number)])
    expect(known(slow.seen)).toEqual(known(stage.relay.messages()))
    const told = slow.seen.length
    view.resume()
    expect(slow.seen).toHaveLength(told)
    await served(stage, 'three')
    expect(known(slow.seen)).toEqual(known(stage.relay.messages()))
    await stage.kernel.stop()
  })

  test('with room for one message still sees the end of what it is given afresh', async () => {
    const stage = inspected()
    const tiny = new Viewer(1)
    const view = stage.relay.attach(tiny)
    await served(stage, 'one')
    view.resume()
    expect(known(tiny.seen)).toEqual(known(stage.relay.messages()))
    await served(stage, 'two')
    view.resume()
    expect(known(tiny.seen)).toEqual(known(stage.relay.messages()))
    await stage.kernel.stop()
  })

  test('that throws or is gone ends neither the run nor what others see', async () => {
    const stage = inspected()
    const other = new Viewer()
    let calls = 0
    stage.relay.attach({
      take() {
        calls++
        throw new Error('the viewer is broken')
      },
    })
    const gone = new Viewer()
    const view = stage.relay.attach(gone)
    stage.relay.attach(other)
    view.detach()
    const told = gone.seen.length
    await served(stage, 'one')
    view.resume()
    expect(calls).toBe(1)
    expect(gone.seen).toHaveLength(told)
    expect(known(other.seen)).toContain('turn one: done served')
    await stage.kernel.stop()
  })
})

describe('WEB-06 an actor that breaks', () => {
  const broken = setup({ actions: { break: () => expect.unreachable('broken on purpose') } }).createMachine({ on: { go: { actions: 'break' } } })

  test('below another is over, and is not kept', () => {
    const relay = inspectionRelay()
    const viewer = new Viewer()
    relay.attach(viewer)
    const parent = createActor(setup({}).createMachine({ on: { 'xstate.error.actor.*': {} } }), { inspect: relay.inspect }).start()
    const child = createActor(broken, { parent, id: 'broken' })
    child.subscribe({ error: () => {} })
    child.start()
    child.send({ type: 'go' })
    expect(known(viewer.seen)).toContain('broken: error null')
    expect(known(relay.messages())).toEqual(known(viewer.seen))
    parent.stop()
  })

  test('at the top is over for whoever comes', () => {
    const relay = inspectionRelay()
    const actor = createActor(broken, { inspect: relay.inspect, id: 'broken' })
    actor.subscribe({ error: () => {} })
    actor.start()
    actor.send({ type: 'go' })
    expect(known(relay.messages())).toEqual(['broken: error null'])
  })
})
