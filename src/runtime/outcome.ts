import type { AssistantMessage } from '../model/message.ts'
import type { AttemptRecord, FailureEvent, Outcome, OutcomeKind } from '../model/outcome.ts'
import type { Diagnostic, Identity, Plan } from '../model/plan.ts'
import type { Settings } from '../model/settings.ts'
import type { TurnContent } from '../model/turn-event.ts'
import { attribute, servedBy } from '../policy/attribute.ts'
import { notice } from '../policy/notice.ts'
import { partialText } from '../policy/replay.ts'
import type { Attempt } from '../policy/turn-step.ts'
import { entryOf } from '../policy/walk.ts'
import type { Bridge } from './bridge.ts'

export interface Ending {
  readonly kind: OutcomeKind
  readonly retryAt: number | null
  readonly attempt: Attempt | null
  readonly recoveredFrom: Outcome['recoveredFrom']
  readonly plan: Plan
  readonly answer: Bridge | null
  readonly forwarded: string
  readonly attempts: readonly AttemptRecord[]
  readonly usage: Outcome['usage']
  readonly cost: Outcome['cost']
  readonly failures: readonly FailureEvent[]
  readonly noticeMode: Settings['modelFallbackNotice']
  readonly startedAt: number
  readonly endedAt: number
}

/** Puts the outcome together. Served identity, attribution and notice exist only with an answer (R33, C45). */
export function outcomeOf(ending: Ending): Outcome {
  const { plan, answer, attempt } = ending
  const entry = answer === null || attempt === null ? null : entryOf(plan, attempt.entry)
  const servedModel = answer?.iterations.at(-1)?.model ?? null
  const attribution = entry === null ? null : attribute(plan, entry, servedModel)
  return {
    kind: ending.kind,
    text: answer?.text ?? '',
    reasoning: answer?.reasoning ?? '',
    toolCalls: answer?.toolCalls ?? [],
    message: answer === null || entry === null ? null : messageOf(answer, servedBy(entry)),
    partialText: answer === null ? partialText(ending.forwarded) : null,
    requested: plan.requested,
    served: entry === null ? null : servedBy(entry, servedModel),
    attempts: ending.attempts,
    failures: ending.failures,
    usage: ending.usage,
    cost: ending.cost,
    notice: notice(attribution, ending.noticeMode),
    retryAt: ending.retryAt,
    attribution,
    recoveredFrom: entry === null ? null : ending.recoveredFrom,
    historyShortened: entry !== null && attempt?.history === 'shortened',
    unterminated: answer?.unterminated ?? false,
    error: null,
    startedAt: ending.startedAt,
    endedAt: ending.endedAt,
  }
}

function messageOf({ text, toolCalls, issued }: Bridge, { profile, model }: Identity): AssistantMessage {
  return {
    role: 'assistant',
    content: text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(issued.length === 0 || model === null ? {} : { issued: { profile, model, data: issued } }),
  }
}

/** What a reader gets at the end: tool calls of a stream, or the whole answer of a call, and the notice beside it (C31, R35). */
export function closingOf(outcome: Outcome, answer: Bridge | null, mode: Attempt['mode']): TurnContent[] {
  const closing: TurnContent[] = []
  if (answer !== null) closing.push(...(mode === 'stream' ? streamEnd(answer) : [wholeAnswer(answer)]))
  if (outcome.notice !== null) closing.push({ type: 'notice', text: outcome.notice })
  return closing
}

function streamEnd({ passed, toolCalls }: Bridge): TurnContent[] {
  if (passed === null) return toolCalls.map((call) => ({ type: 'toolCall', ...call }))
  return [...passed.held.map((bytes): TurnContent => ({ type: 'bytes', bytes })), { type: 'ending', frames: passed.ending }]
}

function wholeAnswer({ text, toolCalls, body }: Bridge): TurnContent {
  return body === null ? { type: 'answer', text, toolCalls } : { type: 'answer', text, toolCalls, body }
}

/** The outcome of a turn that could not be planned or started: nobody was called (C23). */
export function unstarted(kind: OutcomeKind, requested: Identity | null, error: Diagnostic | null, now: number): Outcome {
  return {
    kind,
    text: '',
    reasoning: '',
    toolCalls: [],
    message: null,
    partialText: null,
    requested,
    served: null,
    attempts: [],
    failures: [],
    usage: null,
    cost: null,
    notice: null,
    retryAt: null,
    attribution: null,
    recoveredFrom: null,
    historyShortened: false,
    unterminated: false,
    error,
    startedAt: now,
    endedAt: now,
  }
}
