import type { AttemptRecord, MessageInput, Outcome, ToolDefinitionInput, TurnContent, TurnRequest } from '../../index.ts'
import type { Problem } from './problem.ts'

/**
 * How one protocol of clients is spoken: what it asks, and how it is answered. A dialect decides nothing about a turn; the exchange, which
 * is the same for all, does what has to do with HTTP.
 */
export interface Dialect {
  /** The protocol, as a profile names it: an entry that speaks it may be passed through. */
  readonly api: 'openai-chat' | 'openai-responses' | 'anthropic-messages'
  /** The header in which clients of the protocol look for the name of an answer; none by default. */
  readonly idHeader?: string
  /** Throws BadRequest that names the field. */
  read(body: Readonly<Record<string, unknown>>): ClientRequest
  /** A whole answer, as JSON. */
  answer(answer: Answer): object
  /** Says a streamed answer; made when there is something to say. */
  voice(head: Head): StreamVoice
  /** The body of an answer that is none. */
  error(problem: Problem, relevo: Summary | null): object
}

/** What a client asks, in the words of the kernel. */
export interface ClientRequest {
  readonly model: string | null
  /** Ordered fallbacks for this request alone. */
  readonly models: readonly string[] | null
  readonly stream: boolean
  readonly messages: readonly MessageInput[]
  readonly tools: readonly ToolDefinitionInput[]
  readonly options: NonNullable<TurnRequest['options']>
  /** The client wants to be told usage at the end of a stream. */
  readonly usage: boolean
  /** The body for an entry of the client's own protocol; as it came when left out. */
  readonly passed?: Readonly<Record<string, unknown>>
  /** Fields of the request that its protocol says again in the answer. */
  readonly repeated?: Readonly<Record<string, unknown>>
}

/** What is known of an answer when its first content is there. */
export interface Head {
  /** Name of the turn. */
  readonly turn: string
  /** The model that answers. */
  readonly model: string
  /** Epoch ms. */
  readonly at: number
  readonly request: ClientRequest
}

export interface Answer extends Head {
  readonly outcome: Outcome
}

/** A streamed answer in the words of one protocol. Each method answers what to write, whole events of it; empty where there is nothing. */
export interface StreamVoice {
  content(event: Content): string | Uint8Array
  /** The end of a whole answer: what closes it, its usage and the terminator, the last event with `relevo` in it. */
  end(outcome: Outcome, relevo: Summary): string
  /** The error of an answer that broke off, in the way of the protocol, and nothing after it: no terminator. */
  broken(problem: Problem, relevo: Summary): string
}

export type Content = Exclude<TurnContent, { readonly type: 'draft' }>

/** What a client is told of how it was served, beside the answer. Identities are profile and model, as `profile/model`. */
export interface Summary {
  readonly turn: string
  readonly requested: string | null
  readonly served: string | null
  readonly attempts: readonly AttemptSummary[]
  readonly notice: string | null
  /** USD; null when unknown. */
  readonly cost: number | null
  readonly usage: Outcome['usage']
}

export type AttemptSummary = Pick<AttemptRecord, 'n' | 'entry' | 'mode' | 'result'>
