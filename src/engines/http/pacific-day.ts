const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How far behind UTC the Pacific coast of the United States is: in summer, in winter. */
const BEHIND_MS = [7 * HOUR_MS, 8 * HOUR_MS]

/** The next midnight in Pacific time after an instant, both epoch ms; null where this runtime does not know that zone. */
export function nextPacificMidnight(at: number): number | null {
  const midnights = [1, 2].flatMap((days) => BEHIND_MS.map((behind) => (Math.floor((at - behind) / DAY_MS) + days) * DAY_MS + behind))
  return midnights.sort((one, other) => one - other).find((midnight) => pacificHour(midnight) === '00') ?? null
}

/** Asked at full hours only. The clock changes at two in the night, so every day has exactly one midnight. */
function pacificHour(at: number): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', hour: '2-digit', hourCycle: 'h23' }).format(at)
  } catch {
    return null
  }
}
