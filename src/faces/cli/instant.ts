import { LineError } from './batch.ts'

/** ISO 8601 text or epoch ms; the present instant when nothing is given. */
export function instantOf(now: unknown): number {
  if (now === undefined || now === null) return Date.now()
  const at = typeof now === 'string' ? Date.parse(now) : now
  if (typeof at !== 'number' || !Number.isFinite(at)) throw new LineError('invalid_line', 'now', 'Give an ISO 8601 instant.')
  return at
}
