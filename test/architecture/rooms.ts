import { isBuiltin } from 'node:module'
import type { Finding, Import, Tree } from './source.ts'
import { importsOf } from './source.ts'

/** The doors: what a face may import, and what a person with the package has. */
export const DOORS = ['src/index.ts', 'src/testing.ts', 'src/host.ts', 'src/sqlite.ts', 'src/genai-prices.ts', 'src/otel.ts', 'machines/index.ts']

/**
 * A door that stands for one face: it hands out that face, and the engine of the same name. Apart from the doors above, so that whoever does
 * not use the face loads nothing of it.
 */
const FACE_DOORS: Readonly<Record<string, string>> = { 'src/ai-sdk.ts': 'src/faces/ai-sdk/' }

const BELOW_RUNTIME = ['model', 'config', 'plan', 'policy', 'machines', 'engines']

/** Room → rooms that it may import besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  config: ['model'],
  plan: ['model', 'config'],
  policy: ['model'],
  machines: ['model', 'policy'],
  engines: ['model'],
  runtime: BELOW_RUNTIME,
  simulate: [...BELOW_RUNTIME, 'runtime'],
  adapters: ['model', 'runtime'],
  door: [...BELOW_RUNTIME, 'runtime', 'simulate', 'adapters'],
}

/** Room → packages that it may import; `node:` stands for every built-in of Node. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  model: ['zod'],
  config: ['zod', 'yaml'],
  plan: [],
  policy: [],
  machines: ['xstate'],
  engines: ['rxjs', 'zod', 'undici', 'eventsource-parser', 'aws4fetch', 'node:'],
  runtime: ['rxjs', 'xstate', 'zod', 'pino', 'node:'],
  // Of fast-check the types only: it is an optional peer, and who writes no properties has none.
  simulate: ['rxjs', 'xstate', 'zod', 'yaml', 'fast-check', 'node:'],
  // Of the driver and of the prices the types; they are optional peers, and loaded when they are asked for.
  adapters: ['better-sqlite3', '@pydantic/genai-prices', '@opentelemetry/api', 'node:'],
  // Of the AI SDK's provider package the types only: it is an optional peer. Preact goes into the page's bundle, and into nothing else.
  // The gateway reads what clients wrote by schemas, and tells figures to Prometheus.
  faces: ['rxjs', 'xstate', 'zod', 'commander', 'prom-client', '@ai-sdk/provider', 'preact', 'node:'],
  door: [],
}

/** Only the engines open sockets to providers and start processes (docs/decisions/0003-layout.md); a face may listen, and that is `node:http`. */
const ENGINES_ONLY = new Set(['node:child_process', 'child_process', 'undici'])
/** The editor of the person is no engine: it is theirs, on their terminal, and is waited for. */
const EDITOR = 'src/faces/cli/editor.ts'

/** The room of a path, `door` for a door that stands above the rooms, null for what is no room (tests, tools). */
export function roomOf(path: string): string | null {
  if (path.startsWith('machines/')) return 'machines'
  if (!path.startsWith('src/')) return null
  const [, room, below] = path.split('/')
  return below === undefined ? 'door' : (room ?? null)
}

function relativeFinding(file: string, found: Import & { target: string }): Finding | null {
  const from = roomOf(file)
  const to = roomOf(found.target)
  if (from === null || from === 'faces' || (from === to && from !== 'door')) return null
  const ownFace = FACE_DOORS[file]
  if (ownFace !== undefined && found.target.startsWith(ownFace)) return null
  if (from !== 'door' && MAY_IMPORT[from] === undefined) {
    return { file, line: found.line, message: `src/${from} is no room of the house; move the file or extend test/architecture/rooms.ts and say why` }
  }
  if (to !== null && MAY_IMPORT[from]?.includes(to)) return null
  const allowed = MAY_IMPORT[from]?.join(', ') || 'nothing'
  return {
    file,
    line: found.line,
    message: `${from} may import ${allowed}, not ${found.target}; move what both need down, or pass it in as an argument`,
  }
}

/** Imports go down the house only, type imports included. */
export function importDirections(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    for (const found of importsOf(file, text)) {
      if (found.target === null) continue
      const finding = relativeFinding(file, { ...found, target: found.target })
      if (finding !== null) findings.push(finding)
    }
  }
  return findings
}

function faceMayImport(file: string, target: string): boolean {
  const folder = (path: string) => path.split('/').slice(0, 3).join('/')
  if (DOORS.includes(target) || folder(target) === folder(file)) return true
  // The command line is where the other faces are started from.
  return folder(file) === 'src/faces/cli' && target.startsWith('src/faces/')
}

/** A face imports the doors and its own folder; it sees nothing that a user of the package does not see. */
export function facesUseTheDoors(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    if (roomOf(file) !== 'faces') continue
    for (const { target, line } of importsOf(file, text)) {
      if (target === null || faceMayImport(file, target)) continue
      findings.push({
        file,
        line,
        message: `a face imports only ${DOORS.join(', ')} and its own folder, not ${target}; export what it needs from a door`,
      })
    }
  }
  return findings
}

/** `zod`, `@scope/name`, or `node:` for any built-in. */
function packageOf(specifier: string): string {
  if (isBuiltin(specifier)) return 'node:'
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Each room uses only the packages that its work needs; only the engines have undici and child processes. */
export function packagesByRoom(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    const room = roomOf(file)
    if (room === null) continue
    for (const { specifier, target, line } of importsOf(file, text)) {
      if (target !== null) continue
      const allowed = PACKAGES[room]
      const here = allowed === undefined || allowed.includes(packageOf(specifier))
      if (here && (room === 'engines' || file === EDITOR || !ENGINES_ONLY.has(specifier))) continue
      const may = allowed?.join(', ') || 'no package'
      findings.push({ file, line, message: `${room} may use ${may}, not ${specifier}; do this work in the room that owns it` })
    }
  }
  return findings
}

/** What every coding-agent CLI needs, each in a folder because it is more than a file: no engines themselves. */
const SHARED_BY_CLIS = new Set(['src/engines/cli/notice', 'src/engines/cli/reset', 'src/engines/cli/process'])

/** The folder of one protocol or one coding-agent CLI, or null. */
function engineFolder(path: string): string | null {
  const match = /^src\/engines\/(?:http|cli)\/[^/]+(?=\/)/.exec(path)
  return match === null || SHARED_BY_CLIS.has(match[0]) ? null : match[0]
}

/** A protocol or coding-agent CLI knows no sibling: one can be deleted without touching another. */
export function engineFoldersStandAlone(tree: Tree): Finding[] {
  const findings: Finding[] = []
  for (const [file, text] of tree) {
    const own = engineFolder(file)
    if (own === null) continue
    for (const { target, line } of importsOf(file, text)) {
      const other = target === null ? null : engineFolder(target)
      if (other === null || other === own) continue
      findings.push({ file, line, message: `${own} imports its sibling ${other}; move what both need into the folder above` })
    }
  }
  return findings
}
