import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeScript } from '../../src/engines/fake-cli/folder.ts'
import { fakeCliProgram } from '../../src/engines/fake-cli/install.ts'
import type { FakeCliName, FakeRun } from '../../src/engines/fake-cli/script.ts'
import { checkedFakeScript } from '../../src/engines/fake-cli/script-problems.ts'

/**
 * Fake CLIs that work while a virtual clock is moved: real executables, each of which says that it is there and then waits for the word.
 *
 * 1. A program prints nothing before it is told to, and its own clock shows the virtual instant at which it is told: so long it took.
 * 2. That it has come, and that it is gone, is heard from its connection. Nobody looks again and again.
 */
export class TeamPrograms {
  /** What to put on PATH. */
  readonly path: string
  readonly #folder: string
  readonly #server: Server
  readonly #waiting: Arrived[] = []
  #expected: ((program: Arrived) => void) | null = null

  private constructor(folder: string, server: Server) {
    this.#folder = folder
    this.path = join(folder, 'bin')
    this.#server = server
    server.on('connection', (socket) => this.#arrive(socket))
  }

  static async install(names: readonly FakeCliName[]): Promise<TeamPrograms> {
    const folder = mkdtempSync(join(tmpdir(), 'relevo-team-'))
    const door = join(folder, 'door')
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(door, resolve)
    })
    const programs = new TeamPrograms(folder, server)
    mkdirSync(programs.path)
    for (const name of names) {
      const path = join(programs.path, name)
      writeFileSync(path, launcher(name, programs.path, door))
      chmodSync(path, 0o755)
    }
    return programs
  }

  /** The next program that is started. */
  arrival(): Promise<Arrived> {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) return Promise.resolve(waiting)
    return new Promise((resolve) => {
      this.#expected = resolve
    })
  }

  /** Nobody waits for the program that comes next: it was ended before it came. */
  forget(): void {
    this.#expected = null
  }

  /** Has the program play the run, at this instant of its clock. */
  play({ socket }: Arrived, name: FakeCliName, run: FakeRun, now: number): void {
    writeScript(this.path, checkedFakeScript({ [name]: [run] }))
    socket.write(JSON.stringify({ now }))
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #arrive(socket: Socket): void {
    const program = { socket, gone: new Promise<void>((resolve) => void socket.once('close', () => resolve())) }
    // It was ended while it waited.
    socket.on('error', () => {})
    socket.resume()
    const expected = this.#expected
    this.#expected = null
    if (expected === null) this.#waiting.push(program)
    else expected(program)
  }
}

export interface Arrived {
  readonly socket: Socket
  /** When its process has ended. */
  readonly gone: Promise<void>
}

/** The text of an executable: it waits at the door, sets its clock and is the fake CLI from then on. */
function launcher(name: FakeCliName, directory: string, door: string): string {
  const program = pathToFileURL(fakeCliProgram(new URL('../../src/engines/fake-cli/install.ts', import.meta.url).href)).href
  return [
    `#!${process.execPath}`,
    `require('node:net').connect(${JSON.stringify(door)}).once('data', (told) => {`,
    '  const { now } = JSON.parse(told)',
    '  Date.now = () => now',
    `  import(${JSON.stringify(program)}).then(({ runFakeCli }) => runFakeCli(${JSON.stringify(name)}, ${JSON.stringify(directory)}))`,
    '})',
    '',
  ].join('\n')
}
