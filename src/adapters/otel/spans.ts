import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { familyOf } from '../../model/plan.ts'
import type { AttemptMessage, TurnMessage } from '../../runtime/channels.ts'
import { EVENT, GEN_AI, OWN, providerOf, SPAN } from './names.ts'

/**
 * A turn as a span, each of its attempts as one below it.
 *
 * 1. Instants are those of the facts, so a span says what the ledger says.
 * 2. A cancel is no error; nor is an answer that was cut at its token limit.
 * 3. What is not known is left out, and never 0 or empty.
 */
type Started = Extract<TurnMessage, { readonly type: 'turn.started' }>
export type Ended = Extract<TurnMessage, { readonly type: 'turn.ended' }>
export type AttemptStarted = Extract<AttemptMessage, { readonly type: 'attempt.started' }>
export type AttemptEnded = Extract<AttemptMessage, { readonly type: 'attempt.ended' }>

/** The end of a turn begins its span when nothing was heard of it before: it could not be planned, or was cancelled at once. */
export function startTurnSpan(tracer: Tracer, { turn, participant, caller, requested }: Started | Ended, at: number, parent: Context): Span {
  const attributes = present({
    [OWN.turn]: turn,
    [OWN.participant]: participant,
    [OWN.caller]: caller,
    [OWN.requestedProfile]: requested?.profile,
    [OWN.requestedModel]: requested?.model,
  })
  return tracer.startSpan(SPAN.turn, { kind: SpanKind.INTERNAL, startTime: instant(at), attributes }, parent)
}

export function endTurnSpan(span: Span, { kind, served, attempts, cost, at, error }: Ended): void {
  span.setAttributes(
    present({
      [OWN.outcome]: kind,
      [OWN.attempts]: attempts,
      [OWN.servedProfile]: served?.profile,
      [OWN.servedModel]: served?.model,
      [OWN.turnCost]: cost,
      [GEN_AI.errorType]: isTurnError(kind) ? (error ?? kind) : undefined,
    }),
  )
  if (isTurnError(kind)) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(instant(at))
}

export function startAttemptSpan(tracer: Tracer, message: AttemptStarted, turn: { readonly span: Span; readonly parent: Context }): Span {
  const { n, entry, profile, model, mode, at } = message
  const attributes: Attributes = {
    [GEN_AI.operation]: SPAN.operation,
    [GEN_AI.provider]: providerOf(familyOf(profile)),
    [GEN_AI.requestModel]: model,
    [GEN_AI.stream]: mode === 'stream',
    [OWN.number]: n,
    [OWN.entry]: entry,
    [OWN.profile]: profile,
  }
  const options = { kind: SpanKind.CLIENT, startTime: instant(at), attributes }
  return tracer.startSpan(`${SPAN.operation} ${model}`, options, trace.setSpan(turn.parent, turn.span))
}

/** `model`: what was sent; whoever was accepted answered with it. `firstChunkMs`: null where no reader saw a chunk. */
export function endAttemptSpan(span: Span, { result, accepted, usage, cost, at }: AttemptEnded, model: string, firstChunkMs: number | null): void {
  const failed = isAttemptError(result)
  span.setAttributes(
    present({
      [OWN.result]: result,
      [OWN.accepted]: accepted,
      [OWN.attemptCost]: cost,
      [GEN_AI.responseModel]: accepted ? model : undefined,
      [GEN_AI.timeToFirstChunk]: firstChunkMs === null ? undefined : firstChunkMs / 1_000,
      [GEN_AI.inputTokens]: usage?.input,
      [GEN_AI.outputTokens]: usage?.output,
      [GEN_AI.cachedInputTokens]: usage?.cachedInput,
      [GEN_AI.errorType]: failed ? result : undefined,
    }),
  )
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(instant(at))
}

/** What happens in a turn between its attempts, as an event of its span. */
export function addTurnEvent(span: Span, message: TurnMessage): void {
  if (message.type === 'wait.started') {
    const { ms, why, key, at } = message
    span.addEvent(why === 'hold' ? EVENT.wait : EVENT.backoff, { [OWN.waitMs]: ms, [OWN.reason]: why, [OWN.key]: key }, instant(at))
  }
  if (message.type === 'recovery.started') span.addEvent(EVENT.recovery, { [OWN.from]: message.from }, instant(message.at))
}

export function isAttemptError(result: AttemptEnded['result']): boolean {
  return result !== 'ok' && result !== 'incomplete' && result !== 'cancelled'
}

function isTurnError(kind: Ended['kind']): boolean {
  return kind !== 'ok' && kind !== 'incomplete' && kind !== 'cancelled'
}

function present(attributes: Readonly<Record<string, string | number | boolean | null | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined)) as Attributes
}

/** Epoch ms as the SDK takes it for what it is: a number it reads as a reading of `performance.now()` when it is small enough. */
export function instant(at: number): Date {
  return new Date(at)
}
