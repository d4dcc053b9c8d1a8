import { setTimeout as pause } from 'node:timers/promises'
import type { FakeRun } from './script.ts'
import type { Step } from './voice.ts'

/** One that stays does not stay for ever: a test that lost sight of it leaves nothing behind. */
export const STAY_MS = 600_000
const REPEAT_MS = 200
const CHUNK_BYTES = 65_536

/** Does what a run does, step by step, and ends the process. */
export async function perform(steps: readonly Step[], run: Pick<FakeRun, 'afterMs' | 'exit'>): Promise<never> {
  // Nobody reads on: the real ones end then, too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1))
  for (const step of steps) {
    switch (step.do) {
      case 'out':
      case 'err':
        for (const line of step.lines) {
          if (run.afterMs !== undefined) await pause(run.afterMs)
          await print(step.do, `${line}\n`)
        }
        break
      case 'repeat':
        await repeat(step.line, run.afterMs ?? REPEAT_MS)
        break
      case 'flood':
        await flood(step.bytes)
        break
      case 'stay':
        await pause(STAY_MS)
        break
      case 'exit':
        process.exit(run.exit ?? step.code)
    }
  }
  process.exit(run.exit ?? 1)
}

function print(to: 'out' | 'err', text: string | Uint8Array): Promise<void> {
  const stream = to === 'out' ? process.stdout : process.stderr
  return new Promise((resolve) => void stream.write(text, () => resolve()))
}

async function repeat(line: string, everyMs: number): Promise<void> {
  const until = Date.now() + STAY_MS
  while (Date.now() < until) {
    await pause(everyMs)
    await print('out', `${line}\n`)
  }
}

async function flood(bytes: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(bytes, CHUNK_BYTES), 'x')
  for (let left = bytes; left > 0; left -= chunk.length) await print('out', chunk.subarray(0, Math.min(left, chunk.length)))
}
