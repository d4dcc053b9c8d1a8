import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type FakeClis, installFakeClis } from '../../../src/engines/fake-cli/install.ts'
import type { FakeCliName, FakeCliScript } from '../../../src/engines/fake-cli/script.ts'

/** How each of them is called by relevo, with the prompt in the place where it takes one. */
export const CALLS: Readonly<Record<FakeCliName, { readonly args: readonly string[]; readonly stdin: string | null }>> = {
  claude: { args: ['-p', '--output-format', 'stream-json', '--verbose'], stdin: 'say hello' },
  codex: { args: ['exec', '--json', '--skip-git-repo-check', '-'], stdin: 'say hello' },
  agy: { args: ['-p', 'say hello', '--output-format', 'stream-json'], stdin: null },
  gemini: { args: ['-o', 'stream-json', '--skip-trust'], stdin: 'say hello' },
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** The lines of stdout that are objects. */
  readonly events: readonly Event[]
}

export type Event = Readonly<Record<string, unknown>>

export interface CallOptions {
  readonly args?: readonly string[]
  readonly stdin?: string | null
  readonly env?: Readonly<Record<string, string>>
}

/** Fake CLIs in a folder of their own, which is gone after the test. */
export async function fakes(script: FakeCliScript, names?: readonly FakeCliName[]): Promise<FakeClis & { readonly directory: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'relevo-fake-cli-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return { ...(await installFakeClis({ directory, script, names })), directory }
}

/** A process under way. What is still running when its test ends is killed. */
export class Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  #stdout = ''
  #stderr = ''
  #waiting: { readonly seen: (stdout: string) => boolean; readonly resolve: () => void }[] = []

  constructor(path: string, args: readonly string[], stdin: string | null, env: Readonly<Record<string, string>>) {
    this.child = spawn(path, args, { env, stdio: [stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'], detached: true })
    onTestFinished(() => this.kill('SIGKILL'))
    this.child.stdin?.on('error', () => {})
    this.child.stdin?.end(stdin)
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
      for (const waiter of this.#waiting) if (waiter.seen(this.#stdout)) waiter.resolve()
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject)
      this.child.on('close', (code, signal) => resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr, events: eventsOf(this.#stdout) }))
    })
  }

  get stdout(): string {
    return this.#stdout
  }

  /** Resolves once standard output is as asked. */
  printed(seen: (stdout: string) => boolean): Promise<void> {
    if (seen(this.#stdout)) return Promise.resolve()
    return new Promise((resolve) => void this.#waiting.push({ seen, resolve }))
  }

  /** To the whole group; nothing where it has gone. */
  kill(signal: NodeJS.Signals): void {
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, signal)
    } catch {
      // Gone already.
    }
  }
}

export function start(
  clis: FakeClis,
  name: FakeCliName,
  { args = CALLS[name].args, stdin = CALLS[name].stdin, env = {} }: CallOptions = {},
): Running {
  return new Running(join(clis.path, name), args, stdin, env)
}

export function call(clis: FakeClis, name: FakeCliName, options?: CallOptions): Promise<Ended> {
  return start(clis, name, options).ended
}

export function eventsOf(stdout: string): Event[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Event)
}

/** The value at a path; undefined where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here: unknown = value
  for (const key of path) here = (here as Record<string | number, unknown> | null | undefined)?.[key]
  return here
}

/** The text that a run streamed, by the events of its own format. */
export function streamedText(name: FakeCliName, events: readonly Event[]): string {
  const pieces = events.map((event) => {
    if (name === 'claude') return at(event, 'event', 'delta', 'text')
    if (name === 'codex') return at(event, 'item', 'type') === 'agent_message' ? at(event, 'item', 'text') : undefined
    if (name === 'agy') return at(event, 'step_update', 'text_delta')
    return event['role'] === 'assistant' ? event['content'] : undefined
  })
  return pieces.filter((piece) => piece !== undefined).join('')
}

/** The text of the last event, where the format has one. */
export function finalText(name: FakeCliName, events: readonly Event[]): unknown {
  const last = events.at(-1)
  if (name === 'claude') return last?.['result']
  return name === 'agy' ? at(last, 'result', 'response') : streamedText(name, events)
}
