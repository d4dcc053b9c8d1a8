/** `240 ms`, `1.5 s`, and from a hundred seconds on `2.5 min`, `2.0 h`, `3.0 days`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const [unitMs, unit] = UNITS.find(([, , least]) => ms >= least) ?? [1_000, 's']
  return `${(ms / unitMs).toFixed(1)} ${unit}`
}

const UNITS: readonly (readonly [unitMs: number, unit: string, leastMs: number])[] = [
  [86_400_000, 'days', 172_800_000],
  [3_600_000, 'h', 5_400_000],
  [60_000, 'min', 100_000],
]
