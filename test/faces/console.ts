import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Io } from '../../src/faces/cli/io.ts'
import { run } from '../../src/faces/cli/program.ts'

export interface ConsoleOptions {
  readonly stdin?: string | readonly Uint8Array[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly tty?: boolean
  /** Width of the terminal; 200 by default, which breaks no line of a test. */
  readonly columns?: number
}

/** A process for one command: what it reads, and everything that it wrote. */
export class Console {
  out = ''
  err = ''
  /** Everything in the order in which a terminal would have shown it. */
  both = ''
  readonly interrupt = new AbortController()
  readonly io: Io
  readonly #watchers: { readonly text: string; readonly found: () => void }[] = []

  constructor({ stdin = '', env = {}, cwd = tmpdir(), tty = false, columns = 200 }: ConsoleOptions = {}) {
    const chunks = typeof stdin === 'string' ? [Buffer.from(stdin)] : stdin
    this.io = {
      stdin: {
        isTty: false,
        chunks: (async function* () {
          yield* chunks
        })(),
      },
      stdout: { isTty: tty, columns: tty ? columns : null, write: async (text) => this.#take('out', text) },
      stderr: { isTty: tty, columns: tty ? columns : null, write: async (text) => this.#take('err', text) },
      env,
      cwd,
      interrupt: this.interrupt.signal,
      serves: () => {},
    }
  }

  run(...argv: string[]): Promise<number> {
    return run(argv, this.io)
  }

  /** Resolves once this text stands in what was written. */
  shown(text: string): Promise<void> {
    return new Promise((found) => {
      this.#watchers.push({ text, found })
      this.#look()
    })
  }

  get outLines(): string[] {
    return this.out.split('\n').slice(0, -1)
  }

  get errLines(): string[] {
    return this.err.split('\n').slice(0, -1)
  }

  /** Each line of stdout as JSON. */
  get json(): Record<string, unknown>[] {
    return this.outLines.map((line) => JSON.parse(line))
  }

  #take(stream: 'out' | 'err', text: string): void {
    this[stream] += text
    this.both += text
    this.#look()
  }

  #look(): void {
    for (const { text, found } of this.#watchers) if (this.both.includes(text)) found()
  }
}

/** A folder with these files, gone when the test is over. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'relevo-faces-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Settings that can be built and never need to be called. */
export const GOOD = `primary: a.x
profiles:
  a.x: { model: m1, apiKey: "env:KEY", api: openai-chat, endpoint: "http://127.0.0.1:1/v1", fallback: [b.y] }
  b.y: { apiKey: "env:KEY", api: anthropic-messages, endpoint: "http://127.0.0.1:1/v1", capabilities: { streaming: false } }
modelRoutes:
  - { hint: other, modelProvider: b.y, model: m9 }
`
export const KEY = { KEY: 'key-of-a-test' }
