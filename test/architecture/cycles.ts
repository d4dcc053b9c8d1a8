import type { Finding, Import, Tree } from './source.ts'
import { importsOf } from './source.ts'

type Edges = ReadonlyMap<string, readonly (Import & { target: string })[]>

function edgesOf(tree: Tree): Edges {
  const edges = new Map<string, (Import & { target: string })[]>()
  for (const [file, text] of tree) {
    const inside: (Import & { target: string })[] = []
    for (const found of importsOf(file, text)) {
      if (found.target !== null && tree.has(found.target)) inside.push({ ...found, target: found.target })
    }
    edges.set(file, inside)
  }
  return edges
}

/** Depth-first from `file`: reports each import that leads back to a file on the present path. */
function search(file: string, path: readonly string[], done: Set<string>, edges: Edges, findings: Finding[]): void {
  for (const { target, line } of edges.get(file) ?? []) {
    const at = path.indexOf(target)
    if (at >= 0) {
      const circle = [...path.slice(at), target].join(' → ')
      findings.push({ file, line, message: `import cycle ${circle}; move what both need into a file of its own` })
    } else if (!done.has(target)) {
      search(target, [...path, target], done, edges, findings)
    }
  }
  done.add(file)
}

/** No file imports itself through others, type imports included. At least one import of each cycle is reported. */
export function importCycles(tree: Tree): Finding[] {
  const edges = edgesOf(tree)
  const done = new Set<string>()
  const findings: Finding[] = []
  for (const file of tree.keys()) if (!done.has(file)) search(file, [file], done, edges, findings)
  return findings
}
