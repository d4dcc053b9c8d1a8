import type {
  createBrowserInspector,
  createInspector,
  createSkyInspector,
  createWebSocketInspector,
  StatelyActorEvent,
  StatelyEventEvent,
  StatelyInspectionEvent,
  StatelySnapshotEvent,
} from '@statelyai/inspect'
import { describe, expectTypeOf, test } from 'vitest'
import type { ActorMessage, EventMessage, InspectionMessage, SnapshotMessage } from '../../src/host.ts'
import type { KernelPorts } from '../../src/index.ts'

describe('WEB-06 what inspectors are told', () => {
  test('is what @statelyai/inspect itself tells', () => {
    expectTypeOf<InspectionMessage>().toExtend<StatelyInspectionEvent>()
    expectTypeOf<ActorMessage>().toExtend<StatelyActorEvent>()
    expectTypeOf<EventMessage>().toExtend<StatelyEventEvent>()
    expectTypeOf<SnapshotMessage>().toExtend<StatelySnapshotEvent>()
    // No kind of message is left out.
    expectTypeOf<StatelyInspectionEvent['type']>().toEqualTypeOf<InspectionMessage['type']>()
  })

  test('is told by every inspector of @statelyai/inspect in the port of a kernel', () => {
    type Port = NonNullable<KernelPorts['inspect']>
    expectTypeOf<ReturnType<typeof createInspector>['inspect']>().toExtend<Port>()
    expectTypeOf<ReturnType<typeof createBrowserInspector>['inspect']>().toExtend<Port>()
    expectTypeOf<ReturnType<typeof createSkyInspector>['inspect']>().toExtend<Port>()
    expectTypeOf<ReturnType<typeof createWebSocketInspector>['inspect']>().toExtend<Port>()
  })
})
