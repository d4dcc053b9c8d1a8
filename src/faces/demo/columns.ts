/**
 * Rows of texts as aligned columns, two spaces apart, the first row being the head. Columns named in `right` are aligned to the right.
 * Trailing spaces are left out.
 */
export function columns(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const widths: number[] = []
  for (const row of rows) for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, index) => (right.has(index) ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
