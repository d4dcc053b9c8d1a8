import type { Post } from '../../model/post.ts'

/**
 * What of a thread a participant is handed: as much as fits, newest first, in the order in which it was said.
 *
 * 1. The text is never longer than the bound, and the newest post is always in it; where it is too long, its middle is left out.
 * 2. What the person said is kept before what the participants said, newest first: it is what the run is for. It takes half of the room at the
 *    most, so that it does not crowd out what is being answered.
 * 3. Then posts are kept from the newest on until one does not fit: no hole in what the participants said to one another.
 * 4. One line says how many are left out, and it stands before all.
 * 5. A head stands at the beginning of its line and every line of a post does not, so that no post can pass for another.
 */
export interface ContextBound {
  readonly characters: number
  /** Posts of the thread, those included that are not given here. */
  readonly count?: number
}

export interface ThreadContext {
  readonly text: string
  /** Posts that are in it, from the oldest on. */
  readonly ids: readonly number[]
  /** Posts that are not. */
  readonly omitted: number
}

/** Fits a head and a few words. */
const LEAST_CHARACTERS = 400
/** As long as the line about what is left out can be. */
const NOTE_CHARACTERS = 60
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g
const INDENT = '  '

export function contextOf(posts: readonly Post[], { characters, count = posts.length }: ContextBound): ThreadContext {
  const newest = posts.at(-1)
  if (newest === undefined) return { text: '', ids: [], omitted: count }
  const room = Math.max(characters, LEAST_CHARACTERS) - NOTE_CHARACTERS
  const kept = new Map<Post, string>()
  let left = room
  const keep = (post: Post, most: number): boolean => {
    // A text is never longer than its block, and need not be laid out to be seen not to fit.
    const block = post.text.length > most ? null : blockOf(post)
    if (block === null || block.length > most) return false
    kept.set(post, block)
    left -= block.length
    return true
  }
  const earlier = posts.slice(0, -1).reverse()
  const others = Math.ceil(room / 2)
  for (const post of earlier) if (post.participant === null && !keep(post, left - others)) break
  kept.set(newest, shortened(blockOf(newest), left))
  left -= kept.get(newest)?.length ?? 0
  for (const post of earlier) if (!kept.has(post) && !keep(post, left)) break
  const chosen = posts.filter((post) => kept.has(post))
  const omitted = Math.max(count, posts.length) - chosen.length
  const note = omitted === 0 ? '' : `(${omitted} older ${omitted === 1 ? 'post is' : 'posts are'} left out.)\n\n`
  return { text: note + chosen.map((post) => kept.get(post)).join(''), ids: chosen.map(({ id }) => id), omitted }
}

function blockOf({ id, at, participant, engine, text }: Post): string {
  const who = participant === null ? 'the person' : engine === null ? participant : `${participant} (${engine})`
  const head = `#${id} ${who}, ${new Date(at).toISOString()}`.replace(/[\s\u0085]+/g, ' ')
  return `${head}\n${INDENT}${text.replace(LINE_BREAK, `\n${INDENT}`)}\n\n`
}

/** A block without its middle, where it has too many characters. */
function shortened(block: string, most: number): string {
  if (block.length <= most) return block
  const middle = `\n${INDENT}[… ${block.length} characters, the middle left out …]\n${INDENT}`
  const half = Math.floor((most - middle.length) / 2)
  const head = block.slice(0, half).replace(/[\ud800-\udbff]$/, '')
  const tail = block.slice(block.length - half).replace(/^[\udc00-\udfff]/, '')
  return `${head}${middle}${tail}`
}
