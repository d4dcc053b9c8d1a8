import type { ScriptedEvent } from '../loopback/script.ts'
import { type ConformanceCase, caseOf, expectEqual } from './case.ts'
import { Recording, SlowReader } from './recording.ts'
import type { Prepared, Situation } from './subject.ts'

const CHUNKS = 2000
const IDLE_MS = 1000
const CHUNK = 'x'.repeat(1000)

/** Contract 5: a full reader stops the engine, and nothing is lost by it. */
export function flowCases(): ConformanceCase[] {
  return [
    caseOf('contract 5: pauses while the reader is full and goes on without loss', () => long(new SlowReader()), pausesAndResumes, 'streaming'),
    caseOf(
      'contract 5, R30: a cancel while the reader is full reaches the provider',
      () => long(new SlowReader(), { stall: true }),
      cancelWhileFull,
      'streaming',
    ),
    caseOf(
      'contract 5, R31: a slow reader is not silence of the provider',
      () => ({ ...long(new SlowReader()), timeouts: { idleMs: IDLE_MS } }),
      slowIsNotIdle,
      'streaming',
    ),
  ]
}

/** Two megabytes: many more than are read at once. */
function long(flow: SlowReader, end: ScriptedEvent = { final: 'stop' }): Situation & { flow: SlowReader } {
  const texts = Array.from({ length: CHUNKS }, (_, index) => ({ text: `${index}${CHUNK}` }))
  return { mode: 'stream', items: [{ events: [...texts, end] }], flow }
}

async function pausesAndResumes(prepared: Prepared, situation: Situation): Promise<void> {
  const reader = situation.flow as SlowReader
  let texts = 0
  const recording = new Recording(prepared.engine, prepared.request, (event) => {
    if (event.type === 'text' && texts++ % (CHUNKS / 4) === 0) reader.full = true
  })
  let over = false
  void recording.over.then(() => {
    over = true
  })
  await untilFull(prepared, reader, recording)
  await prepared.settle()
  if (texts > CHUNKS / 2) throw new Error(`did not pause: ${texts} of ${CHUNKS} chunks came while the reader was full`)
  for (let round = 0; round < CHUNKS && !over; round++) {
    await prepared.settle()
    reader.drain()
  }
  if (!(await prepared.until(recording.over))) throw new Error(`never went on; ${texts} of ${CHUNKS} chunks came`)
  recording.lawful()
  recording.final()
  expectEqual('chunks', texts, CHUNKS)
  const expected = Array.from({ length: CHUNKS }, (_, index) => `${index}${CHUNK}`).join('')
  if (recording.text !== expected) throw new Error('text was lost or came out of order')
}

async function cancelWhileFull(prepared: Prepared, situation: Situation): Promise<void> {
  const reader = situation.flow as SlowReader
  const recording = new Recording(prepared.engine, prepared.request, (event) => {
    if (event.type === 'text') reader.full = true
  })
  await untilFull(prepared, reader, recording)
  recording.stop()
  if (!(await prepared.observe.aborted())) throw new Error('the provider never saw that the attempt was cancelled')
  reader.drain()
  await prepared.settle()
  expectEqual('events after the cancel', recording.late.length, 0)
}

async function slowIsNotIdle(prepared: Prepared, situation: Situation): Promise<void> {
  const reader = situation.flow as SlowReader
  let filled = false
  const recording = new Recording(prepared.engine, prepared.request, (event) => {
    if (event.type !== 'text' || filled) return
    filled = true
    reader.full = true
  })
  await untilFull(prepared, reader, recording)
  prepared.pass(10 * IDLE_MS)
  await prepared.settle()
  reader.drain()
  if (!(await prepared.until(recording.over))) throw new Error('never went on')
  recording.lawful()
  recording.final()
}

async function untilFull(prepared: Prepared, reader: SlowReader, recording: Recording): Promise<void> {
  await prepared.until(Promise.race([reader.filled, recording.over]))
  if (!reader.full) throw new Error(`no text came; the last word was ${recording.events.at(-1)?.type ?? 'nothing'}`)
}
