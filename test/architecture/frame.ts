import type { Finding, Tree } from './source.ts'

/** The fields of package.json that the rules read. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const TOP_LEVEL = new Set(['package.json', 'package-lock.json', 'tsconfig.json', 'README.md', 'LICENSE', 'src', 'machines', 'test', 'docs'])

/** Direct dependencies that a user of the package installs with it. */
const RUNTIME_DEPENDENCIES = 9

const manifestFinding = (message: string): Finding => ({ file: 'package.json', line: 1, message })

/** The top level is the list of docs/decisions/0003-layout.md and dot-files, so that a newcomer sees the house and no furniture. */
export function topLevel(entries: readonly string[]): Finding[] {
  return entries
    .filter((entry) => !entry.startsWith('.') && !TOP_LEVEL.has(entry))
    .map((entry) => ({
      file: entry,
      line: 1,
      message: 'does not belong on the top level; move it into src, machines, test or docs, or make it a dot-file',
    }))
}

/** What is installed is what was verified together: exact versions, and each peer also here at one of them. */
export function exactVersions(manifest: Manifest): Finding[] {
  const findings: Finding[] = []
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    // A second major of one package stands under a name of its own, and is as exact.
    if (!/^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+$/.test(version))
      findings.push(manifestFinding(`${name} is "${version}"; write the exact version that was verified`))
  }
  for (const [name, range] of Object.entries(manifest.peerDependencies ?? {})) {
    if (manifest.devDependencies?.[name] === undefined) {
      findings.push(manifestFinding(`peer ${name} (${range}) is missing from devDependencies; add the exact version that the tests run with`))
    }
  }
  return findings
}

export function runtimeDependencies(manifest: Manifest): Finding[] {
  const names = Object.keys(manifest.dependencies ?? {})
  if (names.length <= RUNTIME_DEPENDENCIES) return []
  return [manifestFinding(`${names.length} runtime dependencies (${names.join(', ')}), fewer than ten are allowed; make one a peer behind a port`)]
}

/** Rows "| `name` | version | …" of the decision files: name → version and place. */
function decidedPackages(decisions: Tree): Map<string, Finding & { version: string }> {
  const rows = new Map<string, Finding & { version: string }>()
  for (const [file, text] of decisions) {
    for (const [index, line] of text.split('\n').entries()) {
      const [, name, version] = /^\| `([^`]+)` \| ([^|]+?) \|/.exec(line) ?? []
      if (name !== undefined && version !== undefined) rows.set(name, { file, line: index + 1, message: '', version })
    }
  }
  return rows
}

/** Every dependency has a row in docs/decisions with the version in use, and no row outlives its dependency. */
export function dependenciesAreDecided(manifest: Manifest, decisions: Tree): Finding[] {
  const rows = decidedPackages(decisions)
  const used = { ...manifest.dependencies, ...manifest.devDependencies }
  const findings: Finding[] = []
  for (const [name, version] of Object.entries(used)) {
    const row = rows.get(name)
    if (row === undefined) findings.push(manifestFinding(`${name} has no row in docs/decisions; write why it is here and what was refused`))
    else if (row.version !== version) {
      findings.push({ file: row.file, line: row.line, message: `says ${name} ${row.version}, package.json has ${version}; write the version in use` })
    }
  }
  for (const [name, row] of rows) {
    if (used[name] === undefined) findings.push({ file: row.file, line: row.line, message: `${name} is no dependency any more; delete its row` })
  }
  return findings
}
