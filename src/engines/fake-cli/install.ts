import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type FakeCall, readCalls, writeScript } from './folder.ts'
import { FAKE_CLI_NAMES, type FakeCliName, type FakeCliScript } from './script.ts'
import { checkedFakeScript } from './script-problems.ts'

export interface FakeCliOptions {
  /** Where the executables are written; made when it is missing. */
  readonly directory: string
  readonly script: FakeCliScript
  /** All four unless given. */
  readonly names?: readonly FakeCliName[] | undefined
}

export interface FakeClis {
  /** What to put on PATH. */
  readonly path: string
  /** The calls of one of them so far, in the order in which they began. */
  calls(name: FakeCliName): Promise<readonly FakeCall[]>
}

/**
 * Writes executables named claude, codex, agy and gemini into a directory. They print what the real ones print, as the script says, need no
 * network and no account, and record every call.
 */
export async function installFakeClis(options: FakeCliOptions): Promise<FakeClis> {
  if (process.platform === 'win32') throw new Error('fake CLIs are files that the system runs by their first line; Windows does not')
  const script = checkedFakeScript(options.script)
  const directory = resolve(options.directory)
  const program = fakeCliProgram(import.meta.url)
  mkdirSync(directory, { recursive: true })
  writeScript(directory, script)
  for (const name of options.names ?? FAKE_CLI_NAMES) {
    const path = join(directory, name)
    writeFileSync(path, launcher(process.execPath, program, name, directory))
    chmodSync(path, 0o755)
  }
  return { path: directory, calls: async (name) => readCalls(directory, name) }
}

/** dist/fake-cli.js, seen from a module of src or of dist. */
export function fakeCliProgram(from: string): string {
  const path = fileURLToPath(new URL(from.endsWith('.ts') ? '../../../dist/fake-cli.js' : './fake-cli.js', from))
  if (!existsSync(path)) throw new Error(`the fake CLIs run ${path}, which is not there; build the package first: npm run build`)
  return path
}

/**
 * The text of an executable. Its first line names Node itself, so that it runs with any PATH; where that path has a space, which ends the name
 * in a first line, a shell reads it. Node takes `':' //` for a text and a comment, the shell for a command that does nothing.
 */
export function launcher(node: string, program: string, name: FakeCliName, directory: string): string {
  const plain = /^\S{1,120}$/.test(node)
  const head = plain ? `#!${node}` : `#!/bin/sh\n':' //; exec '${node.replaceAll("'", `'\\''`)}' "$0" "$@"`
  const call = `runFakeCli(${JSON.stringify(name)}, ${JSON.stringify(directory)})`
  return `${head}\nimport(${JSON.stringify(pathToFileURL(program).href)}).then(({ runFakeCli }) => ${call})\n`
}
