import type { PageOrder } from '../page-event.ts'

/** Gives an order to the server; what came of it, in a sentence. */
export async function give(order: PageOrder, token: string | null): Promise<{ readonly taken: boolean; readonly words: string }> {
  if (token === null) return { taken: false, words: 'Orders need the token: open the page by the address that the command printed.' }
  try {
    const response = await fetch('/api/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-relevo-token': token },
      body: JSON.stringify(order),
    })
    const answer = read(await response.text())
    if (response.ok) return { taken: true, words: cameToNothing(answer) ? (NOTHING[order.do] ?? DONE[order.do]) : DONE[order.do] }
    return { taken: false, words: messageOf(answer) ?? `The order was refused (${response.status}).` }
  } catch {
    return { taken: false, words: 'The order did not reach the server.' }
  }
}

const DONE: Readonly<Record<PageOrder['do'], string>> = {
  pause: 'Pause was ordered.',
  resume: 'Resume was ordered.',
  stop: 'Stop was ordered.',
  say: 'Said.',
  approve: 'Approved.',
  clearHold: 'The hold was cleared.',
}

/** What another page or a command had done before. */
const NOTHING: Readonly<Partial<Record<PageOrder['do'], string>>> = {
  approve: 'Nothing waited for that approval.',
  clearHold: 'There was no such hold any more.',
}

type Fields = Readonly<Record<string, unknown>>

function cameToNothing({ value }: Fields): boolean {
  const { approved, cleared } = fieldsOf(value)
  return approved === false || cleared === false
}

/** Of the page, or of a gateway that answers in its place. */
function messageOf({ message, error }: Fields): string | null {
  const words = message ?? fieldsOf(error)['message'] ?? error
  return typeof words === 'string' ? words : null
}

function read(body: string): Fields {
  try {
    return fieldsOf(JSON.parse(body))
  } catch {
    return {}
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
