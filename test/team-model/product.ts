import { membersOf } from '../../src/policy/team/chain.ts'
import { askedFirst, listedOrder } from '../../src/policy/team/order.ts'
import { RunningTeam } from '../../src/runtime/team/running-team.ts'
import { VirtualTeamClock } from '../../src/simulate/team-clock.ts'

/** What of the product the property drives: as it is, or loaded with a bug planted in it. */
export interface Product {
  readonly RunningTeam: typeof RunningTeam
  readonly VirtualTeamClock: typeof VirtualTeamClock
  readonly membersOf: typeof membersOf
  readonly listedOrder: typeof listedOrder
  readonly askedFirst: typeof askedFirst
}

export const PRODUCT: Product = { RunningTeam, VirtualTeamClock, membersOf, listedOrder, askedFirst }
