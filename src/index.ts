/** The door `relevo`: a kernel that keeps LLM turns going. */
export { type Checked, type CheckOptions, checkConfig } from './config/check.ts'
export type { SecretSource } from './config/credential.ts'
export { CLI_FAMILIES } from './config/families.ts'
export type { CliOptions } from './engines/cli/resolver.ts'
export type { AttemptRequest, CallOptions, Engine, EngineResolver, Flow, PassThrough, Skim } from './engines/contract.ts'
export type { StreamDecoder } from './engines/http/decoder.ts'
export {
  type FailureInput,
  type FailureReading,
  type ReadOptions,
  readFailure,
  readStream,
  type StreamReading,
  streamDecoder,
} from './engines/http/read.ts'
export { HTTP_APIS } from './engines/http/registry.ts'
export { type CliSettings, OWN_MODEL } from './model/cli.ts'
export type { Clock, RandomSource } from './model/clock.ts'
export type { Failure, FailureKind, FailurePhase } from './model/failure.ts'
export type { Board, Hold, HoldReason } from './model/hold.ts'
export type {
  AssistantMessage,
  ContentPart,
  Issued,
  Message,
  MessageInput,
  ProviderOptions,
  ToolCall,
  ToolDefinition,
  ToolDefinitionInput,
} from './model/message.ts'
export type { AttemptRecord, FailureEvent, FailureReason, Outcome, OutcomeKind, WaitReason } from './model/outcome.ts'
export type { Diagnostic, Entry, Identity, Plan, Target } from './model/plan.ts'
export type { NewPost, Post } from './model/post.ts'
export type { PriceAsk, PriceBook, PriceQuote } from './model/price.ts'
export type { Finish, Iteration, ProviderEvent, StreamFrame } from './model/provider-event.ts'
export { Secret } from './model/secret.ts'
export type {
  Budgets,
  Capabilities,
  CompletionPolicy,
  Credential,
  EffortRouting,
  GatewayKey,
  GatewaySettings,
  ModelRoute,
  Profile,
  Reliability,
  Settings,
  Timeouts,
} from './model/settings.ts'
export type { ChainEntry, PauseCause, RunState, StartedBy, TeamConfig, TeamEnd, TeamFact, TeamRun, WokenBy } from './model/team.ts'
export type { TeamEvent, ThreadFact } from './model/team-event.ts'
export type { TeamStanding } from './model/team-standing.ts'
export type { TurnContent, TurnEvent, TurnFact } from './model/turn-event.ts'
export type { AttemptResult, Bill, CostBasis, LedgerRow, Price, PriceSource, Usage } from './model/usage.ts'
export type { EntryDescription, PlanDescription } from './plan/describe.ts'
export type { Effort, Estimator } from './plan/effort.ts'
export type { HintDescription, ProfileDescription } from './plan/listing.ts'
export { type Disposition, disposition } from './policy/disposition.ts'
export { askedFirst, type Choice, type ChoiceRule, type ChoiceView, listedOrder } from './policy/team/order.ts'
export { type EndOfTurn, endOfTurn, type Play } from './policy/team/plays.ts'
export type { EngineStatus, ParticipantStatus, RunningCall, TeamStatus } from './policy/team/team-status.ts'
export type { HoldStore } from './runtime/engine-room.ts'
export {
  ConfigError,
  RefusedError,
  RelevoError,
  StreamInterruptedAfterOutput,
  TurnCancelledError,
  TurnError,
  TurnExhaustedError,
} from './runtime/errors.ts'
export type { FactListener } from './runtime/fact-log.ts'
export type { Inspector, WatchedInspector } from './runtime/inspect.ts'
export { createKernel } from './runtime/kernel.ts'
export type { Kernel, KernelConfig, KernelPorts, PlanQuery } from './runtime/kernel-door.ts'
export { type Ledger, memoryLedger, type RowClose } from './runtime/ledger.ts'
export type { Logger } from './runtime/log.ts'
export type { CallRequest, OpenTurn } from './runtime/open-turn.ts'
export type { OpenTurnRequest, Scopes, Sinks, TurnRequest } from './runtime/request.ts'
export type { EarlierSpending } from './runtime/spending.ts'
export { systemClock } from './runtime/system-clock.ts'
export type { TeamClock } from './runtime/team/team-clock.ts'
export type { Team, TeamHandle, TeamLine, TeamParticipant, TeamResult } from './runtime/team/team-door.ts'
export { memoryThread, type Thread } from './runtime/thread/thread.ts'
export type { Turn } from './runtime/turn-handle.ts'
