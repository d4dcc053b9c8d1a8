import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Takes away what nobody holds any more. Throws where this Node cannot, so that nothing is measured without. */
export function collect(): void {
  setFlagsFromString('--expose-gc')
  const collector: unknown = runInNewContext('gc')
  if (typeof collector !== 'function') throw new Error('no gc')
  collector()
}

/**
 * Bytes of objects and buffers in use once what nobody holds is gone. The second collection ends what the first has begun: large buffers are
 * swept beside the program.
 */
export function held(): number {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
