import { saidLines } from './said.ts'

/**
 * What the text of a run comes to: a post, and the play that its last line may be.
 *
 * 1. The text is the post, whole, its play included; a blank text is none, and the turn was silent (T19, T20).
 * 2. A play is the last line that is not blank, and only when it is said: `play: wait N`, `play: gate QUESTION` or `play: done`, in any case.
 *    Marks of Markdown around it or around `play:` are tolerated, a quotation or code is not a play.
 * 3. A wait says how long, and nothing else is to be read of it: without another line it is no post (G30).
 * 4. A last line that begins like a play and is none is no fault of the turn: the post stays, and `unread` says which line it was.
 */
export type Play =
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'gate'; readonly question: string }
  | { readonly kind: 'done' }

export interface EndOfTurn {
  readonly post: string | null
  readonly play: Play | null
  readonly unread: string | null
}

/** A week: who has nothing to do for longer is done. */
const MAX_WAIT_MIN = 10_080
const PLAY = /^(?:[-*+] +|#{1,6} +)?([*_~`]{0,6})play([*_~`]{0,6}) ?: ?([*_~`]{0,6}) *(.*)$/i
const WAIT = /^wait +(\d{1,5})(?: *(?:min|minutes?))?$/i
const GATE = /^gate +(\S.*)$/i
const DONE = /^done$/i

/** Reads what a participant answered: the post, and the play of its last line. */
export function endOfTurn(text: string): EndOfTurn {
  const lines = saidLines(text)
  const last = lines.findLastIndex((line) => line.text.trim() !== '')
  const line = lines[last]
  // Nothing, and nothing but terminal codes, says nothing.
  if (line === undefined) return { post: null, play: null, unread: null }
  const written = line.isSaid ? PLAY.exec(line.text.trim()) : null
  if (written === null) return { post: text, play: null, unread: null }
  const [, opening = '', behindName = '', behindColon = '', rest = ''] = written
  const closing = [...opening].reverse().join('')
  const play = playOf([behindName, behindColon].includes(closing) ? rest.trim() : without(closing, rest.trim()))
  if (play === null) return { post: text, play: null, unread: line.text.trim() }
  const isAlone = lines.slice(0, last).every((earlier) => earlier.text.trim() === '')
  return { post: play.kind === 'wait' && isAlone ? null : text, play, unread: null }
}

function playOf(order: string): Play | null {
  const question = GATE.exec(order)?.[1]
  if (question !== undefined) return { kind: 'gate', question }
  const plain = order.replace(/[.!*_~`]+$/, '').trim()
  if (DONE.test(plain)) return { kind: 'done' }
  const minutes = Number(WAIT.exec(plain)?.[1] ?? 0)
  return minutes >= 1 && minutes <= MAX_WAIT_MIN ? { kind: 'wait', minutes } : null
}

/** Without the marks that close those in front of the line. */
function without(closing: string, order: string): string {
  return closing !== '' && order.endsWith(closing) ? order.slice(0, -closing.length).trim() : order
}
