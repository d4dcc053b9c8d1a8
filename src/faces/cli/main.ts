#!/usr/bin/env node
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import type { Io, Output } from './io.ts'
import { EXIT, report, UnwritableOutput } from './problems.ts'
import { run } from './program.ts'

// The process around `run`. The first signal to end asks for a clean end, the second ends at once; a reader that goes away ends everything quietly,
// an output that can take nothing more (a full disk) ends it with a line on stderr, or without one where that is the output. What serves others,
// or has a team at work, ends by neither: answers are worth more than its log. Nor does it when a terminal goes away that it has nothing of:
// `nohup` asks for that, and Node.js takes no notice of it.
const interrupt = new AbortController()
let isServing = false

const isOnTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)

function isDebug(): boolean {
  return process.argv.includes('--debug')
}

function output(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isServing) return
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    if (stream === process.stderr) process.exit(EXIT.no)
    void report(new UnwritableOutput(error.code ?? error.message), io, isDebug()).then((code) => process.exit(code))
  })
  // Whoever waits for room that never comes is ended by what stands above, but for one that serves.
  let waiting: Promise<unknown> | null = null
  const room = (): Promise<unknown> => {
    waiting ??= once(stream, 'drain')
      .catch(() => (isServing ? undefined : new Promise(() => {})))
      .finally(() => {
        waiting = null
      })
    return waiting
  }
  return {
    isTty: stream.isTTY === true,
    get columns() {
      return stream.isTTY === true && stream.columns > 0 ? stream.columns : null
    },
    write: async (text) => {
      if (!stream.destroyed && !stream.write(text)) await room()
    },
  }
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}

const io: Io = {
  stdin: { isTty: process.stdin.isTTY === true, chunks: process.stdin },
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  interrupt: interrupt.signal,
  serves: () => {
    isServing = true
    // Where everything is over in a moment, V8 guesses wrong what will last, and what it puts among the old keeps the young alive (decision 0012).
    setFlagsFromString('--no-allocation-site-pretenuring')
  },
}

async function end(code: number): Promise<never> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  process.exit(code)
}

// Of a program that runs for a turn none is left behind: it has a group of its own and hears no signal of ours.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (signal === 'SIGHUP' && isServing && !isOnTerminal) return
    if (interrupt.signal.aborted) process.exit(EXIT.interrupted)
    interrupt.abort(signal)
  })
}
process.on('uncaughtException', (error) => void report(error, io, isDebug()).then(end))

await end(await run(process.argv.slice(2), io))
