import { expect, test } from 'vitest'
import { boundedLog } from '../../src/faces/cli/bounded-log.ts'

/** An output that takes what it is given, and has room when `read` is called. */
function stuck() {
  const lines: string[] = []
  const waiting: (() => void)[] = []
  const write = (text: string): Promise<void> => {
    lines.push(text)
    return new Promise((resolve) => void waiting.push(resolve))
  }
  const read = async (): Promise<void> => {
    for (const resolve of waiting.splice(0)) resolve()
    await new Promise(setImmediate)
  }
  return { lines, write, read }
}

test('a log whose reader is stuck keeps so many lines, and says how many it left out once that reads again', async () => {
  const output = stuck()
  const write = boundedLog(output, () => 0, 3)
  for (let at = 0; at < 10; at++) write(`${at}\n`)
  expect(output.lines).toEqual(['0\n', '1\n', '2\n'])
  await output.read()
  write('10\n')
  write('11\n')
  expect(output.lines.slice(3)).toEqual(['{"level":"warn","time":"1970-01-01T00:00:00.000Z","lines":7,"msg":"log.left_out"}\n', '10\n', '11\n'])
})

test('one that is read has every line', async () => {
  const output = stuck()
  const write = boundedLog(output, () => 0, 3)
  for (let at = 0; at < 10; at++) {
    write(`${at}\n`)
    await output.read()
  }
  expect(output.lines).toHaveLength(10)
})
