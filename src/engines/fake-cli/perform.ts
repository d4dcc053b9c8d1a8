import { setTimeout as pause } from 'node:timers/promises'
import type { FakeCall } from './folder.ts'
import type { FakeRun } from './script.ts'
import type { Step } from './voice.ts'

/** One that stays does not stay for ever: a test that lost sight of it leaves nothing behind. */
export const STAY_MS = 600_000
const REPEAT_MS = 200
const CHUNK_BYTES = 65_536

type Progress = Partial<Pick<FakeCall, 'stays' | 'bytes' | 'exit'>>

/** Does what a run does, step by step, and ends the process. */
export async function perform(
  steps: readonly Step[],
  run: Pick<FakeRun, 'afterMs' | 'exit'>,
  note: (progress: Progress) => void = () => {},
): Promise<never> {
  let bytes = 0
  const leave = (code: number): never => {
    note({ bytes, exit: code })
    process.exit(code)
  }
  // Nobody reads on: the real ones end then, too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1))
  for (const step of steps) {
    switch (step.do) {
      case 'out':
      case 'err':
        for (const line of step.lines) {
          const waitMs = step.afterMs ?? run.afterMs
          if (waitMs !== undefined) await pause(waitMs)
          bytes += await print(step.do, `${line}\n`)
        }
        break
      case 'repeat':
        await repeat(step.line, run.afterMs ?? REPEAT_MS, (more) => {
          bytes += more
          note({ stays: true, bytes })
        })
        break
      case 'flood':
        await flood(step.bytes)
        break
      case 'stay':
        note({ stays: true, bytes })
        await pause(STAY_MS)
        break
      case 'exit':
        leave(run.exit ?? step.code)
    }
  }
  return leave(run.exit ?? 1)
}

/** Resolves with the number of bytes, once they were written. */
function print(to: 'out' | 'err', text: string | Uint8Array): Promise<number> {
  const stream = to === 'out' ? process.stdout : process.stderr
  return new Promise((resolve) => void stream.write(text, () => resolve(Buffer.byteLength(text))))
}

async function repeat(line: string, everyMs: number, printed: (bytes: number) => void): Promise<void> {
  const until = Date.now() + STAY_MS
  while (Date.now() < until) {
    await pause(everyMs)
    printed(await print('out', `${line}\n`))
  }
}

async function flood(bytes: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(bytes, CHUNK_BYTES), 'x')
  for (let left = bytes; left > 0; left -= chunk.length) await print('out', chunk.subarray(0, Math.min(left, chunk.length)))
}
