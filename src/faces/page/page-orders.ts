import type { Kernel, TeamHandle } from '../../index.ts'
import type { PageAnswer, PageOrder } from './page-event.ts'

/** What orders go to: the team at work, and the kernels by the names that they are followed by. */
export interface Ordered {
  readonly team: Pick<TeamHandle, 'say' | 'pause' | 'resume' | 'approve' | 'stop' | 'status'> | null
  readonly kernels: ReadonlyMap<string, Pick<Kernel, 'clearHold'>>
}

export interface OrderReply {
  readonly status: 200 | 400 | 404 | 409
  readonly answer: PageAnswer
}

const MOST_TEXT_BYTES = 1_048_576
/** The longest message with each of its characters escaped by another, as JSON does with quotes and line ends. */
export const MOST_ORDER_BYTES = 2 * MOST_TEXT_BYTES + 1024

/** Reads an order and carries it out, as `relevo pause`, `say` and the others do. Never throws. */
export function obey(body: Uint8Array, ordered: Ordered): OrderReply {
  const order = orderIn(body)
  if (typeof order === 'string') return refused(400, order)
  try {
    return order.do === 'clearHold' ? clearHold(order, ordered) : obeyTeam(order, ordered.team)
  } catch (error) {
    return refused(409, (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' '))
  }
}

function clearHold({ kernel, key }: Extract<PageOrder, { readonly do: 'clearHold' }>, { kernels }: Ordered): OrderReply {
  const found = kernels.get(kernel)
  return found === undefined ? refused(404, 'There is no kernel of that name any more.') : done({ cleared: found.clearHold(key) })
}

function obeyTeam(order: Exclude<PageOrder, { readonly do: 'clearHold' }>, team: Ordered['team']): OrderReply {
  if (team === null) return refused(404, 'No team is at work here.')
  if (team.status.state === 'stopped') return refused(409, 'The run of the team is over.')
  switch (order.do) {
    case 'pause':
      return done(team.pause())
    case 'resume':
      return done(team.resume())
    case 'stop':
      void team.stop({ immediate: order.immediate })
      return done(null)
    case 'say':
      return done({ post: team.say(order.text).id })
    case 'approve':
      return done({ approved: team.approve(order.participant) })
  }
}

/** The order, or in one line why it is none. */
function orderIn(body: Uint8Array): PageOrder | string {
  let read: unknown
  try {
    read = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return 'The order is no JSON.'
  }
  if (typeof read !== 'object' || read === null) return 'The order is no JSON object.'
  const fields = read as Readonly<Record<string, unknown>>
  switch (fields['do']) {
    case 'pause':
    case 'resume':
      return { do: fields['do'] }
    case 'stop':
      return { do: 'stop', immediate: fields['immediate'] === true }
    case 'say':
      return sayIn(fields)
    case 'approve':
      return isText(fields['participant']) ? { do: 'approve', participant: fields['participant'] } : 'The order has no `participant`.'
    case 'clearHold':
      if (!isText(fields['kernel']) || !isText(fields['key'])) return 'The order has no `kernel` or no `key`.'
      return { do: 'clearHold', kernel: fields['kernel'], key: fields['key'] }
    default:
      return 'The order has no `do` that is known: pause, resume, stop, say, approve or clearHold.'
  }
}

function sayIn({ text }: Readonly<Record<string, unknown>>): PageOrder | string {
  if (!isText(text)) return 'The order has no `text`.'
  if (Buffer.byteLength(text) > MOST_TEXT_BYTES) return `The message has more than ${MOST_TEXT_BYTES} bytes; put it into a file and name that.`
  return { do: 'say', text }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function done(value: unknown): OrderReply {
  return { status: 200, answer: { ok: true, value: value ?? null } }
}

function refused(status: 400 | 404 | 409, message: string): OrderReply {
  return { status, answer: { ok: false, message } }
}
