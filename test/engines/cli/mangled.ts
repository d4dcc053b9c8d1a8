import fc from 'fast-check'

/**
 * Output that no program prints: lines of a real shape with fields replaced, lost, doubled and out of order, and text between them.
 * Arrays of text, as a decoder is fed.
 */
export function mangled(lines: readonly unknown[]): fc.Arbitrary<string[]> {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, '', 0, -1, true, [], {}, [null], 'constructor', '__proto__', Number.MAX_VALUE),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const line = fc
    .tuple(fc.constantFrom(...lines), fc.nat(), fc.nat(3), odd)
    .map(([whole, at, change, value]) => JSON.stringify(changed(whole, at, change, value)))
  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: line },
      { weight: 1, arbitrary: fc.string() },
      { weight: 1, arbitrary: odd.map((value) => JSON.stringify(value)) },
    ),
    {
      maxLength: 30,
    },
  )
}

/** One field, the `at`th of all that the line has at any depth, is replaced (1), removed (2) or doubled into a list (3). */
function changed(line: unknown, at: number, change: number, value: unknown): unknown {
  const paths = pathsOf(line, [])
  const path = paths[at % Math.max(1, paths.length)]
  if (change === 0 || path === undefined) return line
  const copy: unknown = structuredClone(line)
  let holder = copy as Record<string, unknown>
  for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>
  const last = path.at(-1) ?? ''
  if (change === 2) delete holder[last]
  else holder[last] = change === 1 ? value : [holder[last], holder[last]]
  return copy
}

function pathsOf(value: unknown, above: readonly string[]): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => [[...above, name], ...pathsOf(field, [...above, name])])
}

/** An object that holds `depth` lists in one another at this field: it can be read, and not be written. */
export const nested = (before: string, after: string, depth = 200_000): string => `${before}${'['.repeat(depth)}${']'.repeat(depth)}${after}`
