import type { Outcome, Usage } from '../../index.ts'

/**
 * The tokens of the attempt that was accepted: a client reckons by them how full its context is. What the others used is in `relevo.usage`,
 * which is the sum. A refusal is accepted by nobody and is an answer here: its tokens are those of the attempt that was declined.
 */
export function acceptedUsage({ kind, attempts }: Outcome): Usage | null {
  const answering = attempts.findLast(({ accepted, result }) => accepted || (kind === 'refused' && result === 'refusal'))
  return answering?.usage ?? null
}
