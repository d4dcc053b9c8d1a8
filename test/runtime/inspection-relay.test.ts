import { describe, expect, test } from 'vitest'
import { setup } from 'xstate'
import { engineMachine } from '../../machines/engine.ts'
import { streamMachine } from '../../machines/stream.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
import { teamMachine } from '../../machines/team.ts'
import { turnMachine } from '../../machines/turn.ts'
import type { ActorMessage, InspectionMessage, SnapshotMessage } from '../../src/runtime/inspection-message.ts'
import { type InspectionRelay, inspectionRelay } from '../../src/runtime/inspection-relay.ts'
import { LONE, type Rig, rig, settle, TWO } from './rig.ts'
import { supervised } from './team/supervised-rig.ts'

/** Words that are in everything that a host gives and a provider answers. */
const CANARY = 'cnry'

/** A relay with a kernel on it, and what a viewer sees that is there from the first. */
function watched(config = TWO): Rig & { relay: InspectionRelay; seen: InspectionMessage[] } {
  const relay = inspectionRelay({ now: () => 7 })
  const seen: InspectionMessage[] = []
  relay.attach({ take: (message) => seen.push(message) > 0 })
  return { ...rig({ config, ports: { inspect: relay.inspect } }), relay, seen }
}

const isActor = (message: InspectionMessage): message is ActorMessage => message.type === '@xstate.actor'
const isSnapshot = (message: InspectionMessage): message is SnapshotMessage => message.type === '@xstate.snapshot'

/** How each actor stands by these messages, by its name. */
function standing(messages: readonly InspectionMessage[]): Record<string, string> {
  const names = new Map(messages.filter(isActor).map(({ sessionId, name }) => [sessionId, name]))
  const states = messages.flatMap((message) =>
    message.type === '@xstate.event' ? [] : [[names.get(message.sessionId), `${message.snapshot.status} ${message.snapshot.value}`] as const],
  )
  return Object.fromEntries(states)
}

async function failedOver({ kernel, last }: Rig): Promise<void> {
  const turn = kernel.turn({ id: 't-1', prompt: 'hi', sinks: ['event'] })
  await settle()
  last().fail('rate_limited', { retryAfterMs: 60_000 })
  await settle()
  last().text('hello').final()
  await turn.outcome
  await settle()
}

describe('WEB-06 what a relay tells', () => {
  test('is every actor of a turn, by a name and an address of its own, with its chart and its states', async () => {
    const stage = watched()
    await failedOver(stage)
    expect(standing(stage.seen)).toEqual({
      supervisor: 'active choosing',
      'engine-a.x': 'active cooling',
      'engine-b.y': 'active available',
      'turn t-1': 'done served',
      stream: 'done truncated',
    })
    const actors = stage.seen.filter(isActor)
    const nameOf = new Map<string | undefined, string>(actors.map(({ sessionId, name }) => [sessionId, name]))
    expect(nameOf.size).toBe(5)
    expect(actors.map(({ name, parentId, rootId }) => [name, nameOf.get(parentId), nameOf.get(rootId)])).toEqual([
      ['supervisor', undefined, 'supervisor'],
      ['engine-a.x', 'supervisor', 'supervisor'],
      ['engine-b.y', 'supervisor', 'supervisor'],
      ['turn t-1', 'supervisor', 'supervisor'],
      ['stream', 'turn t-1', 'supervisor'],
    ])
    const turns = stage.seen.filter(isSnapshot).filter(({ sessionId }) => nameOf.get(sessionId) === 'turn t-1')
    expect(turns.map(({ event, snapshot }) => [event.type, snapshot.value, snapshot.context])).toEqual([
      ['xstate.init', 'streaming', { attempt: 1 }],
      ['xstate.done.actor.stream', 'streaming', { attempt: 1 }],
      ['attempt.ended', 'attempting', { attempt: 2 }],
      ['attempt.ended', 'served', { attempt: 2 }],
    ])
    expect(new Set(stage.seen.map(({ id }) => id)).size).toBe(stage.seen.length)
    await stage.kernel.stop()
  })

  test('has listed fields and no others', async () => {
    const stage = watched()
    await failedOver(stage)
    const fields = Object.fromEntries(stage.seen.map((message) => [message.type, Object.keys(message).sort()]))
    const head = ['_version', 'createdAt', 'id', 'rootId', 'sessionId', 'type']
    expect(fields).toEqual({
      '@xstate.actor': [...head, 'chart', 'definition', 'name', 'parentId', 'snapshot'].sort(),
      '@xstate.event': [...head, 'event', 'sourceId'].sort(),
      '@xstate.snapshot': [...head, 'event', 'snapshot'].sort(),
    })
    const inner = stage.seen.flatMap((message) => [
      ...('event' in message ? Object.keys(message.event) : []),
      ...('snapshot' in message ? Object.keys(message.snapshot) : []),
    ])
    expect([...new Set(inner)].sort()).toEqual(['context', 'error', 'output', 'status', 'type', 'value'])
    const figures = stage.seen.flatMap((message) => ('snapshot' in message ? Object.keys(message.snapshot.context) : []))
    expect([...new Set(figures)].sort()).toEqual(['attempt', 'committed', 'heldUntil', 'inFlight', 'waiting'])
    await stage.kernel.stop()
  })

  test.each([
    ['supervisor', supervisorMachine],
    ['engine', engineMachine],
    ['turn', turnMachine],
    ['stream', streamMachine],
    ['team', teamMachine],
  ] as const)('of the chart %s is all that a drawing of it needs', (id, machine) => {
    const relay = inspectionRelay()
    relay.inspect({ type: '@xstate.actor', rootId: 'x:0', actorRef: { sessionId: 'x:0', id, logic: machine } as never })
    const [actor] = relay.messages().filter(isActor)
    expect(actor?.chart).toBe(id)
    const again = setup({}).createMachine(JSON.parse(actor?.definition ?? ''))
    expect(shape(again.definition)).toEqual(shape(machine.definition))
  })

  test('of an actor that is none of ours is that it is there', () => {
    const relay = inspectionRelay()
    const actorRef = {
      sessionId: 'x:0',
      id: 'foreign',
      logic: { config: { id: CANARY } },
      options: { input: { port: { id: CANARY } } },
      getSnapshot: () => ({ status: 'active', value: CANARY, context: { CANARY }, output: CANARY, error: CANARY }),
    } as never
    relay.inspect({ type: '@xstate.actor', rootId: 'x:0', actorRef })
    relay.inspect({ type: '@xstate.snapshot', rootId: 'x:0', actorRef, event: { type: 'go', text: CANARY }, snapshot: CANARY as never })
    expect(relay.messages().map(({ type }) => type)).toEqual(['@xstate.actor', '@xstate.snapshot'])
    expect(JSON.stringify(relay.messages()).toLowerCase()).not.toContain(CANARY)
  })

  test('tells the actors of several kernels and teams apart', async () => {
    const relay = inspectionRelay()
    const one = supervised({ ports: { inspect: relay.inspect } })
    const other = rig({ ports: { inspect: relay.inspect } })
    await settle()
    const actors = relay.messages().filter(isActor)
    expect(actors.map(({ chart }) => chart)).toEqual(expect.arrayContaining(['supervisor', 'team', 'turn']))
    expect(new Set(actors.map(({ sessionId }) => sessionId)).size).toBe(actors.length)
    expect(new Set(actors.map(({ rootId }) => rootId)).size).toBe(3)
    await one.kernel.stop()
    await other.kernel.stop()
  })

  test('is nothing of a chunk', async () => {
    const { kernel, last, seen } = watched(LONE)
    const turn = kernel.turn({ prompt: 'hi', sinks: ['event'] })
    await settle()
    last().opened().text('first')
    await settle()
    const before = seen.length
    for (let n = 0; n < 1000; n++) last().text(`chunk ${n}`)
    expect(seen).toHaveLength(before)
    last().final()
    await turn.outcome
    await kernel.stop()
  })
})

/** The states of a chart and where they lead. */
function shape(node: unknown): unknown {
  return JSON.parse(
    JSON.stringify(node, (key, value) => (['context', 'output', 'version', 'meta', 'invoke', 'toJSON'].includes(key) ? undefined : value)),
  )
}

describe('R36 WEB-06 no message to an inspector', () => {
  test('has a key, a prompt, an answer, a tool call or the words of a provider', async () => {
    const stage = watched({
      primary: 'a.x',
      profiles: {
        'a.x': {
          model: 'm1',
          apiKey: `${CANARY}-key`,
          headers: { 'x-team': `${CANARY}-header` },
          body: { user: `${CANARY}-body` },
          fallback: ['b.y'],
        },
        'b.y': { model: 'm2', apiKey: `${CANARY}-key-2`, endpoint: `https://h.example/v1?key=${CANARY}-query` },
      },
      reliability: { jitter: 0, providerRetries: 0 },
    })
    const tools = [{ name: `${CANARY}_tool`, description: CANARY, parameters: { type: 'object' } }]
    const messages = [
      { role: 'system' as const, content: `${CANARY}-system` },
      { role: 'user' as const, content: `${CANARY}-prompt` },
    ]
    const turn = stage.kernel.turn({ id: 't-1', messages, tools, sinks: ['event'] })
    await settle()
    stage
      .last()
      .text(`${CANARY}-draft`)
      .fail('server_error', { message: `${CANARY}-said`, code: `${CANARY}-code` })
    await settle()
    const second = stage.kernel.turn({ id: 't-2', messages, tools, sinks: ['draft'] })
    await settle()
    stage.last().fail('rate_limited', { message: `${CANARY}-limit`, retryAfterMs: 1000 })
    await settle()
    stage.last().say({ type: 'toolCall', id: `${CANARY}-id`, name: `${CANARY}_tool`, arguments: `{"a":"${CANARY}-argument"}` })
    stage.last().text(`${CANARY}-answer`).final('tool_calls')
    await settle()
    const third = stage.kernel.turn({ id: 't-3', messages })
    await settle()
    stage.last().raise(new Error(`${CANARY}-raised`))
    await settle()
    await stage.kernel.stop()
    await Promise.all([turn.outcome, second.outcome, third.outcome])
    const told = JSON.stringify([stage.seen, stage.relay.messages()])
    expect(told).toContain('turn t-3')
    expect(told).not.toContain(CANARY)
  })

  test('has a word of a thread', async () => {
    const relay = inspectionRelay()
    const seen: InspectionMessage[] = []
    relay.attach({ take: (message) => seen.push(message) > 0 })
    const { team, answer, pass, kernel } = supervised({
      ports: { inspect: relay.inspect },
      team: { participants: [{ id: 'ana', provider: 'a.x', prompt: `${CANARY}-role` }] },
    })
    await answer(`${CANARY}-post\nplay: gate ${CANARY}-question`)
    team.say(`${CANARY}-said`)
    await pass(1000)
    await kernel.stop()
    expect(standing(seen)).toMatchObject({ team: 'done stopped' })
    expect(JSON.stringify([seen, relay.messages()])).not.toContain(CANARY)
  })
})
