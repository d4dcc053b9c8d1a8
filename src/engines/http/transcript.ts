import type { AssistantMessage, Message, ProviderOptions } from '../../model/message.ts'
import type { AttemptRequest } from '../contract.ts'

/**
 * A history as the entry that is called now can take it (R1, R12). The history itself never changes: what one entry cannot read is back
 * when the walk returns to the entry that gave it.
 *
 * 1. Every tool call has an id that the protocol accepts, and its result has the same. An id that fits is kept. Any other is mapped by
 *    what stands before it alone: the same history, and any longer one that begins with it, is mapped alike. One that was shortened from
 *    the front may be mapped otherwise, alike within itself.
 * 2. Two calls never share an id, also where their provider gave both the same; each result goes to its own call.
 * 3. What only its issuer can read (`issued`) stays where profile and model are those that gave it, and is left out elsewhere.
 * 4. Messages keep their places. A protocol in which results must follow their call puts them there (`resultsBehindCalls`).
 */
export interface IdRule {
  /** Matches an id that the protocol takes as it is. */
  readonly fits: RegExp
  /** Length of the ids that are made where one does not fit. Letters and digits are all that is used. */
  readonly length: number
}

type Receiver = Pick<AttemptRequest, 'profile' | 'model'> & Partial<Pick<AttemptRequest, 'entry'>>

export function portableMessages(request: Receiver & Pick<AttemptRequest, 'messages'>, rule: IdRule): readonly Message[] {
  const ids = new CallIds(rule)
  return request.messages.map((message, at): Message => {
    if (message.role !== 'assistant') {
      if (message.role === 'tool') return { ...message, toolCallId: ids.answered(message.toolCallId) }
      ids.interrupted()
      return message
    }
    const kept = ownMessage(message, request)
    if (kept.toolCalls === undefined || kept.toolCalls.length === 0) return kept
    return { ...kept, toolCalls: kept.toolCalls.map((call, number) => ({ ...call, id: ids.called(call.id, `call_${at}_${number}`) })) }
  })
}

/** The messages with each result directly behind its call: a user may speak while a tool runs, and most protocols refuse that order. */
export function resultsBehindCalls(messages: readonly Message[]): readonly Message[] {
  const groups: Message[][] = []
  const callers = new Map<string | null, Message[]>()
  for (const message of messages) {
    const caller = message.role === 'tool' ? callers.get(message.toolCallId) : undefined
    if (caller !== undefined) {
      caller.push(message)
      continue
    }
    const group = [message]
    groups.push(group)
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) callers.set(call.id, group)
  }
  return groups.flat()
}

/** The options of an entry: those of its family, then those of its profile. Others' never arrive (R1). */
export function ownOptions({ profile }: Pick<AttemptRequest, 'profile'>, options: ProviderOptions | undefined): Readonly<Record<string, unknown>> {
  if (options === undefined) return {}
  return { ...ownOf(options, profile.family), ...ownOf(options, profile.id) }
}

function ownOf(options: ProviderOptions, name: string): Readonly<Record<string, unknown>> | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined
}

/** A profile with a pool of keys is told apart by the key as well: what one account encrypted another may not read. */
function ownMessage(message: AssistantMessage, { profile, model, entry }: Receiver): AssistantMessage {
  const { issued, ...rest } = message
  const label = entry?.split('/', 1)[0]
  const isOwn = issued?.model === model && (issued.profile === profile.id || issued.profile === label)
  return issued === undefined || isOwn ? message : rest
}

interface Call {
  readonly id: string
  answered: boolean
}

/** Calls of one step, the oldest without a result first. */
class OpenCalls {
  readonly step: number
  readonly #calls: Call[] = []
  #next = 0

  constructor(step: number) {
    this.step = step
  }

  add(call: Call): void {
    this.#calls.push(call)
  }

  oldest(): Call | undefined {
    while (this.#calls[this.#next]?.answered === true) this.#next += 1
    return this.#calls[this.#next]
  }
}

/** Calls that were given one id. */
interface Alike {
  count: number
  /** The id that stands for the last of them. */
  last: string
  /** Those without a result by step, the latest last. */
  readonly steps: OpenCalls[]
}

/** Ids of the calls of one history, in the order of its messages. A step is what the model said until somebody else spoke. */
class CallIds {
  readonly #rule: IdRule
  readonly #taken = new Set<string>()
  /** By the id that providers gave. */
  readonly #given = new Map<string, Alike>()
  /** The latest step that called anything. */
  #latest = new OpenCalls(0)
  /** Those of that step that their provider gave no id. */
  #latestNameless = new OpenCalls(0)
  /** Results so far that no call was found for. */
  #unknown = 0
  #step = 0
  #stepIsOver = true

  constructor(rule: IdRule) {
    this.#rule = rule
  }

  /** Somebody spoke who is neither the model nor a tool. */
  interrupted(): void {
    this.#stepIsOver = true
  }

  /** The id of a call; `substitute` names one that has none. */
  called(given: string | null, substitute: string): string {
    if (this.#stepIsOver) {
      this.#step += 1
      this.#latest = new OpenCalls(this.#step)
      this.#latestNameless = new OpenCalls(this.#step)
    }
    this.#stepIsOver = false
    const alike = given === null ? undefined : this.#given.get(given)
    const id = alike === undefined ? this.#mint(given ?? substitute) : this.#hash(`${given} ${alike.count}`)
    const call = { id, answered: false }
    this.#latest.add(call)
    if (given === null) this.#latestNameless.add(call)
    else this.#remember(given, call)
    return id
  }

  /**
   * The id of a result: that of the oldest open call of its name, in the latest step that has one; else, or without a name, that of the
   * oldest call of the latest step that has none. One that answers nothing open keeps to the call it was named after.
   */
  answered(given: string | null): string {
    this.#stepIsOver = true
    const alike = given === null ? undefined : this.#given.get(given)
    const call = alike === undefined ? this.#nameless(given) : oldestOf(alike.steps)
    if (call !== undefined) call.answered = true
    return call?.id ?? alike?.last ?? this.#unasked(given)
  }

  /** A result without a name answers whatever is open; one whose name nobody gave can only mean a call without one. */
  #nameless(given: string | null): Call | undefined {
    return (given === null ? this.#latest : this.#latestNameless).oldest()
  }

  #unasked(given: string | null): string {
    // Numbered, so that no name is tried again and again where a history has many.
    const id = this.#mint(given ?? (this.#unknown === 0 ? 'call_unknown' : `call_unknown_${this.#unknown}`))
    this.#unknown += 1
    if (given !== null) this.#given.set(given, { count: 1, last: id, steps: [] })
    return id
  }

  #remember(given: string, call: Call): void {
    const alike = this.#given.get(given) ?? { count: 0, last: call.id, steps: [] }
    alike.count += 1
    alike.last = call.id
    if (alike.steps.at(-1)?.step !== this.#step) alike.steps.push(new OpenCalls(this.#step))
    alike.steps.at(-1)?.add(call)
    this.#given.set(given, alike)
  }

  #mint(id: string): string {
    return this.#rule.fits.test(id) && !this.#taken.has(id) ? this.#take(id) : this.#hash(id)
  }

  /** Another id of this history may hash alike, or be just this text. */
  #hash(text: string): string {
    let id = hashed(text, this.#rule.length)
    for (let salt = 1; this.#taken.has(id); salt += 1) id = hashed(`${text} ${salt}`, this.#rule.length)
    return this.#take(id)
  }

  #take(id: string): string {
    this.#taken.add(id)
    return id
  }
}

/** The oldest open call of the latest step that has one; steps without are dropped. */
function oldestOf(steps: OpenCalls[]): Call | undefined {
  for (let step = steps.at(-1); step !== undefined; step = steps.at(-1)) {
    const call = step.oldest()
    if (call !== undefined) return call
    steps.pop()
  }
  return undefined
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** `length` letters and digits drawn from the text by FNV-1a: a name, not a secret. */
function hashed(text: string, length: number): string {
  let out = ''
  let state = 0x811c9dc5
  for (let round = 0; out.length < length; round += 1) {
    for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
    state = Math.imul(state ^ round, 0x01000193)
    out += DIGITS.charAt((state >>> 8) % DIGITS.length)
  }
  return out
}
