import type { TeamStanding } from '../../../src/model/team-standing.ts'

/** Where a run stood between two calls. */
export const NEW: TeamStanding = {
  position: 0,
  begun: 3,
  ended: 2,
  iterations: 2,
  chargedMs: 5,
  paused: null,
  gates: [],
  approved: [],
  asked: { byPerson: null, byPost: null },
  done: [],
  repeated: null,
  heard: 4,
  run: null,
}

/** The call that it was in. */
export const RUN = { n: 3, participant: 'ana', engine: 'claude', startedBy: 'pick', position: 1, lastPost: 4, isCut: false } as const
