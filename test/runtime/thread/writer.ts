import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { ROOT } from '../../architecture/source.ts'

/** What the tests of a thread run in processes of their own. */
export function writerBundle(): Promise<string> {
  return bundleOf(`export { openThread } from ${JSON.stringify(`${ROOT}src/runtime/thread/open-thread.ts`)}`, 'thread.mjs', WRITER)
}

/** A script that imports what is exported here by this name, all as plain JavaScript; answers the folder, which any user may read. */
export async function bundleOf(exported: string, name: string, script: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'relevo-writer-'))
  const entry = join(directory, 'writer-entry.ts')
  writeFileSync(entry, exported)
  await build({
    configFile: false,
    logLevel: 'silent',
    root: directory,
    ssr: { noExternal: true },
    build: { ssr: entry, outDir: directory, emptyOutDir: false, minify: false, rollupOptions: { output: { entryFileNames: name } } },
  })
  writeFileSync(join(directory, 'writer.mjs'), script)
  chmodSync(directory, 0o755)
  return directory
}

/**
 * Posts without end: small ones, and every third of some hundred thousand characters, so that a kill also falls into the writing of one. What
 * was taken is told on standard output after `append` has returned, an error as the last line.
 */
const WRITER = `
import { writeSync } from 'node:fs'
import { openThread } from './thread.mjs'
const [path, round] = process.argv.slice(2)
try {
  const { thread } = openThread(path)
  for (let n = 0; ; n++) {
    const text = round + '-' + n + ' ' + 'x'.repeat(n % 3 === 2 ? 300_000 : n % 50)
    const { id } = thread.append({ at: 0, participant: 'ana', engine: 'codex', text })
    writeSync(1, id + ' ' + round + '-' + n + '\\n')
  }
} catch (error) {
  writeSync(1, 'error ' + error.code + ' ' + error.message + '\\n')
}
`

export interface Writer {
  readonly child: ChildProcess
  /** Resolves once it has told so many lines. */
  told(count: number): Promise<void>
  /** Resolves when it is gone, with every whole line that it told. */
  readonly lines: Promise<readonly string[]>
}

/** `through`: a program and its arguments that start it. */
export function startWriter(
  directory: string,
  path: string,
  round: number,
  { through = [], user }: { readonly through?: readonly string[]; readonly user?: number } = {},
): Writer {
  const [program = process.execPath, ...args] = [...through, process.execPath, join(directory, 'writer.mjs'), path, String(round)]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], ...(user === undefined ? {} : { uid: user, gid: user }) })
  let output = ''
  let wake = () => {}
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
    wake()
  })
  const whole = () => output.split('\n').slice(0, -1)
  const lines = new Promise<readonly string[]>((resolve, reject) => child.once('error', reject).once('close', () => resolve(whole())))
  const told = (count: number) =>
    new Promise<void>((resolve) => {
      wake = () => whole().length >= count && resolve()
      wake()
    })
  return { child, told, lines }
}
