import type { JsonObject } from '../../http/json-object.ts'
import type { Wording } from './wording.ts'

/**
 * Where in its output a CLI speaks for itself (cli-engines.md §6, rule 0). A voice is asked about one event or one line of standard error at a
 * time and says what it means.
 *
 * 1. Text of a model, results of tools, output of commands, warnings of items and lines of a log are nothing that a voice passes on.
 * 2. A voice never throws, whatever the event holds.
 */
export interface Voice {
  /** What one JSON event says; nothing when it is none of the CLI's own. */
  event(event: JsonObject): readonly Said[]
  /** What the text of one message of its own is: its words, or that it tries again. */
  message(text: string): Said
  /** What one line of standard error is, its terminal codes taken off. */
  line(text: string): LineOf
  /** What the CLI writes before its errors, beside what all of them write. */
  readonly openings: readonly RegExp[]
  /** Its wordings, then what it shares with others. */
  readonly wordings: readonly Wording[]
  /** A failed run of it exits with something else than 0, so that a 0 without any other verdict is a success. */
  readonly exitTells: boolean
  /** A 429 or RESOURCE_EXHAUSTED is a quota where nothing says that it is a rate (T3). */
  readonly quotaBy429: boolean
}

export type Said =
  /** The model that the run has, as the CLI names it. */
  | { readonly as: 'model'; readonly name: string }
  | Words
  /** It is still trying, with the words in which it says why. */
  | { readonly as: 'retry'; readonly text: string }
  /** It waits for the network, and will without an end. */
  | { readonly as: 'waiting'; readonly text: string }
  /** It sleeps before it tries again. */
  | { readonly as: 'sleep'; readonly ms: number; readonly text: string }
  /** The state of its subscription, as an event. */
  | { readonly as: 'standing'; readonly standing: Standing }
  /** Its terminal event. `unusable`: well, yet without an answer that could be used. */
  | { readonly as: 'ended'; readonly how: 'well' | 'badly' | 'unusable'; readonly text: string }
  /** The run goes on. */
  | { readonly as: 'progress' }

/** Its own words about what failed. */
export interface Words {
  readonly as: 'words'
  readonly text: string
  readonly facts: Facts
  /** Those of the terminal event. */
  readonly last: boolean
  /** They may be a model's all the same, so that a long text is no limit (T4). */
  readonly guarded: boolean
}

/** `words`: the CLI's own · `banner`: from here on only `marked` lines are its own · `note`: nothing that counts. */
export type LineOf = Said | 'words' | 'marked' | 'banner' | 'note'

/** What a `rate_limit_event` of claude says of the account. */
export interface Standing {
  readonly rejected: boolean
  /** The limit's own name, such as `five_hour`. */
  readonly type: string | null
  /** As given: epoch seconds or ms, or ISO text. */
  readonly resetsAt: unknown
}

/** Typed fields that stand beside a text: words in lower case, HTTP statuses, instants and waits as they were given. */
export interface Facts {
  readonly words: readonly string[]
  readonly statuses: readonly number[]
  readonly texts: readonly string[]
  readonly resetsAt: unknown
  readonly waits: readonly string[]
  /** A quota of a day is among those that were passed. */
  readonly daily: boolean
  /** A quota of a minute is. */
  readonly perMinute: boolean
  /** A quota of a model is among them. */
  readonly perModel: boolean
  /** The model that the error names in a field of its own. */
  readonly model: string | null
}

export const NO_FACTS: Facts = {
  words: [],
  statuses: [],
  texts: [],
  resetsAt: null,
  waits: [],
  daily: false,
  perMinute: false,
  perModel: false,
  model: null,
}

export const PROGRESS: readonly Said[] = [{ as: 'progress' }]

export function words(text: string, more: Partial<Words> = {}): Words {
  return { as: 'words', text, facts: NO_FACTS, last: false, guarded: false, ...more }
}

/** The text of a field, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
