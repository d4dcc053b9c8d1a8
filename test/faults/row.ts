import type { Fault } from '../../src/engines/loopback/fault.ts'
import type { RequestEnd } from '../../src/engines/loopback/perform.ts'
import type { ScriptedCallItem, ScriptedEvent, ScriptedStreamItem } from '../../src/engines/loopback/script.ts'
import type { OutcomeKind } from '../../src/model/outcome.ts'
import type { AttemptResult } from '../../src/model/usage.ts'

/**
 * The words of the fault table: one row a thing that the first of two providers does, and what a turn makes of it by who reads it. The
 * second provider is healthy.
 */
export const SINKS = ['event', 'draft', 'none'] as const
/** Who reads: an event sink, a draft sink, or nobody, which asks without streaming. */
export type Sink = (typeof SINKS)[number]

export interface Row {
  /** What the first provider does, as a sentence without its subject. */
  readonly does: string
  readonly stream: readonly ScriptedStreamItem[]
  readonly call: readonly ScriptedCallItem[]
  /** There is no second provider. */
  readonly alone?: true
  /** `providerRetries`; 0 unless given, so that each attempt of the row is seen by itself. */
  readonly retries?: number
  /** Null: the row has no meaning there. */
  readonly expected: Readonly<Record<Sink, Expected | null>>
  /** Where a protocol comes to something else, and why. */
  readonly differs?: Readonly<Partial<Record<string, Differs>>>
}

export type Differs = { readonly why: string } & Readonly<Partial<Record<Sink, Expected | null>>>

export interface Expected {
  readonly outcome: OutcomeKind
  /** Who was asked and what the ledger says of it, in order; each is one request that the provider saw. */
  readonly attempts: readonly Attempted[]
  /** What of the first provider's text reached a reader: of an event sink for good, of a draft sink to be replaced. */
  readonly seen: 'nothing' | 'part' | 'whole'
  /** How the first request ended on the provider's side, where only one way is right. */
  readonly end?: RequestEnd
  /** The warning that the turn raised. */
  readonly warning?: 'content_after_final'
}

export type Attempted = `${'first' | 'second'} ${AttemptResult}`

export const FIRST_TEXT = ['The first ', 'provider answers.'] as const
export const SECOND_TEXT = 'The second provider answers.'
const USAGE = { input: 11, output: 7 }

export const ANSWER_EVENTS: readonly ScriptedEvent[] = [{ text: FIRST_TEXT[0] }, { text: FIRST_TEXT[1] }, { usage: USAGE }, { final: 'stop' }]
const ANSWER = { ok: FIRST_TEXT.join(''), usage: USAGE }

/** Names of places in the answer of the first provider. */
export const IN_FIRST_TEXT = { insideEvent: 0 } as const
export const AFTER_FIRST_TEXT = { beforeEvent: 1 } as const
export const IN_SECOND_TEXT = { insideEvent: 1 } as const
export const BEFORE_FINISH = { beforeEvent: 3 } as const

export const HEALTHY: Pick<Row, 'stream' | 'call'> = { stream: [{ events: ANSWER_EVENTS }], call: [ANSWER] }

/** The same fault in a stream and in a whole answer, or another one there; null: it has no meaning there. */
export function faulty(fault: Fault | readonly Fault[], inCall: Fault | readonly Fault[] | null = fault): Pick<Row, 'stream' | 'call'> {
  return { stream: [{ fault, answer: { events: ANSWER_EVENTS } }], call: inCall === null ? [] : [{ fault: inCall, answer: ANSWER }] }
}

/** A refusal in place of an answer. */
export function refusing(http: number, headers: Record<string, string> = {}): Pick<Row, 'stream' | 'call'> {
  return { stream: [{ http, headers }], call: [{ http, headers }] }
}

/** A stream of these events; a row that has no meaning without streaming. */
export function streaming(...events: readonly ScriptedEvent[]): Pick<Row, 'stream' | 'call'> {
  return { stream: [{ events }], call: [] }
}

type More = Partial<Pick<Expected, 'end' | 'warning'>>

/** The first provider serves. */
export function served(more: More = {}): Expected {
  return { outcome: 'ok', attempts: ['first ok'], seen: 'whole', ...more }
}

/** The first attempt fails before a reader saw anything for good, and the second provider serves. */
export function secondServes(after: AttemptResult, more: More & Partial<Pick<Expected, 'seen'>> = {}): Expected {
  return { outcome: 'ok', attempts: [`first ${after}`, 'second ok'], seen: 'nothing', ...more }
}

/** A reader saw text for good: nobody else is asked. */
export function interrupted(by: AttemptResult, seen: 'part' | 'whole', more: More = {}): Expected {
  return { outcome: 'interrupted', attempts: [`first ${by}`], seen, ...more }
}

/** The same whoever reads. */
export function whoeverReads(expected: Expected, call: Expected | null = expected): Row['expected'] {
  return { event: expected, draft: expected, none: call }
}

/** The event sink has seen text when the stream fails, so that it decides: interrupted there, replaced in a draft. */
export function afterText(kind: AttemptResult, seen: 'part' | 'whole', call: Expected | null, more: More = {}): Row['expected'] {
  return { event: interrupted(kind, seen, more), draft: secondServes(kind, { seen, ...more }), none: call }
}
