import type { Message, ProviderOptions } from '../../model/message.ts'
import type { AttemptRequest } from '../contract.ts'

/**
 * A history as the entry that is called now can take it (R1, R12). The history itself never changes: what one entry cannot read is back
 * when the walk returns to the entry that gave it.
 *
 * 1. Every tool call and result has an id that the protocol accepts. An id that fits is kept; another is mapped by its value alone, so
 *    that call and result, and every later request with the same history, agree.
 * 2. Two ids never become one.
 * 3. What only its issuer can read (`issued`) stays where profile and model are those that gave it, and is left out elsewhere.
 */
export interface IdRule {
  /** Matches an id that the protocol takes as it is. */
  readonly fits: RegExp
  /** Length of the ids that are made where one does not fit. Letters and digits are all that is used. */
  readonly length: number
}

type ToolMessage = Extract<Message, { role: 'tool' }>
type AssistantMessage = Extract<Message, { role: 'assistant' }>

export function portableMessages(request: Pick<AttemptRequest, 'messages' | 'profile' | 'model'>, rule: IdRule): readonly Message[] {
  const ids = new IdMap(rule)
  let open: string[] = []
  return request.messages.map((message, at): Message => {
    if (message.role === 'tool') return answered(message, open, ids)
    if (message.role !== 'assistant') return message
    const kept = ownMessage(message, request)
    if (kept.toolCalls === undefined || kept.toolCalls.length === 0) return kept
    const toolCalls = kept.toolCalls.map((call, number) => ({ ...call, id: ids.of(call.id ?? `call_${at}_${number}`) }))
    open = toolCalls.map((call) => call.id)
    return { ...kept, toolCalls }
  })
}

/** The options of an entry: those of its family, then those of its profile. Others' never arrive (R1). */
export function ownOptions({ profile }: Pick<AttemptRequest, 'profile'>, options: ProviderOptions | undefined): Readonly<Record<string, unknown>> {
  if (options === undefined) return {}
  return { ...ownOf(options, profile.family), ...ownOf(options, profile.id) }
}

function ownOf(options: ProviderOptions, name: string): Readonly<Record<string, unknown>> | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined
}

function ownMessage(message: AssistantMessage, { profile, model }: Pick<AttemptRequest, 'profile' | 'model'>): AssistantMessage {
  const { issued, ...rest } = message
  return issued === undefined || (issued.profile === profile.id && issued.model === model) ? message : rest
}

/** A result without an id answers the oldest call that is still open. */
function answered(message: ToolMessage, open: string[], ids: IdMap): ToolMessage {
  const id = message.toolCallId === null ? (open[0] ?? ids.of('call_unknown')) : ids.of(message.toolCallId)
  const at = open.indexOf(id)
  if (at >= 0) open.splice(at, 1)
  return { ...message, toolCallId: id }
}

class IdMap {
  readonly #rule: IdRule
  readonly #mapped = new Map<string, string>()
  readonly #used = new Map<string, string>()

  constructor(rule: IdRule) {
    this.#rule = rule
  }

  of(id: string): string {
    const known = this.#mapped.get(id)
    if (known !== undefined) return known
    let mapped = this.#rule.fits.test(id) ? id : hashed(id, this.#rule.length)
    // Another id of this history may hash alike, or be just this text.
    for (let salt = 1; this.#used.has(mapped); salt += 1) mapped = hashed(`${id} ${salt}`, this.#rule.length)
    this.#mapped.set(id, mapped)
    this.#used.set(mapped, id)
    return mapped
  }
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
