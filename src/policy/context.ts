import type { Message } from '../model/message.ts'

/**
 * The history without its older half, or null when there is nothing to drop (R20).
 *
 * 1. System messages are kept, wherever they stand.
 * 2. The cut lies before a user message, and never between a tool call and its result: a user may speak while a tool runs.
 * 3. The newest user turn is always kept whole; of two cuts equally near to the half the one that keeps more is taken.
 */
export function shortenHistory(messages: readonly Message[]): readonly Message[] | null {
  const spoken = messages.filter((message) => message.role !== 'system')
  const whole = wholeCuts(spoken)
  const cuts = spoken.flatMap((message, at) => (message.role === 'user' && at > 0 && whole[at] === true ? [at] : []))
  const cut = nearest(cuts, spoken.length / 2)
  if (cut === null) return null
  let passed = 0
  return messages.filter((message) => message.role === 'system' || passed++ >= cut)
}

/** For each place whether a cut before it leaves every tool result with its call: the latest of its id, or the latest at all without one. */
function wholeCuts(spoken: readonly Message[]): readonly boolean[] {
  const whole = spoken.map(() => true)
  const calledAt = new Map<string | null, number>()
  for (const [at, message] of spoken.entries()) {
    if (message.role === 'assistant' && message.toolCalls !== undefined && message.toolCalls.length > 0) {
      for (const call of message.toolCalls) calledAt.set(call.id, at)
      calledAt.set(null, at)
    }
    const from = message.role === 'tool' ? calledAt.get(message.toolCallId) : undefined
    if (from !== undefined) whole.fill(false, from + 1, at + 1)
  }
  return whole
}

function nearest(cuts: readonly number[], half: number): number | null {
  let best: number | null = null
  for (const cut of cuts) if (best === null || Math.abs(cut - half) < Math.abs(best - half)) best = cut
  return best
}
