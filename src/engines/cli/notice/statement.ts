import { normalised } from '../reset/normalise.ts'
import { factsIn } from './facts.ts'
import { statusesIn } from './status.ts'
import { type Facts, NO_FACTS, type Voice } from './voice.ts'
import type { Wording } from './wording.ts'

/**
 * One thing that was said, made ready to be compared with wordings.
 *
 * 1. A wording is looked for where the statement begins, and where what stands in it begins: behind glyphs and openings such as
 *    `API Error: `, and at each message of a JSON body that it carries.
 * 2. At most `LONGEST` characters are kept; a body is read before they are cut.
 */
export interface Statement {
  readonly text: string
  /** Each place where a wording may begin, the text from there on. */
  readonly heads: readonly string[]
  readonly facts: Facts
  readonly statuses: readonly number[]
  /** Certainly the CLI's own: what stands inside counts too. */
  readonly own: boolean
  /** It may be a model's and is too long for a notice: nothing of it is examined, only what was typed beside it (T4). */
  readonly tooLong: boolean
}

/** A notice is short: up to and including this many characters (T4, G21). */
export const NOTICE_LENGTH = 300
const LONGEST = 2000
/** Of what comes in; terminal codes between all characters of a notice still fit. */
const READ = 65_536
const MOST_HEADS = 24

/** What terminals put before a line, and the signs of their own that CLIs do. A sign of a quotation or a list is none of them. */
const GLYPHS = /^(?:[\s\u23bf\u2502\u2503\u25a0\u26a0\u26a1\u270b\u2715-\u2718\u274c\u{1f590}]|\ufe0f){1,40}/u

const OPENINGS: readonly RegExp[] = [
  /^(?:API |Internal )?error(?: \(attempt \d{1,3}(?:\/\d{1,3})?\))?: ?/i,
  /^[A-Z][A-Za-z]{2,30}Error: /,
  /^\[(?:API )?Error(?:\]|:) ?/i,
  /^[a-z_]{3,30}_error(?: \(\d{3}\))?: /,
  /^[45]\d\d (?=[A-Za-z])/,
]

/** The message of a body that is no JSON any more: cut off, or printed by Python. */
const BROKEN_MESSAGE = /["']message["']: ?["'](.{1,500})/

export function statementOf(
  raw: string,
  voice: Voice,
  origin: { readonly own: boolean; readonly guarded: boolean },
  typed: Facts = NO_FACTS,
): Statement {
  const read = raw.slice(0, READ)
  const whole = normalised(read)
  if (origin.guarded && whole.length > NOTICE_LENGTH) {
    return { text: whole.slice(0, LONGEST), heads: [], facts: typed, statuses: typed.statuses, own: false, tooLong: true }
  }
  const facts = joined(typed, factsIn(read))
  const heads = new Set<string>()
  for (const text of [whole, ...facts.texts.map((one) => normalised(one.slice(0, READ))), BROKEN_MESSAGE.exec(whole)?.[1] ?? '']) {
    addHeads(text.slice(0, LONGEST), voice, heads)
  }
  const list = [...heads]
  return {
    text: whole.slice(0, LONGEST),
    heads: list,
    facts,
    statuses: [...facts.statuses, ...list.flatMap((head) => statusesIn(head, origin.own))],
    own: origin.own,
    tooLong: false,
  }
}

function joined(first: Facts, second: Facts): Facts {
  if (second === NO_FACTS) return first
  return {
    words: [...first.words, ...second.words],
    statuses: [...first.statuses, ...second.statuses],
    texts: [...first.texts, ...second.texts],
    resetsAt: first.resetsAt ?? second.resetsAt,
    waits: [...first.waits, ...second.waits],
    daily: first.daily || second.daily,
    perMinute: first.perMinute || second.perMinute,
    perModel: first.perModel || second.perModel,
    model: first.model ?? second.model,
  }
}

function addHeads(text: string, voice: Voice, heads: Set<string>): void {
  let rest = text.replace(GLYPHS, '')
  while (rest !== '' && heads.size < MOST_HEADS && !heads.has(rest)) {
    heads.add(rest)
    const behind = withoutOpening(rest, voice)
    if (behind === null) return
    rest = behind.replace(GLYPHS, '')
  }
}

function withoutOpening(text: string, voice: Voice): string | null {
  for (const opening of [...voice.openings, ...OPENINGS]) {
    const match = opening.exec(text)
    if (match !== null) return text.slice(match[0].length)
  }
  return null
}

/** Where a wording stands in a statement: the text from there on, or null. */
export function foundIn(statement: Statement, { pattern, anywhere, unless }: Wording): string | null {
  const places = anywhere === true ? (statement.own ? [statement.text, ...statement.heads] : []) : statement.heads
  return places.find((place) => pattern.test(place) && unless?.test(place) !== true) ?? null
}
