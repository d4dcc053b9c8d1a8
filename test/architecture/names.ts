import { DOORS } from './rooms.ts'
import type { Finding, Tree } from './source.ts'
import { importsOf } from './source.ts'

const GRAB_BAGS = new Set(['utils.ts', 'util.ts', 'types.ts', 'helpers.ts', 'common.ts', 'misc.ts'])

/** A file is named after its idea: no barrel but the doors, no grab-bag. */
export function fileNames(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const file of tree.keys()) {
    const name = file.slice(file.lastIndexOf('/') + 1)
    if (name === 'index.ts' && !DOORS.includes(file)) {
      findings.push({ file, line: 1, message: `index.ts is for the doors (${DOORS.join(', ')}); name the file after what it holds` })
    }
    if (GRAB_BAGS.has(name)) findings.push({ file, line: 1, message: `${name} invites everything; name the file after the one thing it holds` })
  }
  return findings
}

/** A relative import names the file as it is on disk. */
export function importSpelling(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    for (const { specifier, target, line } of importsOf(file, text)) {
      if (target === null || /\.(?:tsx?|mjs|json)$/.test(specifier)) continue
      findings.push({ file, line, message: `write the extension in '${specifier}': '${specifier}.ts'` })
    }
  }
  return findings
}
