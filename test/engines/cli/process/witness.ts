import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/**
 * Knows which processes of a test are alive, also those that are nobody's children any more: each holds a connection, which ends with it.
 * Nothing has to be waited for by time.
 */
export class Witness {
  readonly path: string
  readonly #server = createServer((socket) => this.#welcome(socket))
  readonly #seen = new Map<string, { socket: Socket; pid: number; left: Promise<void> }>()
  readonly #waiting: (() => void)[] = []

  constructor(directory: string) {
    this.path = join(directory, 'witness')
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => void this.#server.listen(this.path, resolve))
    return this
  }

  /** Resolves with its pid once the process of this name has come. */
  async arrived(name: string): Promise<number> {
    return (await this.#one(name)).pid
  }

  /** Resolves when the process of this name has ended. */
  async left(name: string): Promise<void> {
    await (await this.#one(name)).left
  }

  /** Resolves with what the process of this name answers, so it is alive; rejects when it is not. */
  async answers(name: string): Promise<string> {
    const { socket, left } = await this.#one(name)
    const answer = new Promise<string>((resolve) => void socket.once('data', (data) => resolve(data.toString())))
    const noAnswer = left.then(() => Promise.reject(new Error(`${name} has ended`)))
    socket.write('?')
    return Promise.race([answer, noAnswer])
  }

  /** Tells the process of this name to go on: `go()` of the program resolves. */
  async tell(name: string): Promise<void> {
    ;(await this.#one(name)).socket.write('!')
  }

  /** Ends every process that is still connected. */
  async close(): Promise<void> {
    for (const { socket, pid } of this.#seen.values()) if (!socket.destroyed) kill(pid)
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()))
  }

  async #one(name: string): Promise<{ socket: Socket; pid: number; left: Promise<void> }> {
    for (;;) {
      const one = this.#seen.get(name)
      if (one !== undefined) return one
      await new Promise<void>((resolve) => void this.#waiting.push(resolve))
    }
  }

  #welcome(socket: Socket): void {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const [name = '', pid = ''] = data.toString().split(' ')
      const left = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
      this.#seen.set(name, { socket, pid: Number(pid), left })
      socket.resume()
      for (const resume of this.#waiting.splice(0)) resume()
    })
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}

/** What the programs of the tests import: `comeAs(name)` resolves with `go`, which resolves once it was told to, and `answer`, what it says when asked. */
export const WITNESS_MODULE = `
import { connect } from 'node:net'
export function comeAs(name) {
  return new Promise((resolve) => {
    const socket = connect(process.env.WITNESS)
    let told = () => {}
    const self = { answer: 'here', go: new Promise((done) => { told = done }) }
    socket.on('data', (data) => {
      if (data.includes('?')) socket.write(self.answer)
      if (data.includes('!')) told()
    })
    socket.write(name + ' ' + process.pid, () => resolve(self))
  })
}
`
