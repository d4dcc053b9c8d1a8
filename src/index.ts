/** The door `relevo`: a kernel that keeps LLM turns going. */
export { checkConfig, type Checked, type CheckOptions } from './config/check.ts'
export type { SecretSource } from './config/credential.ts'
export type { AttemptRequest, CallOptions, Engine, EngineResolver, Flow } from './engines/contract.ts'
export type { Clock, RandomSource } from './model/clock.ts'
export type { Failure, FailureKind, FailurePhase } from './model/failure.ts'
export type { Board, Hold, HoldReason } from './model/hold.ts'
export type { ContentPart, Message, ToolCall, ToolDefinition } from './model/message.ts'
export type { AttemptRecord, FailureEvent, FailureReason, Outcome, OutcomeKind, WaitReason } from './model/outcome.ts'
export type { Diagnostic, Entry, Identity, Plan } from './model/plan.ts'
export type { Finish, ProviderEvent } from './model/provider-event.ts'
export { Secret } from './model/secret.ts'
export type { Profile, Settings } from './model/settings.ts'
export type { TurnContent, TurnEvent, TurnFact } from './model/turn-event.ts'
export type { AttemptResult, LedgerRow, Price, Usage } from './model/usage.ts'
export type { EntryDescription, PlanDescription } from './plan/describe.ts'
export { type Disposition, disposition } from './policy/disposition.ts'
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
export type { Inspector } from './runtime/inspect.ts'
export { createKernel, type Kernel, type KernelConfig, type KernelPorts, type PlanQuery } from './runtime/kernel.ts'
export { type Ledger, memoryLedger, type RowClose } from './runtime/ledger.ts'
export type { Logger } from './runtime/log.ts'
export type { Sinks, TurnRequest } from './runtime/request.ts'
export { systemClock } from './runtime/system-clock.ts'
export type { Turn } from './runtime/turn-handle.ts'
