/** A count with its noun, which is regular: `1 turn`, `2 turns`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
