import { saidLines } from './said.ts'

/**
 * Whom a post asks to go on: the first other participant that it mentions as `@id`. Who is next is chosen by the same rule whoever asks
 * (T11, G04); this reads only what a post says.
 *
 * 1. An id that nobody has, and the one of who wrote the post, are passed over: the next mention may be one.
 * 2. What is quoted, fenced or in backticks mentions nobody; neither does an address (`a@bo.example`), a path or a package (`@bo/core`).
 * 3. Upper and lower case are not told apart; the id is given as the participants have it.
 */
const MENTION = /(?<![\p{L}\p{N}@/])@([a-z][a-z0-9_-]*)(?![@/\p{L}\p{N}_-]|\.[\p{L}\p{N}])/giu

/** `author`: null is the person. */
export function mentioned(post: string, author: string | null, participants: readonly string[]): string | null {
  const others = new Map(participants.filter((id) => id !== author).map((id) => [id.toLowerCase(), id]))
  for (const { text, isSaid } of saidLines(post)) {
    if (!isSaid || !text.includes('@')) continue
    for (const [, name = ''] of withoutCode(text).matchAll(MENTION)) {
      // Marks of emphasis stand where the letters of an id may stand, and no id ends with one.
      const id = others.get(name.toLowerCase().replace(/[_-]+$/, ''))
      if (id !== undefined) return id
    }
  }
  return null
}

/** A line without what stands in it between backticks, as many behind as in front. */
function withoutCode(line: string): string {
  const lastOf = new Map<number, number>()
  for (const { 0: run, index } of line.matchAll(/`+/g)) lastOf.set(run.length, index)
  let kept = ''
  let from = 0
  let open = 0
  for (const { 0: run, index } of line.matchAll(/`+/g)) {
    if (open === run.length) {
      open = 0
      from = index + run.length
    } else if (open === 0 && (lastOf.get(run.length) ?? 0) > index) {
      open = run.length
      kept += `${line.slice(from, index)} `
    }
  }
  return kept + line.slice(from)
}
