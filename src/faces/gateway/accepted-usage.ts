import type { Outcome, Usage } from '../../index.ts'

/**
 * The tokens of the attempt that was accepted: a client reckons by them how full its context is. What the others used is in `relevo.usage`,
 * which is the sum.
 */
export function acceptedUsage({ attempts }: Outcome): Usage | null {
  return attempts.findLast(({ accepted }) => accepted)?.usage ?? null
}
