/** The door `relevo/testing`: what a host needs to prove its own use of relevo without keys, network or waiting. */
export { type Script, scriptedEngine } from './engines/scripted.ts'
export { type Mismatch, mismatches } from './simulate/match.ts'
export { type ReadScenario, readScenario, type Scenario } from './simulate/scenario.ts'
export { type Simulated, type SimulationPorts, simulate } from './simulate/simulate.ts'
export type { Trace, TurnTrace } from './simulate/trace.ts'
export { type VirtualClock, virtualClock } from './simulate/virtual-clock.ts'
