import type { RunResult } from '../../model/team.ts'

/** So many turns in a row of one participant without a post pause the run at once: asking again would spend quota to learn nothing (T20). */
export const MOST_SILENT_TURNS = 3

/**
 * How many silent turns in a row a participant has behind it after a result. A post or a wait play ends the row; a crash, a limit and an
 * outage neither count nor break it (G20, G30).
 */
export function silentRow(row: number, result: RunResult['kind']): number {
  if (result === 'silent') return row + 1
  return result === 'posted' || result === 'waiting' ? 0 : row
}
