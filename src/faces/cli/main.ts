#!/usr/bin/env node
import { once } from 'node:events'
import type { Io, Output } from './io.ts'
import { EXIT, report } from './problems.ts'
import { run } from './program.ts'

// The process around `run`. The first SIGINT asks for a clean end, the second ends at once; a reader that goes away ends everything quietly.
const interrupt = new AbortController()

function output(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    throw error
  })
  return {
    isTty: stream.isTTY === true,
    get columns() {
      return stream.isTTY === true && stream.columns > 0 ? stream.columns : null
    },
    write: async (text) => {
      if (!stream.write(text)) await once(stream, 'drain')
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
}

async function end(code: number): Promise<never> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  process.exit(code)
}

process.on('SIGINT', () => {
  if (interrupt.signal.aborted) process.exit(EXIT.interrupted)
  interrupt.abort()
})
process.on('uncaughtException', (error) => void report(error, io, process.argv.includes('--debug')).then(end))

await end(await run(process.argv.slice(2), io))
