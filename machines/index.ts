/** The door `relevo/machines`: the charts and the types that they name. */

export type { Attempt, Facts, TurnFixed, TurnMemory, TurnNews, Wait } from '../src/policy/turn-step.ts'
export type { EngineContext, EngineEvent, EnginePort } from './engine.ts'
export { engineMachine } from './engine.ts'
export type { StreamContext, StreamEnd, StreamEvent, StreamOutput } from './stream.ts'
export { streamMachine } from './stream.ts'
export type { SupervisorContext, SupervisorEvent, SupervisorPort } from './supervisor.ts'
export { supervisorMachine } from './supervisor.ts'
export type { TeamContext, TeamInput, TeamMachineEvent, TeamOutput, TeamPort } from './team.ts'
export { teamMachine } from './team.ts'
export type { TurnContext, TurnInput, TurnMachineEvent, TurnOutput, TurnPort } from './turn.ts'
export { turnMachine } from './turn.ts'
