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
    if (response.ok) return { taken: true, words: DONE[order.do] }
    return { taken: false, words: messageOf(await response.text()) ?? `The order was refused (${response.status}).` }
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

function messageOf(body: string): string | null {
  try {
    const { error, message = error?.message ?? error } = JSON.parse(body)
    return typeof message === 'string' ? message : null
  } catch {
    return null
  }
}
