/**
 * The door `relevo/host`: what a Node process needs beside the core door, which also bundles for a browser and has none of it: settings files and a watch on them, the
 * reading of what coding-agent CLIs print, the files of a team and its thread, a ledger in a file, the channels on which the facts of turns
 * are published, and a pino logger that takes every configured secret out of its lines by path and by value.
 */

export { literalCredentials } from './config/literal-credential.ts'
export { readSettingsText } from './config/settings-text.ts'
export type { PromptedParticipant } from './config/team/check-team.ts'
export type { ParticipantFile, ParticipantText } from './config/team/participant-file.ts'
export { type ReadTeam, readTeam, type TeamOptions } from './config/team/read-team.ts'
export { NOTICE_CHANNELS, type NoticeChannel, type NoticeInput } from './engines/cli/notice/input.ts'
export { engineOfNotice, readNotice } from './engines/cli/notice/read-notice.ts'
export { isUncollected, processStart } from './engines/cli/process/process-start.ts'
export { bareHost, isLoopbackHost } from './model/address.ts'
export { Members } from './model/members.ts'
export { NOTICE_PROVIDERS, type Notice, type NoticeKind, type NoticeProvider, type ResetSource } from './model/notice.ts'
export { plainLine } from './model/plain-line.ts'
export { lostProfile } from './model/plan.ts'
export { secretValues } from './model/secret-values.ts'
export { type TeamStanding, teamStandingSchema } from './model/team-standing.ts'
export { PICO_PER_USD } from './model/usage.ts'
export { dayOf, nextDay } from './policy/budget.ts'
export {
  type AttemptMessage,
  DIAGNOSTICS_CHANNELS,
  type LimitMessage,
  type MessageSource,
  type TurnMessage,
} from './runtime/channels.ts'
export { spentByCallerOnDay, spentOnDay } from './runtime/earlier-spending.ts'
export { isOpenToOthers } from './runtime/file-fault.ts'
export {
  type ActorMessage,
  type EventMessage,
  INSPECTION_VERSION,
  type InspectedChart,
  type InspectedFigures,
  type InspectedState,
  type InspectionMessage,
  type InspectionView,
  type InspectionViewer,
  type InspectionViewOptions,
  type SnapshotMessage,
} from './runtime/inspection-message.ts'
export { type InspectionRelay, type InspectionRelayOptions, inspectionRelay } from './runtime/inspection-relay.ts'
export { attemptKey, closedRow } from './runtime/ledger.ts'
export { LedgerError, type LedgerErrorCode } from './runtime/ledger-error.ts'
export { jsonlLedger, type LedgerFileOptions } from './runtime/ledger-file.ts'
export type { LedgerEntry, LedgerEvent } from './runtime/ledger-line.ts'
export { LEDGER_GROUPS, type LedgerGroup, type LedgerQuery, type LedgerSum, LedgerSummary, type LedgerTotals } from './runtime/ledger-sum.ts'
export { createLogger, LOG_LEVELS, type LogLevel } from './runtime/pino-logger.ts'
export { type EndedBetween, type LedgerLine, type OpenedLedger, openLedger } from './runtime/read-ledger.ts'
export { type SettingsWatch, type SettingsWatchOptions, watchSettings } from './runtime/settings-watch.ts'
export { type ReadSettings, readSettingsFile } from './runtime/settings-watch-file.ts'
export { type OpenedThread, openThread, type ThreadOptions } from './runtime/thread/open-thread.ts'
export { ThreadError, type ThreadErrorCode } from './runtime/thread/thread-error.ts'
export type { EndedTurn, ToldFact } from './runtime/told-fact.ts'
