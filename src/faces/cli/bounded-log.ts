import { jsonLine, type Output } from './io.ts'

/** Lines that may wait for whoever reads the log: more than the end of as many turns as there are connections writes at once. */
const MOST_WAITING = 10_000

/**
 * Writes the log of a process that serves, to a reader that may be slow or stuck.
 *
 * 1. Nothing waits for it, and no more than `most` lines are kept for it: a log would fill the memory otherwise, as long as others are answered.
 * 2. Lines beyond that are left out; the first line after them says how many.
 */
export function boundedLog(output: Pick<Output, 'write'>, now: () => number = Date.now, most = MOST_WAITING): (line: string) => void {
  let waiting = 0
  let leftOut = 0
  const write = (line: string): void => {
    waiting++
    void output.write(line).finally(() => waiting--)
  }
  return (line) => {
    if (waiting >= most) {
      leftOut++
      return
    }
    if (leftOut > 0) write(jsonLine({ level: 'warn', time: new Date(now()).toISOString(), lines: leftOut, msg: 'log.left_out' }))
    leftOut = 0
    write(line)
  }
}
