import type { Message } from '../model/message.ts'

/**
 * The history without its older half, or null when there is nothing to drop (R20).
 *
 * 1. System messages are kept, wherever they stand.
 * 2. The cut lies before a user message, so that no tool call is parted from its results.
 * 3. The newest user turn is always kept whole; of two cuts equally near to the half the one that keeps more is taken.
 */
export function shortenHistory(messages: readonly Message[]): readonly Message[] | null {
  const spoken = messages.filter((message) => message.role !== 'system')
  const cuts = spoken.flatMap((message, at) => (message.role === 'user' && at > 0 ? [at] : []))
  const cut = nearest(cuts, spoken.length / 2)
  if (cut === null) return null
  let passed = 0
  return messages.filter((message) => message.role === 'system' || passed++ >= cut)
}

function nearest(cuts: readonly number[], half: number): number | null {
  let best: number | null = null
  for (const cut of cuts) if (best === null || Math.abs(cut - half) < Math.abs(best - half)) best = cut
  return best
}
