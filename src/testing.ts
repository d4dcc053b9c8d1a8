/** The door `relevo/testing`: what a host needs to prove its own use of relevo without keys, network or waiting. */

export { type ConformanceCase, notApplicable } from './engines/conformance/case.ts'
export { loopbackSubject } from './engines/conformance/loopback-subject.ts'
export type { ConformanceSubject, Need, Prepared, Situation, SteppedClock } from './engines/conformance/subject.ts'
export { virtualSubject } from './engines/conformance/virtual-subject.ts'
export { conformanceCases } from './engines/conformance.ts'
export type { FakeCall } from './engines/fake-cli/folder.ts'
export { type FakeCliOptions, type FakeClis, installFakeClis } from './engines/fake-cli/install.ts'
export type {
  FakeAnswer,
  FakeCliName,
  FakeCliScript,
  FakeFailure,
  FakeMishap,
  FakePiece,
  FakeRun,
  FakeTool,
  FakeUsage,
} from './engines/fake-cli/script.ts'
export type { Fault, FaultKind, Place } from './engines/loopback/fault.ts'
export type { LoopbackRequest } from './engines/loopback/recorded.ts'
export type {
  LoopbackScript,
  ScriptedCallItem,
  ScriptedEvent,
  ScriptedOutcome,
  ScriptedStream,
  ScriptedStreamItem,
  ScriptedToolCall,
} from './engines/loopback/script.ts'
export { type LoopbackOptions, type LoopbackProvider, startLoopbackProvider } from './engines/loopback/server.ts'
export { type Script, scriptedEngine } from './engines/scripted.ts'
export { type ScenarioArbitraryOptions, scenarioArbitrary } from './simulate/arbitraries.ts'
export { type Mismatch, mismatches } from './simulate/match.ts'
export { type ReadScenario, readScenario, type Scenario } from './simulate/scenario.ts'
export type { ScenarioProblem } from './simulate/scenario-problems.ts'
export { type Simulated, type SimulationPorts, simulate } from './simulate/simulate.ts'
export { type SimulatedTeam, simulateTeam, type TeamSimulationPorts } from './simulate/simulate-team.ts'
export { type ReadTeamScenario, readTeamScenario, type TeamScenario } from './simulate/team-scenario.ts'
export type { TeamEndReason, TeamTrace, TeamTraceTurn } from './simulate/team-trace.ts'
export type { Trace, TurnTrace } from './simulate/trace.ts'
export { type VirtualClock, virtualClock } from './simulate/virtual-clock.ts'
